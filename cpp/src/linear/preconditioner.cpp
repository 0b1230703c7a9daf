#include "linear/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cholesky.hpp"
#include "kernels/product.hpp"

namespace dcsvm::linear {

namespace {

constexpr Index kMostColumns = 1500;
constexpr double kLag = 0.2;      // change of a row's curvature below which it stays
constexpr double kRebuild = 0.6;  // share of the rows from which all are summed anew
constexpr double kTileGain = 50.0;  // of the tiles over sums for each pair of a row's values
constexpr double kRowsOfColumn = 3;  // sampled rows for each column
constexpr double kSampleCost = 10;   // products with X that may be spent on more
// Nanoseconds, about, to choose between a factor and more products: a term of X'DX on the tiles and in sums of pairs, d^3 of a
// factor, and what a product with X' D X that several problems share costs one of them for each stored value.
constexpr double kTile = 0.04, kPair = 1.0, kFactor = 0.03, kDenseValue = 0.25, kSparseValue = 0.35;
constexpr double kKeep = 0.1;     // share of the sampled rows below which the factor stays as it is

}  // namespace

bool few_columns(const Matrix& x) { return x.rows_in_memory() && x.cols() <= kMostColumns && x.rows() > x.cols(); }

Preconditioner::Preconditioner(const Problem& problem, const PreconditionerWork& work, HeldSquares* squares)
    : p_(problem), work_(work), d_(problem.cols()), diagonal_(d_), squares_(squares != nullptr ? *squares : own_squares_) {
  if (work.shared) squares_.sums.resize(d_);
}

void Preconditioner::set_diagonal(const std::vector<double>& curvature, base::ThreadPool& pool) {
  p_.x->squares(curvature.data(), diagonal_.data(), pool);
  for (Index j = 0; j < d_; ++j) diagonal_[j] += p_.regularized(j) ? 1.0 : 0.0;
}

bool Preconditioner::plan() {
  if (!work_.shared) return false;
  builds_ = static_cast<double>(n_products_) >= worth();
  return builds_ || !factored_;
}

/// Shared: what a factor of so many rows costs, and what a product with X does.
double Preconditioner::row_cost() const {
  const double row = static_cast<double>(p_.x->stored()) / static_cast<double>(p_.rows()), d = static_cast<double>(d_);
  return 0.5 * (on_tiles(1) ? kTile * d * d : kPair * row * row);
}
double Preconditioner::product_cost() const {
  return (p_.x->dense() ? kDenseValue : kSparseValue) * static_cast<double>(p_.x->stored());
}
/// How many of `active` rows, those with a curvature, are summed: all where that costs a few products, else three for each
/// column.
double Preconditioner::sampled_rows(double active) const {
  if (active * row_cost() <= kSampleCost * product_cost()) return active;
  return std::min(active, kRowsOfColumn * static_cast<double>(d_));
}

/// Shared: how many products with X a factor costs.
double Preconditioner::worth() const {
  if (!few_columns(*p_.x)) return kInfinity;
  const double d = static_cast<double>(d_), rows = sampled_rows(static_cast<double>(p_.rows()));
  return (rows * row_cost() + kFactor * d * d * d) / product_cost();
}

void Preconditioner::set(const std::vector<double>& curvature, base::ThreadPool& pool) {
  if (work_.shared) return set_shared(curvature, pool);
  exact_ = false;
  const Index step = few_columns(*p_.x) && work_.budget > 0 ? choose_step(curvature) : 0;
  if (step > 0) {
    const bool changed = update(curvature, step, factored_ && step > 1 ? kKeep : 0.0, pool);
    if (!changed && step > 1 && factored_) return;
    if (step > 1) set_diagonal(curvature, pool);
    factor(step > 1 ? diagonal_.data() : nullptr, pool);
    exact_ = factored_ && step == 1 && !on_tiles(step) && held_ == curvature;
  }
  factored_ = factored_ && step > 0;
  if (factored_) return;
  update_squares(curvature, pool);
  invert_squares();
}

void Preconditioner::set_shared(const std::vector<double>& curvature, base::ThreadPool& pool) {
  if (!builds_ && factored_) return;
  if (builds_) {
    n_products_ = 0;
    const auto active =
        static_cast<double>(curvature.size()) - static_cast<double>(std::count(curvature.begin(), curvature.end(), 0.0));
    const auto step = std::max<Index>(1, static_cast<Index>(active / std::max(1.0, sampled_rows(active))));
    step_ = 0;
    update(curvature, step, 0.0, pool);
    for (Index j = 0; j < d_; ++j) diagonal_[j] = squares_.sums[j] + (p_.regularized(j) ? 1.0 : 0.0);
    factor(step > 1 ? diagonal_.data() : nullptr, pool);
    if (factored_) return;
  }
  invert_squares();
}

/// Of gram_ and the regulariser. diagonal: null, or the true one, which counts where that of sampled rows falls short of it.
void Preconditioner::factor(const double* diagonal, base::ThreadPool& pool) {
  factor_ = gram_;
  for (Index j = 0; j < d_; ++j) {
    double& own = factor_[j * d_ + j];
    own += p_.regularized(j) ? 1.0 : 1e-12;
    if (diagonal != nullptr) own = std::max(own, diagonal[j]);
  }
  factored_ = kernels::cholesky(factor_.data(), d_, pool);
}

void Preconditioner::invert_squares() {
  inverse_.resize(d_);
  for (Index j = 0; j < d_; ++j) inverse_[j] = 1.0 / (0.99 + 0.01 * (squares_.sums[j] + (p_.regularized(j) ? 1.0 : 0.0)));
}

void Preconditioner::update_squares(const std::vector<double>& curvature, base::ThreadPool& pool) {
  std::vector<double>& held = squares_.curvature;
  const bool first = held.empty();
  held.resize(curvature.size(), 0.0);
  std::vector<double> change(curvature.size(), 0.0);
  std::size_t active = 0, changed = 0;
  for (std::size_t i = 0; i < curvature.size(); ++i) {
    active += curvature[i] != 0 ? 1 : 0;
    if (std::abs(curvature[i] - held[i]) <= kLag * std::min(curvature[i], held[i])) continue;
    change[i] = curvature[i] - held[i];
    ++changed;
  }
  if (first || static_cast<double>(changed) > kRebuild * static_cast<double>(active)) {
    held = curvature;
    squares_.sums.resize(d_);
    p_.x->squares(curvature.data(), squares_.sums.data(), pool);
    return;
  }
  if (changed == 0) return;
  p_.x->squares(change.data(), diagonal_.data(), pool);
  for (Index j = 0; j < d_; ++j) squares_.sums[j] = std::max(0.0, squares_.sums[j] + diagonal_[j]);
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (change[i] != 0) held[i] = curvature[i];
  }
}

