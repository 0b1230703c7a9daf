#include "least_squares/ls_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/cholesky.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/product.hpp"
#include "least_squares/random_blocks.hpp"

namespace dcsvm::least_squares {

double norm(const std::vector<double>& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

namespace {

/// Diagonal added to scaled products per sqrt(J): one rounding; at most that of a sum of kGramDepth values.
constexpr double kRidge = std::numeric_limits<float>::epsilon(), kLargestRidge = 40 * kRidge;
constexpr double kRefined = 0.1;
constexpr Index kRowsAtOnce = 512;  // of the matrix for Cholesky: prepared rows cost memory

class LsSolver {
 public:
  LsSolver(const LsMatrix& matrix, const std::vector<double>& z, Index k, const LsTask& task, std::vector<double> start,
           base::Context& context, const Progress& progress)
      : matrix_(matrix),
        z_(z),
        k_(k),
        task_(task),
        context_(context),
        progress_(progress),
        block_(matrix, by_cholesky(task, matrix.n()) ? 0 : task.block_size) {
    started_ = !start.empty();
    result_.w = std::move(start);
    if (!started_) result_.w.assign(z.size(), 0.0);
    scale_ = std::max(norm(z), std::numeric_limits<double>::min());
    progress_.total = task.n_iter;
  }

  LsResult run() {
    switch (task_.method) {
      case LsMethod::exact: by_cholesky(task_, matrix_.n()) ? cholesky() : conjugate_gradients(); break;
      case LsMethod::nystrom: committee(); break;
      default: iterate();
    }
    if (!std::all_of(result_.w.begin(), result_.w.end(), [](double v) { return std::isfinite(v); }))
      throw DataError("X: kernel values overflow (infinity or NaN); scale the features or choose another kernel");
    result_.peak_bytes = block_.bytes() + exact_bytes_ + 8 * (result_.w.size() + z_.size() + residual_.size() + step_.size());
    result_.residual_of = std::move(residual_);
    return std::move(result_);
  }

 private:
  /// out += sign Theta v: N x N kernel values, by blocks.
  void add_product(const std::vector<double>& v, double sign, std::vector<double>& out) {
    const Index n = matrix_.n();
    for (Index first = 0; first < n; first += task_.block_size) {
      std::vector<Index> idx(std::min(task_.block_size, n - first));
      std::iota(idx.begin(), idx.end(), first);
      block_.load(std::move(idx));
      std::vector<double> q = block_.pick(v.data(), k_);
      if (first > 0) {
        for (Index c = 0; c < k_; ++c) q[(c + 1) * block_.cols() - 1] = 0.0;  // the bias column counts once
      }
      block_.expand(q.data(), k_, sign, out.data());
    }
  }

  void form_residual() {
    residual_ = z_;
    if (started_) add_product(result_.w, -1.0, residual_);
  }

  /// Notes a residual and asks the host; true: stop. `known`: it is that of all rows.
  bool step_done(double residual, bool known = true) {
    result_.residual = residual;
    ++result_.n_iter;
    progress_.done = result_.n_iter;
    progress_.n_iter = result_.n_iter;
    progress_.violation = residual;
    if (context_.monitor != nullptr && context_.monitor->progress(progress_, true)) {
      result_.stop_reason = StopReason::cancelled;
      return true;
    }
    if (known && residual < task_.tol) {
      result_.stop_reason = StopReason::converged;
      return true;
    }
    result_.stop_reason = StopReason::max_iter;
    return result_.n_iter >= task_.n_iter;
  }

  /// The next block, factored.
  void load(std::vector<Index> idx) {
    block_.load(std::move(idx));
    block_.multiply();
    if (block_.factor(kRidge)) ++result_.n_regularised;
  }

  /// v += length d for a class, with d = step_: full length 1 in exact arithmetic.
  void go(std::vector<double>& v, Index c, double length) {
    const Index rows = matrix_.n() + 1;
    for (Index i = c * rows; i < (c + 1) * rows; ++i) v[i] += length * step_[i];
  }

  /// <a, step_> of a class.
  double along(const std::vector<double>& a, Index c) const {
    const Index rows = matrix_.n() + 1;
    return std::inner_product(a.begin() + c * rows, a.begin() + (c + 1) * rows, step_.begin() + c * rows, 0.0);
  }

  /// How far along step_ a class's residual is lowest.
  double best_length(Index c) const {
    const double square = along(step_, c);
    return square > 0.0 ? along(residual_, c) / square : 0.0;
  }

  /// Eq. (39), (47): W += Theta_s' (Theta_s Theta_s')^-1 (Z_s - Theta_s W), or less where less brings W nearest to the solution:
  /// of rounded products the inverse is rough, and a full step may lead away. (More, for what the ridge held back, would
  /// overshoot where it held back nothing.) Returns |Z_s - Theta_s W|, before.
  double kaczmarz() {
    const Index size = block_.cols();
    std::vector<double> q(k_ * size), target = block_.pick(z_.data(), k_);
    block_.project(result_.w.data(), k_, q.data());  // Theta is symmetric: its rows are its columns
    for (std::size_t i = 0; i < q.size(); ++i) target[i] -= q[i];
    const double before = norm(target);
    q = target;
    block_.solve(q.data(), k_);
    step_.assign(result_.w.size(), 0.0);
    block_.expand(q.data(), k_, 1.0, step_.data());
    for (Index c = 0; c < k_; ++c) {
      // <step, W* - W> = <q, Theta_s (W* - W)> = <q, Z_s - Theta_s W>
      const double gain = std::inner_product(q.begin() + c * size, q.begin() + (c + 1) * size, target.begin() + c * size, 0.0);
      const double square = along(step_, c);
      if (square > 0.0) go(result_.w, c, std::min(1.0, gain / square));
    }
    return before;
  }

  /// Eq. (57)-(59), each class as far as lowers its residual most (as above). Returns |R| / |Z|, after.
  double matching_pursuit() {
    const Index n = matrix_.n(), size = block_.cols();
    std::vector<double> q(k_ * size);
    block_.project(residual_.data(), k_, q.data());
    block_.solve(q.data(), k_);
    step_.assign(residual_.size(), 0.0);
    block_.expand(q.data(), k_, 1.0, step_.data());
    for (Index c = 0; c < k_; ++c) {
      const double length = best_length(c);
      double* w = result_.w.data() + c * (n + 1);
      for (Index i = 0; i + 1 < size; ++i) w[block_.idx()[i]] += length * q[c * size + i];
      w[n] += length * q[c * size + size - 1];
      go(residual_, c, -length);
    }
    return norm(residual_) / scale_;
  }

  /// The Kaczmarz step's direction, class by class as long as lowers the residual most. (At full length it lowers the distance to
  /// the solution instead, and taking turns with matching pursuit the two undo each other's work and diverge.)
  void searched_kaczmarz() {
    std::vector<double> q = block_.pick(residual_.data(), k_), direction(result_.w.size(), 0.0);
    block_.solve(q.data(), k_);
    block_.expand(q.data(), k_, 1.0, direction.data());
    std::vector<Index> idx = block_.idx();
    step_.assign(direction.size(), 0.0);
    add_product(direction, 1.0, step_);
    block_.load(std::move(idx));
    const Index rows = matrix_.n() + 1;
    for (Index c = 0; c < k_; ++c) {
      const double length = best_length(c);
      for (Index i = c * rows; i < (c + 1) * rows; ++i) result_.w[i] += length * direction[i];
      go(residual_, c, -length);
    }
  }

  void iterate() {
    if (task_.method == LsMethod::kaczmarz) return project_rows();
    form_residual();
    if (norm(residual_) / scale_ < task_.tol) {
      result_.residual = norm(residual_) / scale_;
      return;
    }
    RandomBlocks blocks(matrix_.n(), task_.block_size, context_.seed);
    for (bool stop = false; !stop;) {
      load(blocks.next());
      if (task_.method == LsMethod::kaczmarz_mp) searched_kaczmarz();
      result_.residuals.push_back(matching_pursuit());
      stop = step_done(result_.residuals.back());
    }
  }

  /// Kaczmarz's method. What a pass over the blocks saw estimates the residual; below tol the residual itself is computed, once a
  /// pass, and decides.
  void project_rows() {
    RandomBlocks blocks(matrix_.n(), task_.block_size, context_.seed);
    const auto pass = static_cast<std::size_t>(matrix_.n() / task_.block_size);
    std::vector<double> squares;  // of the steps
    std::size_t look = pass;
    for (bool stop = false; !stop;) {
      load(blocks.next());
      squares.push_back(std::pow(kaczmarz(), 2));
      const std::size_t t = squares.size(), last = std::min(t, pass);
      const double share = static_cast<double>(last) / static_cast<double>(pass);
      const double sum = std::accumulate(squares.end() - static_cast<std::ptrdiff_t>(last), squares.end(), 0.0);
      double residual = std::sqrt(sum / share) / scale_;
      const bool known = residual < task_.tol && (t >= look || static_cast<Index>(t) >= task_.n_iter);
      if (known) {
        look = t + pass;
        started_ = true;
        form_residual();
        residual = norm(residual_) / scale_;
        residual_.clear();
      }
      result_.residuals.push_back(residual);
      stop = step_done(residual, known);
    }
  }

  /// q = (Theta_s' Theta_s)^-1 q: what the ridge held back is asked for again, twice, with products in double. Returns what is
  /// left before the last time, relative.
  double solve_refined(std::vector<double>& q) {
    const std::vector<double> wanted = q;
    std::vector<double> rest(q.size());
    block_.solve(q.data(), k_);
    double left = 0.0;
    for (int round = 0; round < 2; ++round) {
      step_.assign(z_.size(), 0.0);
      block_.expand(q.data(), k_, 1.0, step_.data());
      block_.project(step_.data(), k_, rest.data());
      for (std::size_t i = 0; i < q.size(); ++i) rest[i] = wanted[i] - rest[i];
      left = norm(rest) / std::max(norm(wanted), std::numeric_limits<double>::min());
      block_.solve(rest.data(), k_);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += rest[i];
    }
    return left;
  }

  /// Eq. (26)-(28), the mean of the W(t): their sum divided by T.
  void committee() {
    RandomBlocks blocks(matrix_.n(), task_.block_size, context_.seed);
    std::vector<double> sum(z_.size(), 0.0);
    bool stop = false;
    while (!stop) {
      const Index regularised = result_.n_regularised + 1;
      load(blocks.next());
      std::vector<double> projected(k_ * block_.cols());
      block_.project(z_.data(), k_, projected.data());
      std::vector<double> q;
      // Two inverses and no search along them: where rounding outweighs the ridge, refinement does not converge.
      for (double ridge = kRidge;;) {
        q = projected;
        double left = solve_refined(q);
        block_.multiply_inner(q.data(), k_);
        left = std::max(left, solve_refined(q));
        if (left < kRefined || ridge >= kLargestRidge) break;
        block_.factor(ridge *= 8);
        result_.n_regularised = regularised;
      }
      block_.expand(q.data(), k_, 1.0, sum.data());
      stop = step_done(std::numeric_limits<double>::infinity(), false);
    }
    for (std::size_t i = 0; i < sum.size(); ++i) result_.w[i] = sum[i] / static_cast<double>(result_.n_iter);
    if (result_.stop_reason == StopReason::max_iter) result_.stop_reason = StopReason::converged;  // all T members
  }

  /// a and b from H = Omega + I / gamma: H eta = u, H nu = Y, b = u'nu / u'eta, a = nu - eta b.
  void combine(const std::vector<double>& eta, const std::vector<double>& nu) {
    const Index n = matrix_.n();
    const double total = std::accumulate(eta.begin(), eta.begin() + n, 0.0);
    for (Index c = 0; c < k_; ++c) {
      const double* own = nu.data() + c * n;
      const double b = std::accumulate(own, own + n, 0.0) / total;
      double* w = result_.w.data() + c * (n + 1);
      for (Index i = 0; i < n; ++i) w[i] = own[i] - eta[i] * b;
      w[n] = b;
    }
  }

  /// In double from the kernel values on: 1 / gamma may be less than the rounding of values in float.
  void cholesky() {
    const Index n = matrix_.n();
    base::Buffer<double> h(n * n);
    exact_bytes_ = h.bytes();
    std::vector<Index> all(n);
    std::iota(all.begin(), all.end(), Index{0});
    const auto columns = matrix_.exact_rows->columns(all.data(), n, std::numeric_limits<std::size_t>::max() / 2, matrix_.pool);
    exact_bytes_ += columns->bytes();
    for (Index first = 0; first < n; first += kRowsAtOnce)
      columns->block(all.data() + first, std::min(kRowsAtOnce, n - first), h.data() + first * n, n, matrix_.pool);
    std::vector<double> diagonal(n);
    for (Index i = 0; i < n; ++i) diagonal[i] = h[i * n + i] += 1.0 / matrix_.gamma;
    if (!base::cholesky(h.data(), n, matrix_.pool)) {
      throw DataError("the kernel matrix plus 1 / gamma_ls is not positive definite: lower gamma_ls or choose another kernel");
    }
    std::vector<double> eta(n, 1.0), nu;
    for (Index c = 0; c < k_; ++c) nu.insert(nu.end(), z_.begin() + c * (n + 1), z_.begin() + (c + 1) * (n + 1) - 1);
    const auto poll = [this] { matrix_.pool.poll(); };
    for (auto* x : {&eta, &nu}) {
      const Index m = x == &eta ? 1 : k_;
      base::solve_lower(h.data(), n, x->data(), m, poll);
      base::solve_lower_transposed(h.data(), n, x->data(), m, poll);
    }
    combine(eta, nu);
    residual_ = z_;
    subtract_upper(h.data(), diagonal);
    result_.residuals.push_back(norm(residual_) / scale_);
    step_done(result_.residuals.back());  // there is no further step, nor anything to cancel
    result_.stop_reason = result_.residual < task_.tol ? StopReason::converged : StopReason::stagnated;
  }

  /// residual_ -= Theta W, from the strict upper triangle that the factor leaves as it was.
  void subtract_upper(const double* h, const std::vector<double>& diagonal) {
    const Index n = matrix_.n();
    for (Index c = 0; c < k_; ++c) {
      const double* w = result_.w.data() + c * (n + 1);
      double* r = residual_.data() + c * (n + 1);
      for (Index j = 0; j < n; ++j) {
        double sum = 0.0;
        for (Index i = 0; i < j; ++i) {
          sum += h[j * n + i] * w[i];
          r[i] -= h[j * n + i] * w[j];
        }
        r[j] -= sum + diagonal[j] * w[j] + w[n];
        r[n] -= w[j];
      }
    }
  }

  void conjugate_gradients();

  const LsMatrix& matrix_;
  const std::vector<double>& z_;
  Index k_;
  const LsTask& task_;
  base::Context& context_;
  Progress progress_;
  LsBlock block_;
  bool started_ = false;
  double scale_ = 1.0;
  std::vector<double> residual_, step_;
  std::size_t exact_bytes_ = 0;
  LsResult result_;
};

/// On the null space of the bias constraint: with P v = v - mean(v), P H P a = P Y has the a of Eq. (16), whose sum is 0, and
/// b = mean(Y - H a). One product with Theta serves all classes.
void LsSolver::conjugate_gradients() {
  const Index n = matrix_.n();
  const auto centre = [&](std::vector<double>& v) {
    for (Index c = 0; c < k_; ++c) {
      double* own = v.data() + c * (n + 1);
      const double mean = std::accumulate(own, own + n, 0.0) / static_cast<double>(n);
      for (Index i = 0; i < n; ++i) own[i] -= mean;
      own[n] = 0.0;
    }
  };
  const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b, Index c) {
    return std::inner_product(a.begin() + c * (n + 1), a.begin() + (c + 1) * (n + 1), b.begin() + c * (n + 1), 0.0);
  };
  std::vector<double>& a = result_.w;
  centre(a);
  std::vector<double> r = z_;
  if (started_) add_product(a, -1.0, r);
  centre(r);
  std::vector<double> p = r, hp(r.size());
  result_.residual = norm(r) / scale_;
  for (bool stop = result_.residual < task_.tol; !stop;) {
    std::fill(hp.begin(), hp.end(), 0.0);
    add_product(p, 1.0, hp);
    centre(hp);
    for (Index c = 0; c < k_; ++c) {
      const double rr = dot(r, r, c), curvature = dot(p, hp, c);
      if (rr == 0.0) continue;
      if (!(curvature > 0.0)) {
        throw DataError("the kernel matrix plus 1 / gamma_ls is not positive definite: lower gamma_ls or choose another kernel");
      }
      const double alpha = rr / curvature;
      for (Index i = c * (n + 1); i < (c + 1) * (n + 1); ++i) {
        a[i] += alpha * p[i];
        r[i] -= alpha * hp[i];
      }
      const double beta = dot(r, r, c) / rr;
      for (Index i = c * (n + 1); i < (c + 1) * (n + 1); ++i) p[i] = r[i] + beta * p[i];
    }
    result_.residuals.push_back(norm(r) / scale_);
    stop = step_done(result_.residuals.back());
  }
  r = z_;
  add_product(a, -1.0, r);  // a's bias entries are 0
  for (Index c = 0; c < k_; ++c) {
    double sum = 0.0;
    for (Index i = c * (n + 1); i < (c + 1) * (n + 1) - 1; ++i) sum += r[i];
    a[(c + 1) * (n + 1) - 1] = sum / static_cast<double>(n);
  }
  centre(r);
  residual_ = std::move(r);
}

}  // namespace

bool by_cholesky(const LsTask& task, Index n) { return task.method == LsMethod::exact && n <= kCholeskyRows; }

LsResult solve_ls(const LsMatrix& matrix, const std::vector<double>& z, Index k, const LsTask& task, std::vector<double> start,
                  base::Context& context, Progress progress) {
  return LsSolver(matrix, z, k, task, std::move(start), context, progress).run();
}

}  // namespace dcsvm::least_squares
