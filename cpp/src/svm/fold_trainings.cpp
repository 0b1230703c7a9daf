#include "svm/fold_trainings.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/checkpoint.hpp"
#include "data/labels.hpp"
#include "data/one_vs_one.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/predict.hpp"
#include "svm/model/model_data.hpp"
#include "svm/problems/training_problem.hpp"
#include "svm/train.hpp"

namespace dcsvm::svm {

namespace {

// Rows `rows` of x; of a kernel matrix also columns `columns` alone.
data::PointStore cut(const DataView& x, bool precomputed, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  if (!precomputed) return data::copy_points(x, rows);
  data::PointStore store;
  store.rows = static_cast<Index>(rows.size());
  store.cols = static_cast<Index>(columns.size());
  store.values64.reserve(rows.size() * columns.size());
  std::vector<double> full(cols_of(x));
  for (const Index i : rows) {
    data::copy_rows(x, nullptr, i, 1, full.data(), cols_of(x));
    for (const Index j : columns) store.values64.push_back(full[j]);
  }
  return store;
}

std::vector<double> pick(const double* values, const std::vector<Index>& rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const Index i : rows) out.push_back(values[i]);
  return out;
}

// The training and test rows of one fold.
struct FoldData {
  FoldData(const DataView& x, const double* y, const TrainParams& params, const double* sample_weight, const Fold& fold)
      : classifier(is_classifier(params.formulation)) {
    std::vector<Index> rows;  // rows of weight 0 take no part
    std::copy_if(fold.train.begin(), fold.train.end(), std::back_inserter(rows),
                 [&](Index i) { return sample_weight == nullptr || sample_weight[i] > 0; });
    if (rows.empty()) throw DataError("sample_weight is 0 for all training rows of a fold");
    const bool given = params.kernel.type == KernelType::precomputed;
    train = cut(x, given, rows, rows);
    test = cut(x, given, fold.test, rows);
    if (y != nullptr) labels = pick(y, rows);
    if (sample_weight != nullptr) weights = pick(sample_weight, rows);
    one_class_only = classifier && std::all_of(labels.begin(), labels.end(), [&](double v) { return v == labels.front(); });
  }
  bool classifier, one_class_only = false;
  data::PointStore train, test;
  std::vector<double> labels, weights;
};

class FoldTrainings {
 public:
  FoldTrainings(const TrainParams& params, HeldOut what, const Hooks& hooks, std::vector<double> classes)
      : params_(params), what_(what), hooks_(hooks), classes_(std::move(classes)) {
    params_.gamma_rule = GammaRule::value;
    params_.probability = false;
    if (!hooks.progress) return;
    hooks_.progress = [this, &hooks](const Progress& p) { return cancelled_ = cancelled_ || hooks.progress(p); };
  }
  FoldCosts& done() { return done_; }

  struct Output {
    double* values;
    Index size;
  };
  // Held-out rows of the fold into out: the next piece of work of `place`.
  void run(const FoldData& fold, double C, double gamma, Output out, base::Place* place) {
    if (place == nullptr) return note(run_at(fold, C, gamma, out.values, nullptr));
    base::Place own = place->next();
    std::vector<double> kept = own.find();
    if (kept.size() == std::tuple_size_v<Costs> + static_cast<std::size_t>(out.size) && base::is_count(kept[0]) &&
        base::is_count(kept[1]) && base::is_count(kept[3])) {
      Costs costs;
      std::copy(kept.begin() + costs.size(), kept.end(), out.values);
      std::copy_n(kept.begin(), costs.size(), costs.begin());
      return note(costs);
    }
    const Costs costs = run_at(fold, C, gamma, out.values, &own);
    kept.assign(costs.begin(), costs.end());
    kept.insert(kept.end(), out.values, out.values + out.size);
    own.put(std::move(kept));
    note(costs);
  }

 private:
  // Of one training: steps, kernel values, violation, peak memory, 1 when it did not converge; then seconds by kPhases.
  static constexpr std::array<const char*, 4> kPhases{"solve.rows", "solve.inner", "solve.select", "solve.update"};
  using Costs = std::array<double, 5 + kPhases.size()>;