void Preconditioner::hessian(const std::vector<double>& curvature, base::ThreadPool& pool, std::vector<double>& out) {
  const Index step = std::max<Index>(1, choose_step(curvature));
  update(curvature, step, 0.0, pool);
  if (step > 1) p_.x->squares(curvature.data(), diagonal_.data(), pool);
  out.resize(d_ * d_);
  for (Index j = 0; j < d_; ++j) {
    const double own = gram_[j * d_ + j];
    out[j * d_ + j] = step > 1 ? std::max(own, diagonal_[j]) : own;
    for (Index k = j + 1; k < d_; ++k) out[j * d_ + k] = out[k * d_ + j] = gram_[j * d_ + k];
  }
}

/// Every how many rows one is taken; 0: the matrix would cost more than it gives.
Index Preconditioner::choose_step(const std::vector<double>& curvature) const {
  double pairs = 0;
  Index rows = 0;
  for (Index i = 0; i < p_.rows(); ++i) {
    if (curvature[i] == 0) continue;
    const auto size = static_cast<double>(p_.x->row_size(i));
    pairs += 0.5 * size * size;
    ++rows;
  }
  const double budget = work_.budget * static_cast<double>(p_.x->stored());
  if (pairs <= budget) return 1;  // also where nothing is stored
  const auto step = static_cast<Index>(std::ceil(pairs / budget));
  return step > 1 && rows / step < d_ ? 0 : step;
}

/// gram_ for these curvatures, up to kLag; false: no more than the share `keep` of the rows has changed, and nothing was done.
bool Preconditioner::update(const std::vector<double>& curvature, Index step, double keep, base::ThreadPool& pool) {
  const Index n = p_.rows();
  std::vector<Index> rows;
  std::vector<double> weights;
  rows.reserve(n / step + 1);
  weights.reserve(n / step + 1);
  Index active = 0;
  const auto collect = [&] {
    active = 0;
    rows.clear();
    weights.clear();
    for (Index i = 0; i < n; i += step) {
      active += curvature[i] != 0 ? 1 : 0;
      if (std::abs(curvature[i] - held_[i]) <= kLag * std::min(curvature[i], held_[i])) continue;
      rows.push_back(i);
      weights.push_back(static_cast<double>(step) * (curvature[i] - held_[i]));
    }
  };
  const bool other_rows = step != step_;
  if (!other_rows) collect();
  if (other_rows || static_cast<double>(rows.size()) > kRebuild * static_cast<double>(active)) {
    step_ = step;
    held_.assign(n, 0.0);
    gram_.assign(d_ * d_, 0.0);
    collect();
  }
  if (static_cast<double>(rows.size()) <= keep * static_cast<double>(active)) return false;
  if (on_tiles(step)) {
    add_on_tiles(rows, weights, pool);
    if (std::all_of(gram_.begin(), gram_.end(), [](double v) { return std::isfinite(v); })) {
      for (const Index i : rows) held_[i] = curvature[i];
      return true;
    }
    in_float_range_ = false;
    held_.assign(n, 0.0);
    gram_.assign(d_ * d_, 0.0);
    collect();
  }
  add_rows(rows, weights, pool);
  for (const Index i : rows) held_[i] = curvature[i];
  return true;
}

