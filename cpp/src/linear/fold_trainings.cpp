#include "linear/fold_trainings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/jobs.hpp"
#include "dcsvm/errors.hpp"
#include "linear/method.hpp"
#include "linear/params.hpp"
#include "products/gram_matrix.hpp"

namespace dcsvm::linear {

namespace {

std::size_t count_folds(const LinearFolds& folds, Index n) {
  const auto sized = [n](std::size_t size) {
    if (static_cast<Index>(size) == n) return;
    throw ParameterError("folds must have an entry for each of the " + std::to_string(n) + " rows, got " + std::to_string(size));
  };
  sized(folds.of_row.size());
  int last = -1;
  for (const int f : folds.of_row) {
    if (f < 0 || f >= n) throw ParameterError("folds must be numbered 0, 1, ..., got " + std::to_string(f));
    last = std::max(last, f);
  }
  if (last < 1) throw ParameterError("folds must name at least 2 folds");
  if (folds.order.empty()) return static_cast<std::size_t>(last) + 1;
  sized(folds.order.size());
  for (const Index i : folds.order) {
    if (i < 0 || i >= n)
      throw ParameterError("folds: order must hold rows 0 to " + std::to_string(n - 1) + ", got " + std::to_string(i));
  }
  return static_cast<std::size_t>(last) + 1;
}

/// The classes that have a row that takes part, in the order of the model or of `order`.
std::vector<int> present_classes(const std::vector<double>& weight, const LinearLabels& labels, const std::vector<Index>& order) {
  std::vector<int> found;
  std::vector<bool> seen(labels.classes.size(), false);
  for (std::size_t t = 0; t < weight.size(); ++t) {
    const std::size_t i = order.empty() ? t : static_cast<std::size_t>(order[t]);
    const int c = labels.class_of[i];
    if (weight[i] == 0 || seen[static_cast<std::size_t>(c)]) continue;
    seen[static_cast<std::size_t>(c)] = true;
    found.push_back(c);
  }
  if (order.empty()) {
    std::sort(found.begin(), found.end());
  } else if (found.size() == 2 && labels.classes[found[0]] == -1 && labels.classes[found[1]] == 1) {
    std::swap(found[0], found[1]);
  }
  return found;
}

/// The same labels among these classes only.
LinearLabels restrict_to(const std::vector<int>& chosen, const LinearLabels& labels) {
  LinearLabels out;
  std::vector<int> place(labels.classes.size(), 0);  // of other classes: any, because their rows take no part
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    out.classes.push_back(labels.classes[chosen[c]]);
    out.factor.push_back(labels.factor[chosen[c]]);
    place[chosen[c]] = static_cast<int>(c);
  }
  out.liblinear_order = labels.liblinear_order;
  out.class_of.reserve(labels.class_of.size());
  for (const int c : labels.class_of) out.class_of.push_back(place[c]);
  return out;
}

bool has_moved(const std::vector<Path>& paths) {
  return std::any_of(paths.begin(), paths.end(), [](const Path& path) { return !path.stayed; });
}

bool differ(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kUnchanged = 1e-15;  // LIBLINEAR's rule
  double change2 = 0;
  for (std::size_t j = 0; j < a.size(); ++j) change2 += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(change2) > kUnchanged;
}

}  // namespace

double largest_norm2(const TrainingData& data) {
  double norm2 = 0;
  for (Index i = 0; i < data.x.rows(); ++i) norm2 = std::max(norm2, data.x.norm2(i));
  return norm2;
}

Folds::Folds(const DataView& x, const double* y, const LinearParams& params, const LinearFolds& folds, const LinearInputs& inputs,
             const Hooks& hooks)
    : params_(params),
      inputs_(inputs),
      call_(params.n_threads, params.seed, params.cache_size, hooks),
      data_(x, y, params, inputs, call_.context),
      folds_(count_folds(folds, rows_of(x))) {
  const auto n = static_cast<std::size_t>(rows_of(x));
  labels_for(data_, params_, inputs_);  // throws what train_linear would; a fold's rows may lack classes
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    FoldTraining& fold = folds_[f];
    fold.weight.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_held_out = folds.of_row[i] == static_cast<int>(f);
      if (is_held_out) fold.held_out.push_back(static_cast<Index>(i));
      fold.weight[i] = is_held_out ? 0.0 : inputs.sample_weight != nullptr ? inputs.sample_weight[i] : 1.0;
    }
    LinearInputs own = inputs_;
    own.sample_weight = fold.weight.data();
    if (is_classifier(params_.solver)) {
      fold.labels = labels_of_part(y, rows_of(x), params_, own);
      fold.labels.liblinear_order = fold.labels.liblinear_order || !folds.order.empty();
      fold.labels = restrict_to(present_classes(fold.weight, fold.labels, folds.order), fold.labels);
      if (fold.labels.classes.empty())
        throw DataError("sample_weight: all training rows of fold " + std::to_string(f) + " have weight 0");
    }
  }
  make_paths();
}

