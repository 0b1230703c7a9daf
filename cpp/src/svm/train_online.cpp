// dcsvm::train_online: passes the new rows, in order, to the pairs of their class, and builds a model of the working sets.
#include "dcsvm/online.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "base/table_cap.hpp"
#include "data/one_vs_one.hpp"
#include "data/summary.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/precision.hpp"
#include "kernels/resolve_kernel.hpp"
#include "simd/ops.hpp"
#include "svm/model/build_model.hpp"
#include "svm/online/online_pair.hpp"
#include "svm/params.hpp"

namespace dcsvm {

namespace {

struct OnlineProblem {
  const DataView& x;
  Index n;
  Index n_classes;
  std::vector<int> class_of;
  KernelParams kernel;
  Precision precision;
};

std::vector<int> classes_of(const double* y, const OnlineInputs& inputs, Index n) {
  if (inputs.upper == nullptr) throw ParameterError("OnlineInputs::upper is null: it needs the bound of each row");
  std::vector<int> class_of(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    if (!(y[i] >= 0) || y[i] >= static_cast<double>(inputs.n_classes) || y[i] != std::floor(y[i]))
      throw DataError("y must hold classes 0 .. n_classes - 1, got " + std::to_string(y[i]) + " at row " + std::to_string(i));
    class_of[i] = static_cast<int>(y[i]);
    if (!(inputs.upper[i] > 0) || !std::isfinite(inputs.upper[i]))
      throw DataError("upper must be finite and > 0, got " + std::to_string(inputs.upper[i]) + " at row " + std::to_string(i));
  }
  return class_of;
}

template <class T>
class OnlineTraining {
 public:
  OnlineTraining(const OnlineProblem& problem, const data::Summary& summary, const TrainParams& params,
                 const OnlineInputs& inputs, base::Context& context)
      : problem_(problem),
        params_(params),
        inputs_(inputs),
        context_(context),
        source_(kernel_matrix::make_kernel_rows<T>(summary, problem.kernel, *context.pool)),
        rows_(*source_, context),
        pairs_of_(static_cast<std::size_t>(problem.n_classes)),
        memberships_(static_cast<std::size_t>(problem.n), 0) {
    take_state();
  }

  OnlineResult run() {
    Progress progress;
    progress.phase = "solve";
    progress.total = problem_.n - inputs_.n_known;
    for (Index k = inputs_.n_known; k < problem_.n; ++k, ++progress.done) {
      context_.monitor->poll();
      const bool due = context_.monitor->due();
      if (due) progress.n_support = static_cast<Index>(beta_.size()) - std::count(beta_.begin(), beta_.end(), 0.0);
      if (due && context_.monitor->progress(progress, true)) {
        cancelled_ = true;
        break;
      }
      add(k);
      progress.n_iter = steps();
    }
    OnlineResult result{state(), model()};
    const Report& report = result.model.report();
    const Index total = progress.total;
    Progress last{"done", 0, total, total, report.n_iter, report.violation, report.objective, 0, report.n_support};
    if (!cancelled_) context_.monitor->progress(last, true);
    return result;
  }

 private:
  using Pair = online::OnlinePair<T>;

