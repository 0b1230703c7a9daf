#include "least_squares/ls_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/vectors.hpp"

namespace dcsvm::least_squares {

double norm(const std::vector<double>& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

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

std::vector<double> LsState::computed_residual() {
  std::vector<double> r = z;
  if (!w_is_zero) add_product(result.w, -1.0, r);
  return r;
}

bool LsState::step_done(double relative_residual, bool of_all_rows) {
  result.residual = relative_residual;
  progress.done = progress.n_iter = ++result.n_iter;
  progress.violation = relative_residual;
  if (context.monitor != nullptr && context.monitor->progress(progress, true)) {
    result.stop_reason = StopReason::cancelled;
    return true;
  }
  if (of_all_rows && relative_residual < task.tol) {
    result.stop_reason = StopReason::converged;
    return true;
  }
  result.stop_reason = StopReason::max_iter;
  return result.n_iter >= task.n_iter;
}

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
            std::max(norm(z), std::numeric_limits<double>::min()),
            start.empty(),
            {},
            0,
            {}};
  s.progress.total = task.n_iter;
  s.result.w = std::move(start);
  if (s.w_is_zero) s.result.w.assign(z.size(), 0.0);
  switch (task.method) {
    case LsMethod::exact: cholesky ? ls_cholesky(s) : ls_conjugate_gradients(s); break;
    case LsMethod::nystrom: nystrom_committee(s); break;
    case LsMethod::kaczmarz: block_kaczmarz(s); break;
    case LsMethod::matching_pursuit: matching_pursuit(s); break;
    case LsMethod::kaczmarz_mp: kaczmarz_mp(s); break;
  }
  if (!base::all_finite(s.result.w)) kernel_overflow();
  s.result.peak_bytes = s.block.bytes() + s.matrix_bytes + sizeof(double) * (2 * z.size() + s.residual.size());
  if (task.method != LsMethod::exact) s.result.peak_bytes += sizeof(double) * z.size();  // a step
  s.result.residual_of = std::move(s.residual);
  return std::move(s.result);
}

}  // namespace dcsvm::least_squares