  Costs run_at(const FoldData& fold, double C, double gamma, double* out, base::Place* place) {
    TrainParams params = params_;
    params.C = C;
    params.kernel.gamma = gamma;
    auto& weights = params.class_weight;  // of classes that this fold has
    weights.erase(std::remove_if(weights.begin(), weights.end(),
                                 [&](const auto& w) { return std::count(fold.labels.begin(), fold.labels.end(), w.first) == 0; }),
                  weights.end());
    if (fold.one_class_only) {
      emit({fold.labels.front()}, fold.test.rows, nullptr, out);
      return {};
    }
    TrainInputs inputs;
    if (!fold.weights.empty()) inputs.sample_weight = fold.weights.data();
    const Model model =
        train_at(fold.train.view(), fold.labels.empty() ? nullptr : fold.labels.data(), params, inputs, hooks_, place);
    if (cancelled_) throw Interrupted();
    const PredictOptions options{params.n_threads, hooks_.interrupted};
    if (what_ == HeldOut::predictions) {
      predict(model, fold.test.view(), out, options);
      return costs_of(model.report());
    }
    std::vector<double> decisions(fold.test.rows * decision_columns(model));
    decision_function(model, fold.test.view(), decisions.data(), options);
    if (!fold.classifier) {
      std::copy(decisions.begin(), decisions.end(), out);
    } else {
      emit(model.classes(), fold.test.rows, decisions.data(), out);
    }
    return costs_of(model.report());
  }

  static Costs costs_of(const Report& report) {
    Costs costs{static_cast<double>(report.n_iter), static_cast<double>(report.n_kernel_values), report.violation,
                static_cast<double>(report.peak_cache_bytes), report.stop_reason != StopReason::converged ? 1.0 : 0.0};
    for (std::size_t p = 0; p < kPhases.size(); ++p) {
      const auto found = report.seconds.find(kPhases[p]);
      if (found != report.seconds.end()) costs[5 + p] = found->second;
    }
    return costs;
  }

  void note(const Costs& costs) {
    done_.n_iter += static_cast<std::int64_t>(costs[0]);
    done_.n_kernel_values += static_cast<std::int64_t>(costs[1]);
    done_.violation = std::max(done_.violation, costs[2]);
    done_.peak_cache_bytes = std::max(done_.peak_cache_bytes, static_cast<std::int64_t>(costs[3]));
    done_.n_unconverged += costs[4] != 0 ? 1 : 0;
    for (std::size_t p = 0; p < kPhases.size(); ++p) {
      if (costs[5 + p] > 0) done_.seconds[kPhases[p]] += costs[5 + p];
    }
  }

  // Writes the decisions for the classes `present` as decisions for all classes; a fold with one class decides for that class.
  void emit(const std::vector<double>& present, Index n, const double* decisions, double* out) const {
    const auto k = static_cast<Index>(classes_.size()), own = static_cast<Index>(present.size());
    if (what_ == HeldOut::predictions) {
      std::fill(out, out + n, present.front());
      return;
    }
    std::vector<Index> position;  // of each class among those present, -1: absent
    for (const double c : classes_) {
      const auto found = std::find(present.begin(), present.end(), c);
      position.push_back(found == present.end() ? -1 : found - present.begin());
    }
    for (Index t = 0; t < n; ++t) {
      for (Index a = 0; a < k; ++a) {
        for (Index b = a + 1; b < k; ++b, ++out) {
          const Index i = position[a], j = position[b];
          *out = i >= 0 && j >= 0 ? decisions[t * own * (own - 1) / 2 + data::pair_index(i, j, own)]
                 : i >= 0         ? 1.0
                 : j >= 0         ? -1.0
                                  : 0.0;
        }
      }
    }
  }

  TrainParams params_;
  HeldOut what_;
  Hooks hooks_;
  std::vector<double> classes_;
  bool cancelled_ = false;
  FoldCosts done_;
};

}  // namespace

FoldCosts train_folds(const data::Summary& x, const double* y, const TrainParams& params, const std::vector<double>& C,
                      const std::vector<double>& gamma, const std::vector<Fold>& folds, HeldOut what, double* out,
                      const double* sample_weight, const Hooks& hooks, base::Context& context) {
  std::vector<double> classes;
  std::vector<int> class_of;
  if (is_classifier(params.formulation)) data::find_classes(y, rows_of(x), classes, class_of);
  const auto n_classes = static_cast<Index>(classes.size());
  const Index columns = what == HeldOut::decisions && n_classes > 0 ? n_classes * (n_classes - 1) / 2 : 1;
  Index tests = 0;
  for (const Fold& fold : folds) tests += static_cast<Index>(fold.test.size());
  FoldTrainings trainings(params, what, hooks, std::move(classes));
  Index before = 0;
  for (const Fold& fold : folds) {
    const FoldData data(x, y, params, sample_weight, fold);
    for (std::size_t g = 0; g < gamma.size(); ++g) {
      for (std::size_t c = 0; c < C.size(); ++c) {
        double* its = out + (static_cast<Index>(g * C.size() + c) * tests + before) * columns;
        trainings.run(data, C[c], gamma[g], {its, static_cast<Index>(fold.test.size()) * columns}, context.place);
      }
    }
    before += static_cast<Index>(fold.test.size());
  }
  return std::move(trainings.done());
}

}  // namespace dcsvm::svm