  void take_state() {
    const auto k = static_cast<int>(problem_.n_classes);
    const Index n = problem_.n, pairs = Index{k} * (k - 1) / 2, known = inputs_.n_known;
    base::check_tables(17.0 * static_cast<double>(pairs) * static_cast<double>(n), context_.cap_bytes,
                       "the coefficients of " + std::to_string(pairs) + " pairs of classes");
    beta_.assign(pairs * n, 0.0);
    gradient_.assign(pairs * n, 0.0);
    working_.assign(pairs * n, 0);
    pairs_.reserve(pairs);
    for (int a = 0; a < k; ++a) {
      for (int b = a + 1; b < k; ++b) {
        const Index pair = data::pair_index(a, b, k);
        for (Index i = 0; i < known; ++i)
          take_row(pair, i, problem_.class_of[i] == a ? 1.0 : problem_.class_of[i] == b ? -1.0 : 0.0);
        pairs_.emplace_back(a, b, online::Labelled{problem_.class_of, inputs_.upper}, rows_, params_.tol, beta_.data() + pair * n,
                            gradient_.data() + pair * n, working_.data() + pair * n);
        if (inputs_.gradient == nullptr && known > 0) pairs_.back().compute_gradient(context_.cap_bytes / 4, *context_.pool);
        pairs_of_[a].push_back(pairs_.size() - 1);
        pairs_of_[b].push_back(pairs_.size() - 1);
        for (const Index i : pairs_.back().members()) ++memberships_[i];
      }
    }
    of_class_.assign(static_cast<std::size_t>(k), 0);
    for (Index i = 0; i < known; ++i) {
      if (memberships_[i] > 0) enter(i);
    }
  }

  void take_row(Index pair, Index i, double label) {
    const Index from = pair * inputs_.n_known + i, to = pair * problem_.n + i;
    const double alpha = inputs_.alpha[from];
    if (!(alpha >= 0 && alpha <= inputs_.upper[i] * (1 + 1e-9)) || (label == 0 && alpha != 0)) {
      throw DataError("alpha[" + std::to_string(pair) + ", " + std::to_string(i) +
                      "] must be within [0, upper], and 0 for rows of other classes");
    }
    beta_[to] = label * std::min(alpha, inputs_.upper[i]);
    if (inputs_.gradient != nullptr) gradient_[to] = inputs_.gradient[from];
    working_[to] = label != 0 && (alpha > 0 || (inputs_.working != nullptr && inputs_.working[from] != 0)) ? 1 : 0;
  }

  void add(Index k) {
    rows_.next_row(k);
    for (const std::size_t p : pairs_of_[problem_.class_of[k]]) {
      pairs_[p].process(k);
      if (memberships_[k]++ == 0) enter(k);
      left_.clear();
      pairs_[p].reprocess(left_);
      for (const Index i : left_) leave(i);
    }
    while (inputs_.budget > 0 && n_working_ > inputs_.budget && forget()) continue;
  }

  void enter(Index i) {
    ++n_working_;
    ++of_class_[problem_.class_of[i]];
  }

  void leave(Index i) {
    if (--memberships_[i] > 0) return;
    --n_working_;
    --of_class_[problem_.class_of[i]];
  }

  /// Forgets the oldest row without alpha, or else the oldest row; the last row of a class stays. False when none can go.
  bool forget() {
    Index oldest = -1, useless = -1;
    for (Index i = 0; i < problem_.n && useless < 0; ++i) {
      if (memberships_[i] == 0 || of_class_[problem_.class_of[i]] == 1) continue;
      if (oldest < 0) oldest = i;
      const auto& pairs = pairs_of_[problem_.class_of[i]];
      if (std::all_of(pairs.begin(), pairs.end(), [&](std::size_t p) { return pairs_[p].beta(i) == 0.0; })) useless = i;
    }
    const Index r = useless >= 0 ? useless : oldest;
    if (r < 0) return false;
    for (const std::size_t p : pairs_of_[problem_.class_of[r]]) pairs_[p].forget(r);
    memberships_[r] = 1;
    leave(r);
    return true;
  }

  std::int64_t steps() const {
    std::int64_t sum = 0;
    for (const Pair& pair : pairs_) sum += pair.steps();
    return sum;
  }

  OnlineState state() const {
    std::vector<double> alpha(beta_.size());
    std::transform(beta_.begin(), beta_.end(), alpha.begin(), [](double b) { return std::abs(b); });
    return {std::move(alpha), gradient_, working_};
  }

  Model model();

