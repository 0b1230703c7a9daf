#include "least_squares/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include <Eigen/Dense>

#include "base/buffer.hpp"
#include "base/cholesky.hpp"
#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::least_squares {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstVector = Eigen::Map<const Vector>;

constexpr Index kCholeskyRows = 6000;  // beyond, conjugate gradients take less time
constexpr Index kBlock = 256;          // rows of K at a time
constexpr Index kSample = 500;         // of the preconditioner
constexpr Index kLeastRows = 2000;     // below, the preconditioner is the diagonal
constexpr Index kPieces = 16;          // of the preconditioner's sums, whatever the number of threads

[[noreturn]] void not_definite() {
  throw DataError("the kernel matrix plus alpha is not positive definite: the kernel is not, or alpha is below its rounding");
}

template <class T>
class Ridge {
 public:
  Ridge(const kernel_matrix::RowSource<T>& k, const RidgeTask& task, base::Context& context)
      : k_(&k),
        task_(task),
        context_(context),
        n_(k.size()),
        y_(task.targets, n_),
        lambda_(task.lambda, n_),
        all_(static_cast<std::size_t>(n_)) {
    std::iota(all_.begin(), all_.end(), Index{0});
  }

  RidgeSolution run() {
    const double whole = static_cast<double>(n_) * static_cast<double>(n_), cap = static_cast<double>(context_.cap_bytes);
    const bool fits = whole * sizeof(double) <= cap / 2;
    solution_.used = task_.solver;
    if (task_.solver == RidgeSolver::automatic)
      solution_.used = fits && n_ <= kCholeskyRows ? RidgeSolver::cholesky : RidgeSolver::cg;
    if (solution_.used == RidgeSolver::cholesky && !fits) {
      throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(whole * 16 / 1048576) + 1) +
                     " MB for solver \"cholesky\" over " + std::to_string(n_) + " rows");
    }
    if (solution_.used == RidgeSolver::cg && whole * sizeof(T) <= cap / 2) {
      stored_ = kernel_matrix::make_stored_rows(*k_, *context_.pool);
      k_ = stored_.get();
      solution_.peak_bytes += static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_) * sizeof(T);
    }
    columns_ = k_->columns(all_.data(), n_, context_.cap_bytes / 4, *context_.pool);
    const Vector alpha = solution_.used == RidgeSolver::cholesky ? factorise() : descend();
    const Vector residual = y_ - product(alpha);
    solution_.alpha.assign(alpha.data(), alpha.data() + n_);
    solution_.residual.assign(residual.data(), residual.data() + n_);
    return std::move(solution_);
  }

 private:
  Vector product(const Vector& v) const {
    Vector out = lambda_.cwiseProduct(v);
    for (Index i = 0; i < n_; i += kBlock) {  // polled in between
      context_.pool->poll();
      columns_->multiply(all_.data() + i, v.data() + i, std::min(kBlock, n_ - i), out.data(), *context_.pool);
    }
    return out;
  }

  Vector factorise() {
    base::Buffer<double> a(n_ * n_);
    base::Buffer<T> block(kBlock * n_);
    solution_.peak_bytes +=
        static_cast<std::size_t>(n_ * n_) * sizeof(double) + static_cast<std::size_t>(kBlock * n_) * sizeof(T);
    for (Index i = 0; i < n_; i += kBlock) {
      context_.pool->poll();
      const Index m = std::min(kBlock, n_ - i);
      columns_->block(all_.data() + i, m, block.data(), n_, *context_.pool);
      context_.pool->for_range(m, 16, [&](Index begin, Index end, int) {
        for (Index r = begin; r < end; ++r) {
          std::copy_n(block.data() + r * n_, n_, a.data() + (i + r) * n_);
          a[(i + r) * n_ + i + r] += lambda_[i + r];
        }
      });
    }
    if (!base::cholesky(a.data(), n_, *context_.pool)) not_definite();
    Vector x = y_;
    const auto between = [&] { context_.pool->poll(); };
    base::solve_lower(a.data(), n_, x.data(), 1, between);
    base::solve_lower_transposed(a.data(), n_, x.data(), 1, between);
    return x;
  }

  /// U with U'U = K_ns K_ss^-1 K_sn for a sample s, and the factor of I + U Lambda^-1 U': by Woodbury's identity the inverse of
  /// U'U + Lambda costs two products with U.
  void prepare() {
    if (n_ < kLeastRows) return;
    base::Random random(context_.seed);
    const std::vector<Index> sample = base::sample(all_, kSample, random);
    const Index m = static_cast<Index>(sample.size());
    base::Buffer<T> rows(m * n_);
    columns_->block(sample.data(), m, rows.data(), n_, *context_.pool);
    Matrix corner(m, m);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) corner(i, j) = rows[i * n_ + sample[j]];
    }
    corner.diagonal().array() += 1e-6 * corner.trace() / static_cast<double>(m);  // above the rounding of float values
    if (!base::cholesky(corner.data(), m, *context_.pool)) return;  // kernels that are not definite: the diagonal alone
    u_.resize(m, n_);
    const Index piece = (n_ + kPieces - 1) / kPieces;
    std::vector<Matrix> parts(kPieces);
    context_.pool->for_range(n_, piece, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) {
        for (Index i = 0; i < m; ++i) u_(i, j) = rows[i * n_ + j];
      }
      auto part = u_.middleCols(begin, end - begin);
      corner.triangularView<Eigen::Lower>().solveInPlace(part);
      const Matrix scaled = part * lambda_.segment(begin, end - begin).cwiseInverse().asDiagonal();
      parts[begin / piece].noalias() = scaled * part.transpose();
    });
    Matrix inner = Matrix::Identity(m, m);
    for (const Matrix& p : parts) {
      if (p.size() > 0) inner += p;
    }
    inner_.compute(inner);
    solution_.peak_bytes += static_cast<std::size_t>(m * n_) * (sizeof(double) + sizeof(T));
  }
  Vector precondition(const Vector& v) const {
    Vector out = v.cwiseQuotient(lambda_);
    if (u_.size() == 0) return out;
    const Vector inner = inner_.solve(u_ * out);
    return out - (u_.transpose() * inner).cwiseQuotient(lambda_);
  }

  Vector descend() {
    prepare();
    Vector x = Vector::Zero(n_), r = y_, z = precondition(r), p = z;
    double rz = r.dot(z);
    const double enough = task_.tol * y_.norm();
    Progress progress;
    progress.phase = "solve";
    solution_.stop_reason = StopReason::max_iter;
    for (Index step = 0; step <= task_.max_iter; ++step) {
      progress.n_iter = solution_.n_iter = step;
      progress.violation = r.norm();
      if (r.norm() <= enough) {
        solution_.stop_reason = StopReason::converged;
        break;
      }
      if (step == task_.max_iter) break;
      if (context_.monitor != nullptr && context_.monitor->progress(progress)) {
        solution_.stop_reason = StopReason::cancelled;
        break;
      }
      const Vector q = product(p);
      const double curvature = p.dot(q);
      if (!(curvature > 0)) not_definite();
      x += rz / curvature * p;
      r -= rz / curvature * q;
      z = precondition(r);
      const double next = r.dot(z);
      p = z + next / rz * p;
      rz = next;
    }
    return x;
  }

  const kernel_matrix::RowSource<T>* k_;
  const RidgeTask& task_;
  base::Context& context_;
  Index n_;
  ConstVector y_, lambda_;
  std::vector<Index> all_;
  std::unique_ptr<kernel_matrix::RowSource<T>> stored_;
  std::unique_ptr<kernel_matrix::Columns<T>> columns_;
  Matrix u_;
  Eigen::LLT<Matrix> inner_;
  RidgeSolution solution_;
};

}  // namespace

template <class T>
RidgeSolution solve_ridge(const kernel_matrix::RowSource<T>& k, const RidgeTask& task, base::Context& context) {
  return Ridge<T>(k, task, context).run();
}

template RidgeSolution solve_ridge<float>(const kernel_matrix::RowSource<float>&, const RidgeTask&, base::Context&);
template RidgeSolution solve_ridge<double>(const kernel_matrix::RowSource<double>&, const RidgeTask&, base::Context&);

}  // namespace dcsvm::least_squares