/// Whether X'DX is formed on the tiles, from rows with their zeros and in float: where many values are not 0, and the solve does
/// not need more digits.
bool Preconditioner::on_tiles(Index step) const {
  const double rows = static_cast<double>(std::max<Index>(1, p_.rows()));
  const double row = static_cast<double>(p_.x->stored()) / rows, d = static_cast<double>(d_);
  return in_float_range_ && (work_.shared || step > 1 || p_.x->dense()) && kTileGain * row * row > d * d;
}

// On the tiles: the rows' products in float, whose rounding a preconditioner does not mind.
void Preconditioner::add_on_tiles(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool) {
  constexpr Index kPiece = 16;
  const auto n = static_cast<Index>(rows.size());
  const Index depth = std::min(n, kernels::kGramDepth);
  base::Buffer<float> values(depth * d_), weighted(d_ * depth);
  kernels::RightFactor<float> right;
  for (Index first = 0; first < n; first += depth) {
    const Index number = std::min(depth, n - first);
    pool.for_range(number, kPiece, [&](Index begin, Index end, int) {
      std::fill(values.data() + begin * d_, values.data() + end * d_, 0.0F);
      for (Index t = begin; t < end; ++t) {
        p_.x->each(rows[first + t], [&](Index j, double v) { values[t * d_ + j] = static_cast<float>(v); });
      }
      for (Index j = 0; j < d_; ++j) {
        for (Index t = begin; t < end; ++t) {
          weighted[j * depth + t] = static_cast<float>(weights[first + t]) * values[t * d_ + j];
        }
      }
    });
    right.pack(values.data(), d_, number, d_, pool);
    kernels::add_upper(weighted.data(), depth, right, gram_.data(), pool);
  }
}

// Blocks of rows have their own sums, added in order.
void Preconditioner::add_rows(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool) {
  const auto n = static_cast<Index>(rows.size());
  const double row_size = static_cast<double>(p_.x->stored()) / static_cast<double>(std::max<Index>(1, p_.rows()));
  const double per_sum = static_cast<double>(n) * row_size * row_size / (48.0 * static_cast<double>(d_ * d_));
  const Index blocks = std::clamp<Index>(static_cast<Index>(per_sum), 1, work_.most_blocks);
  const Index per_block = std::max<Index>(1, (n + blocks - 1) / blocks);
  if (blocks > 1 && sums_.size() < (blocks - 1) * d_ * d_) sums_ = base::Buffer<double>((blocks - 1) * d_ * d_);
  pool.for_each(blocks, [&](Index b, int) {
    double* own = b == 0 ? gram_.data() : sums_.data() + (b - 1) * d_ * d_;
    if (b > 0) std::fill(own, own + d_ * d_, 0.0);
    std::vector<Index> columns(d_);
    std::vector<double> values(d_);
    for (Index t = b * per_block; t < std::min(n, (b + 1) * per_block); ++t) {
      Index count = 0;
      p_.x->each(rows[t], [&](Index j, double v) {
        columns[count] = j;
        values[count++] = v;
      });
      for (Index a = 0; a < count; ++a) {
        double* column = own + columns[a] * d_;
        const double scaled = weights[t] * values[a];
        for (Index c = a; c < count; ++c) column[columns[c]] += scaled * values[c];
      }
    }
  });
  if (blocks == 1) return;
  pool.for_range(d_, 32, [&](Index begin, Index end, int) {
    for (Index b = 0; b + 1 < blocks; ++b) {
      const double* own = sums_.data() + b * d_ * d_;
      for (Index j = begin; j < end; ++j) {
        for (Index k = j; k < d_; ++k) gram_[j * d_ + k] += own[j * d_ + k];
      }
    }
  });
}

void Preconditioner::solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const {
  if (factored_) {
    out = r;
    kernels::solve_lower(factor_.data(), d_, out.data(), 1, [] {});
    kernels::solve_lower_transposed(factor_.data(), d_, out.data(), 1, [] {});
    return;
  }
  pool.for_range(d_, kColumnPiece, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) out[j] = r[j] * inverse_[j];
  });
}

}  // namespace dcsvm::linear