  const OnlineProblem& problem_;
  const TrainParams& params_;
  const OnlineInputs& inputs_;
  base::Context& context_;
  std::unique_ptr<kernel_matrix::RowSource<T>> source_;
  online::OnlineRows<T> rows_;
  std::vector<double> beta_, gradient_;
  std::vector<std::uint8_t> working_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<std::size_t>> pairs_of_;  // by class
  std::vector<int> memberships_;                    // number of working sets that each row is in
  std::vector<Index> of_class_;                     // number of rows of each class in any working set
  Index n_working_ = 0;                             // rows in any working set
  std::vector<Index> left_;
  bool cancelled_ = false;
};

template <class T>
Model OnlineTraining<T>::model() {
  const Index n = problem_.n;
  std::vector<double> classes(static_cast<std::size_t>(problem_.n_classes)), coef((problem_.n_classes - 1) * n, 0.0), rho;
  for (std::size_t c = 0; c < classes.size(); ++c) classes[c] = static_cast<double>(c);
  Report report;
  report.tol = params_.tol;
  report.stop_reason = cancelled_ ? StopReason::cancelled : StopReason::one_pass;
  for (const Pair& pair : pairs_) {
    ProblemReport own{pair.objective(), pair.violation(), params_.tol, report.stop_reason, pair.steps()};
    for (const Index i : pair.members()) {
      if (pair.beta(i) == 0.0) continue;
      const int c = problem_.class_of[i];
      coef[data::coef_row(c, c == pair.first() ? pair.second() : pair.first()) * n + i] = pair.beta(i);
      ++own.n_support;
      own.n_bounded += std::abs(pair.beta(i)) >= pair.bound(i) ? 1 : 0;
    }
    rho.push_back(0.0 - pair.bias());
    report.objective += own.objective;
    report.violation = std::max(report.violation, own.violation);
    report.n_iter += own.n_iter;
    report.problems.push_back(own);
  }
  svm::ModelData data = svm::build_expansion({problem_.x, false, classes, problem_.class_of, coef}, std::move(rho));
  data.kernel = problem_.kernel;
  data.precision = problem_.precision;
  data.C = params_.C;
  report.n_support = static_cast<Index>(data.support.size());
  report.n_kernel_values = source_->n_values();
  report.solver = "online";
  report.solver_reason = "one pass of process and reprocess: violation and objective are of the working sets alone";
  report.precision = name_of(problem_.precision);
  report.gamma = problem_.kernel.gamma;
  report.isa = simd::active_isa();
  report.n_threads = context_.pool->size();
  report.seconds["total"] = base::seconds_since(context_.monitor->start());
  data.report = std::move(report);
  return Model(std::make_shared<const svm::ModelData>(std::move(data)));
}

}  // namespace

OnlineResult train_online(const DataView& x, const double* y, const TrainParams& params, const OnlineInputs& inputs,
                          const Hooks& hooks) {
  svm::check_params(params);
  if (params.kernel.type == KernelType::precomputed)
    throw ParameterError("kernel \"precomputed\" is not for online learning: kernel values of later rows are not known");
  const Index n = rows_of(x);
  if (inputs.n_classes < 2) throw ParameterError("n_classes must be at least 2, got " + std::to_string(inputs.n_classes));
  if (inputs.n_known < 0 || inputs.n_known > n || (inputs.n_known > 0 && inputs.alpha == nullptr))
    throw ParameterError("n_known must be between 0 and the rows of X, with their alpha");
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks);
  const data::Summary summary(x);
  summary.check(call.pool);
  OnlineProblem problem{x, n, inputs.n_classes, classes_of(y, inputs, n), {}, Precision::single_};
  problem.kernel = kernels::resolve_kernel(summary, params.kernel, params.gamma_rule, call.pool);
  problem.precision = kernels::choose_precision(summary, problem.kernel, params.precision, call.pool);
  if (problem.precision == Precision::double_)
    return OnlineTraining<double>(problem, summary, params, inputs, call.context).run();
  return OnlineTraining<float>(problem, summary, params, inputs, call.context).run();
}

}  // namespace dcsvm