/// Calls fold_job(fold, context) for all folds, side by side; whether one of them returned true.
template <class FoldJob>
bool Folds::any_moved(const FoldJob& fold_job) {
  std::vector<char> moved(folds_.size(), 0);
  const base::Job job{1e3 * static_cast<double>(data_.x.stored()), call_.context.cap_bytes / folds_.size()};
  Progress progress;
  progress.phase = "folds";
  const bool done = base::run_jobs(std::vector<base::Job>(folds_.size(), job), progress, call_.context,
                                   [&](Index f, base::Context& context, const Progress&) {
                                     moved[static_cast<std::size_t>(f)] = fold_job(folds_[static_cast<std::size_t>(f)], context);
                                   });
  if (!done) throw Interrupted();
  return std::find(moved.begin(), moved.end(), 1) != moved.end();
}

void Folds::forget() {
  for (FoldTraining& fold : folds_) {
    fold.w.clear();
    for (Path& path : fold.paths) {
      path.points.clear();
      path.squares = {};
    }
  }
}

bool Folds::run(double* out) {
  return any_moved([&](FoldTraining& fold, base::Context& context) { return run_fold(fold, out, context); });
}

/// Keeps what Newton's method leaves for the next C, where memory allows.
void Folds::make_paths() {
  const Matrix& x = data_.solver_x();
  if (!starts_from_w(params_.solver) || has_l1(params_) || params_.solver == LinearSolver::multinomial) return;
  Index problems = 0;
  for (const FoldTraining& fold : folds_) problems += vectors_of(params_.solver, fold.labels.classes.size());
  const double bytes = static_cast<double>(problems) * static_cast<double>(sizeof(double)) * linear_fit::kHeldVectors *
                       static_cast<double>(x.cols() + x.rows());
  if (bytes > products::kShareOfCap * static_cast<double>(call_.context.cap_bytes)) return;
  Path path;
  path.row_norm = std::sqrt(largest_norm2(data_));
  path.rounding = data_.compact && !data_.x.has_floats() ? 0.5 * static_cast<double>(std::numeric_limits<float>::epsilon()) : 0.0;
  for (FoldTraining& fold : folds_) fold.paths.assign(vectors_of(params_.solver, fold.labels.classes.size()), path);
}

/// Whether w was moved, where there was one before.
bool Folds::run_fold(FoldTraining& fold, double* out, base::Context& context) const {
  LinearInputs own = inputs_;
  own.sample_weight = fold.weight.data();
  const bool started = !fold.w.empty(), path_has_it = started && !fold.paths.empty();
  // The start that the caller gave is for other classes than this fold has, or for another order of them.
  const bool of_others = !inputs_.classes.empty() && fold.labels.classes != inputs_.classes;
  if (started && !path_has_it && starts_from_w(params_.solver)) {
    own.initial_w = fold.w.data();
  } else if (path_has_it || of_others) {
    own.initial_w = nullptr;
  }
  LinearData model = train_on(data_, params_, own, fold.labels, context, fold.paths.empty() ? nullptr : &fold.paths);
  if (model.report.stop_reason == StopReason::cancelled) throw base::Cancelled();
  predict_held_out(model, fold, out);
  const bool moved = path_has_it ? has_moved(fold.paths) : started && differ(model.w, fold.w);
  fold.w = std::move(model.w);
  fold.objective = model.report.primal_objective;
  return moved;
}

/// The decisions Xw of vector k that its training left behind; null: none.
const double* Folds::known_decisions(const LinearData& model, const FoldTraining& fold, Index k) const {
  // They come from the solver's copy of X, whose rounding can only change the label of a tie. Predicted targets must be exact.
  if (fold.paths.empty() || !is_classifier(params_.solver)) return nullptr;
  const linear_fit::SolvedPoint& last = fold.paths[static_cast<std::size_t>(k)].points.back();
  const Index vectors = n_vectors(model);
  for (std::size_t j = 0; j < last.w.size(); ++j) {
    if (last.w[j] != model.w[j * static_cast<std::size_t>(vectors) + static_cast<std::size_t>(k)]) return nullptr;
  }
  return last.z.data();
}

void Folds::predict_held_out(const LinearData& model, const FoldTraining& fold, double* out) const {
  const Index vectors = n_vectors(model), cols = data_.x.cols();
  std::vector<const double*> known(static_cast<std::size_t>(vectors));
  std::vector<std::vector<double>> w(known.size());  // of the others
  for (Index k = 0; k < vectors; ++k) {
    known[static_cast<std::size_t>(k)] = known_decisions(model, fold, k);
    if (known[static_cast<std::size_t>(k)] != nullptr) continue;
    std::vector<double>& own = w[static_cast<std::size_t>(k)];
    own.reserve(static_cast<std::size_t>(cols));
    for (Index j = 0; j < cols; ++j) own.push_back(model.w[static_cast<std::size_t>(j * vectors + k)]);
  }
  std::vector<double> dec(known.size());
  for (const Index i : fold.held_out) {
    for (std::size_t k = 0; k < dec.size(); ++k) {
      dec[k] = known[k] != nullptr ? known[k][i] : data_.x.dot(i, w[k].data()) - model.rho;
    }
    out[i] = label_of(model, dec.data());
  }
}

}  // namespace dcsvm::linear
