#include "least_squares/ls_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/buffer.hpp"
#include "base/vectors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::least_squares {

double norm(const std::vector<double>& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

double scale_of_targets(const std::vector<double>& z, Index k) {
  constexpr double kSpreads = 10.0;
  const auto rows = static_cast<Index>(z.size()) / k;
  double squares = 0;
  for (Index c = 0; c < k; ++c) {
    const double* own = z.data() + c * rows;
    const double mean = std::accumulate(own, own + rows - 1, 0.0) / static_cast<double>(rows - 1);
    for (Index i = 0; i < rows - 1; ++i) squares += (own[i] - mean) * (own[i] - mean);
  }
  const double spread = std::sqrt(squares), whole = norm(z);
  return std::max(spread > 0 ? std::min(whole, kSpreads * spread) : whole, std::numeric_limits<double>::min());
}

bool by_cholesky(const LsTask& task, Index n) { return task.method == LsMethod::exact && n <= kCholeskyRows; }

double LsState::dot(const std::vector<double>& a, const std::vector<double>& b, Index c) const {
  return std::inner_product(a.begin() + c * rows(), a.begin() + (c + 1) * rows(), b.begin() + c * rows(), 0.0);
}

void LsState::add(std::vector<double>& to, const std::vector<double>& step, double length, Index c) const {
  for (Index i = c * rows(); i < (c + 1) * rows(); ++i) to[i] += length * step[i];
}

double LsState::best_length(const std::vector<double>& step, Index c) const {
  const double square = dot(step, step, c);
  return square > 0.0 ? dot(residual, step, c) / square : 0.0;
}

void LsState::load_next_block() {
  block.load(batches.next());
  block.multiply();
  if (block.factor(kBlockRidge)) ++result.n_regularised;
}

std::vector<double> LsState::expanded(const std::vector<double>& q) const {
  std::vector<double> out(z.size(), 0.0);
  block.expand(q.data(), k, 1.0, out.data());
  return out;
}

void LsState::add_product(const std::vector<double>& v, double sign, std::vector<double>& out) {
  for (Index first = 0; first < matrix.n(); first += task.block_size) {
    block.load(base::index_range(std::min(task.block_size, matrix.n() - first), first));
    std::vector<double> q = block.pick(v.data(), k);
    for (Index c = 0; first > 0 && c < k; ++c) q[(c + 1) * block.cols() - 1] = 0.0;  // the bias column counts once
    block.expand(q.data(), k, sign, out.data());
  }
}

void LsState::add_exact_product(const std::vector<double>& v, double sign, std::vector<double>& out) {
  constexpr Index kRows = 32, kPiece = 1024;  // of Theta at a time; a row's part at a time
  const Index n = matrix.n();
  const std::vector<Index> all = base::index_range(n);
  if (!exact_columns) exact_columns = matrix.exact_rows.columns(all.data(), n, kUnlimited, matrix.pool);
  std::vector<double> coef = v;
  for (double& c : coef) c *= sign;
  base::Buffer<double> block(kRows * n);
  for (Index first = 0; first < n; first += kRows) {
    matrix.pool.poll();
    const Index m = std::min(kRows, n - first);
    exact_columns->block(all.data() + first, m, block.data(), n, matrix.pool);
    matrix.pool.for_range(n, kPiece, [&](Index begin, Index end, int) {
      const double* at[kRows];
      for (Index r = 0; r < m; ++r) at[r] = block.data() + r * n + begin;
      for (Index c = 0; c < k; ++c)
        simd::ops<double>().accumulate(coef.data() + c * rows() + first, at, m, 0, end - begin, out.data() + c * rows() + begin);
    });
  }
  for (Index c = 0; c < k; ++c) {
    const double* from = coef.data() + c * rows();
    double* to = out.data() + c * rows();
    for (Index i = 0; i < n; ++i) {
      to[i] += from[i] / matrix.gamma + from[n];
      to[n] += from[i];
    }
  }
}

void LsState::compute_residual() {
  if (residual_is_exact) return;
  residual = z;
  if (!w_is_zero) add_exact_product(result.w, -1.0, residual);
  residual_is_exact = true;
}

bool LsState::step_done(double relative_residual, bool of_all_rows, bool exact) {
  w_is_zero = false;
  residual_is_exact = exact;
  result.residual = relative_residual;
  progress.done = progress.n_iter = ++result.n_iter;
  progress.violation = relative_residual;
  if (context.monitor != nullptr && context.monitor->progress(progress, true)) {
    result.stop_reason = StopReason::cancelled;
    return true;
  }
  if (of_all_rows && relative_residual < target) {
    result.stop_reason = StopReason::converged;
    return true;
  }
  result.stop_reason = StopReason::max_iter;
  return result.n_iter >= task.n_iter;
}

namespace {

void run_method(LsState& s, bool cholesky) {
  switch (s.task.method) {
    case LsMethod::exact: cholesky ? ls_cholesky(s) : ls_conjugate_gradients(s); break;
    case LsMethod::nystrom: nystrom_committee(s); break;
    case LsMethod::kaczmarz: block_kaczmarz(s); break;
    case LsMethod::matching_pursuit: matching_pursuit(s); break;
    case LsMethod::kaczmarz_mp: kaczmarz_mp(s); break;
  }
}

/// What rounding in single precision has left of the residual is solved for again (iterative refinement), while that halves it.
void run_until_true(LsState& s, bool cholesky) {
  for (double last = std::numeric_limits<double>::infinity();;) {
    run_method(s, cholesky);
    StopReason& reason = s.result.stop_reason;
    if (s.task.method == LsMethod::nystrom || reason == StopReason::cancelled) return;
    if (reason == StopReason::max_iter && s.task.method != LsMethod::kaczmarz) return;  // the others know theirs up to rounding
    s.compute_residual();
    s.result.residual = s.relative(s.residual);
    if (!s.result.residuals.empty()) s.result.residuals.back() = s.result.residual;
    if (s.result.residual < s.task.tol) {
      reason = StopReason::converged;
      return;
    }
    if (reason == StopReason::max_iter) return;
    const bool stuck = reason == StopReason::stagnated || s.result.residual > 0.5 * last;
    reason = StopReason::stagnated;
    if (stuck && (s.task.method != LsMethod::exact || cholesky || s.in_double)) return;
    if (s.result.n_iter >= s.task.n_iter) {
      reason = StopReason::max_iter;
      return;
    }
    if (stuck) s.in_double = true;
    last = s.result.residual;
    s.target *= 0.5;
  }
}

}  // namespace

LsResult solve_ls(const LsMatrix& matrix, const std::vector<double>& z, Index k, const LsTask& task, std::vector<double> start,
                  base::Context& context, const Progress& progress) {
  const bool cholesky = by_cholesky(task, matrix.n());
  LsState s{matrix,
            z,
            k,
            task,
            context,
            progress,
            LsBlock(matrix, cholesky ? 0 : task.block_size),
            RandomBlocks(matrix.n(), task.block_size, context.seed),
            scale_of_targets(z, k),
            start.empty(),
            task.tol};
  s.progress.total = task.n_iter;
  s.result.w = std::move(start);
  if (s.w_is_zero) s.result.w.assign(z.size(), 0.0);
  run_until_true(s, cholesky);
  if (task.method == LsMethod::kaczmarz && !s.residual_is_exact) s.residual.clear();  // of earlier weights
  if (!base::all_finite(s.result.w)) kernel_overflow();
  s.result.peak_bytes = s.block.bytes() + s.matrix_bytes + sizeof(double) * (2 * z.size() + s.residual.size());
  if (s.exact_columns) s.result.peak_bytes += s.exact_columns->bytes();
  if (task.method != LsMethod::exact) s.result.peak_bytes += sizeof(double) * z.size();  // a step
  s.result.residual_of = std::move(s.residual);
  return std::move(s.result);
}

}  // namespace dcsvm::least_squares
