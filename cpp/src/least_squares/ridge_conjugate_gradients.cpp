// Kernel ridge regression by conjugate gradients, with a Nystrom approximation of K as the preconditioner.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include "base/buffer.hpp"
#include "base/random.hpp"
#include "base/vectors.hpp"
#include "kernels/cholesky.hpp"
#include "least_squares/ridge.hpp"
#include "optimise/conjugate_gradients.hpp"

namespace dcsvm::least_squares {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstVector = Eigen::Map<const Vector>;

constexpr Index kSample = 500;      // rows of the preconditioner
constexpr Index kLeastRows = 2000;  // below, the preconditioner is the diagonal
constexpr Index kParts = 16;        // of the preconditioner's sums, whatever the number of threads

/// (U'U + Lambda)^-1 for U'U = K_ns K_ss^-1 K_sn of a sample s: by Woodbury's identity two products with U, given the factor of
/// I + U Lambda^-1 U'.
class Preconditioner {
 public:
  template <class T>
  explicit Preconditioner(const RidgeState<T>& s) : lambda_(s.task.lambda, s.n()) {
    if (s.n() < kLeastRows) return;
    base::Random random(s.context.seed);
    const std::vector<Index> sample = base::sample(base::index_range(s.n()), kSample, random);
    const Index n = s.n(), m = static_cast<Index>(sample.size());
    base::Buffer<T> rows(m * n);
    s.columns.block(sample.data(), m, rows.data(), n, *s.context.pool);
    Matrix k_ss(m, m);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) k_ss(i, j) = rows[i * n + sample[j]];
    }
    k_ss.diagonal().array() += 1e-6 * k_ss.trace() / static_cast<double>(m);  // above the rounding of float values
    if (!kernels::cholesky(k_ss.data(), m, *s.context.pool)) return;  // kernels that are not definite: the diagonal alone
    u_.resize(m, n);
    const Index part_size = (n + kParts - 1) / kParts;
    std::vector<Matrix> parts(kParts);
    s.context.pool->for_range(n, part_size, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) {
        for (Index i = 0; i < m; ++i) u_(i, j) = rows[i * n + j];
      }
      auto part = u_.middleCols(begin, end - begin);
      k_ss.triangularView<Eigen::Lower>().solveInPlace(part);
      const Matrix scaled = part * lambda_.segment(begin, end - begin).cwiseInverse().asDiagonal();
      parts[begin / part_size].noalias() = scaled * part.transpose();
    });
    Matrix inner = Matrix::Identity(m, m);
    for (const Matrix& p : parts) {
      if (p.size() > 0) inner += p;
    }
    inner_.compute(inner);
    s.solution.peak_bytes += static_cast<std::size_t>(m * n) * (sizeof(double) + sizeof(T));
  }

  Vector operator()(const Vector& v) const {
    Vector out = v.cwiseQuotient(lambda_);
    if (u_.size() == 0) return out;
    const Vector inner = inner_.solve(u_ * out);
    return out - (u_.transpose() * inner).cwiseQuotient(lambda_);
  }

 private:
  ConstVector lambda_;
  Matrix u_;
  Eigen::LLT<Matrix> inner_;
};

struct OfEigen {
  Index size;
  static double dot(const Vector& a, const Vector& b) { return a.dot(b); }
  template <class Fn>
  void each(const Fn& fn) const {
    for (Index j = 0; j < size; ++j) fn(j);
  }
};

template <class T>
Vector solve(const RidgeState<T>& s, const Preconditioner& precondition, Vector r) {
  const OfEigen sums{s.n()};
  optimise::ConjugateGradients<Vector> cg;
  cg.begin(std::move(r), sums);
  Progress progress;
  progress.phase = "solve";
  for (;; ++s.solution.n_iter) {
    progress.n_iter = s.solution.n_iter;
    progress.violation = cg.residual.norm();
    if (progress.violation <= s.enough) break;
    if (s.solution.n_iter >= s.task.max_iter) {
      s.solution.stop_reason = StopReason::max_iter;
      break;
    }
    if (s.context.monitor != nullptr && s.context.monitor->progress(progress)) {
      s.solution.stop_reason = StopReason::cancelled;
      break;
    }
    cg.preconditioned = precondition(cg.residual);
    cg.turn(sums);
    cg.image = s.product(cg.direction);
    if (!(cg.advance(sums) > 0)) throw RidgeNotDefinite();
  }
  return cg.solution;
}

}  // namespace

template <class T>
RidgeSolve ridge_conjugate_gradients(const RidgeState<T>& s) {
  const auto precondition = std::make_shared<const Preconditioner>(s);
  return [&s, precondition](Vector r) { return solve(s, *precondition, std::move(r)); };
}

template RidgeSolve ridge_conjugate_gradients<float>(const RidgeState<float>&);
template RidgeSolve ridge_conjugate_gradients<double>(const RidgeState<double>&);

}  // namespace dcsvm::least_squares
