#include "products/gram_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "base/vectors.hpp"
#include "products/hessian_diagonal.hpp"
#include "products/pieces.hpp"

namespace dcsvm::products {

namespace {

constexpr Index kMostColumns = 1500;  // of narrow X: the matrix then takes 18 MB, its factor some 0.1 s

}  // namespace

bool is_narrow(const Matrix& x) { return x.rows_in_memory() && x.cols() <= kMostColumns && x.rows() > x.cols(); }

double TileRows::bytes(Index cols) {
  return 3.0 * static_cast<double>(sizeof(float)) * static_cast<double>(kernels::kGramDepth) * static_cast<double>(cols);
}

double GramMatrix::row_size() const {
  return static_cast<double>(x_.stored()) / static_cast<double>(std::max<Index>(1, x_.rows()));
}

double GramMatrix::row_cost() const {
  const double row = row_size(), d = static_cast<double>(d_);
  return 0.5 * (tiles() ? kTileCost * d * d : kValueCost * row * row);
}

bool GramMatrix::tiles() const {
  const double row = row_size(), d = static_cast<double>(d_);
  return in_float_range_ && kValueCost * row * row > kTileCost * d * d;
}

bool GramMatrix::add(const std::vector<Index>& rows, const std::vector<double>& weights, bool in_float, TileRows& scratch,
                     base::ThreadPool& pool) {
  if (!in_float) {
    add_pairs(rows, weights, pool);
    return true;
  }
  add_on_tiles(rows, weights, scratch, pool);
  in_float_range_ = base::all_finite(values_);
  return in_float_range_;
}

// Products of some rows at a time, in float, are added to sums in double.
void GramMatrix::add_on_tiles(const std::vector<Index>& rows, const std::vector<double>& weights, TileRows& scratch,
                              base::ThreadPool& pool) {
  const auto n = static_cast<Index>(rows.size());
  const Index depth = std::min(n, kernels::kGramDepth);
  for (auto* buffer : {&scratch.values_, &scratch.weighted_}) {
    if (buffer->size() < depth * d_) *buffer = base::Buffer<float>(depth * d_);
  }
  float *values = scratch.values_.data(), *weighted = scratch.weighted_.data();
  for (Index first = 0; first < n; first += depth) {
    const Index number = std::min(depth, n - first);
    pool.for_range(number, kTogether, [&](Index begin, Index end, int) {
      std::fill(values + begin * d_, values + end * d_, 0.0F);
      for (Index t = begin; t < end; ++t) {
        x_.each(rows[first + t], [&](Index j, double v) { values[t * d_ + j] = static_cast<float>(v); });
      }
      for (Index j = 0; j < d_; ++j) {
        for (Index t = begin; t < end; ++t) {
          weighted[j * depth + t] = static_cast<float>(weights[first + t]) * values[t * d_ + j];
        }
      }
    });
    scratch.right_.pack(values, d_, number, d_, pool);
    kernels::add_upper(weighted, depth, scratch.right_, values_.data(), pool);
  }
}

/// The same for `number` dense rows, into the triangle that `to` holds.
void GramMatrix::add_dense_rows(const Index* rows, const double* weights, Index number, double* to) const {
  std::vector<double> values(static_cast<std::size_t>(kSums * d_));
  for (Index t = 0; t < number; t += kSums) {
    const double* of_row[kSums];
    double weight[kSums] = {}, scaled[kSums];
    for (Index k = 0; k < kSums; ++k) {
      of_row[k] = values.data() + k * d_;
      if (t + k >= number) continue;  // what stands there has weight 0
      weight[k] = weights[t + k];
      x_.each(rows[t + k], [&](Index j, double v) { values[k * d_ + j] = v; });
    }
    for (Index j = 0; j < d_; ++j) {
      for (Index k = 0; k < kSums; ++k) scaled[k] = weight[k] * *of_row[k];
      dense_add_together(of_row, scaled, d_ - j, to + j * d_ + j);
      for (const double*& v : of_row) ++v;
    }
  }
}

// Blocks of rows have their own sums, added in order.
void GramMatrix::add_pairs(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool) {
  const auto n = static_cast<Index>(rows.size());
  const double row = row_size();
  const Index blocks = std::min(most_blocks_, sum_blocks(static_cast<double>(n) * row * row, d_ * d_, kValuesOfSum));
  const Index per_block = std::max<Index>(1, (n + blocks - 1) / blocks);
  if (blocks > 1 && sums_.size() < (blocks - 1) * d_ * d_) sums_ = base::Buffer<double>((blocks - 1) * d_ * d_);
  pool.for_each(blocks, [&](Index b, int) {
    double* own = b == 0 ? values_.data() : sums_.data() + (b - 1) * d_ * d_;
    if (b > 0) std::fill(own, own + d_ * d_, 0.0);
    const Index first = b * per_block, last = std::min(n, first + per_block);
    if (x_.dense()) return add_dense_rows(rows.data() + first, weights.data() + first, last - first, own);
    std::vector<Index> columns(d_);
    std::vector<double> values(d_);
    for (Index t = first; t < last; ++t) {
      Index count = 0;
      x_.each(rows[t], [&](Index j, double v) {
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
        for (Index k = j; k < d_; ++k) values_[j * d_ + k] += own[j * d_ + k];
      }
    }
  });
}

Index blocks_within(std::size_t cap_bytes, Index cols) {
  const double d = static_cast<double>(cols), matrix = static_cast<double>(sizeof(double)) * d * d;
  return static_cast<Index>(std::clamp(kShareOfCap * static_cast<double>(cap_bytes) / matrix, 1.0, kMostSums));
}

bool HeldGram::update(const std::vector<double>& curvature, Index step, double keep, TileRows& scratch, base::ThreadPool& pool) {
  const Index n = x_.rows();
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
      if (!lags(held_[i], curvature[i])) continue;
      rows.push_back(i);
      weights.push_back(static_cast<double>(step) * (curvature[i] - held_[i]));
    }
  };
  const auto restart = [&] {
    step_ = step;
    held_.assign(n, 0.0);
    gram_.clear();
    collect();
  };
  if (step == step_) collect();
  if (step != step_ || static_cast<double>(rows.size()) > kRebuild * static_cast<double>(active)) restart();
  if (static_cast<double>(rows.size()) <= keep * static_cast<double>(active)) return false;
  while (!gram_.add(rows, weights, in_float(step), scratch, pool)) restart();
  for (const Index i : rows) held_[i] = curvature[i];
  return true;
}

void HeldGram::symmetric(const std::vector<double>& curvature, TileRows& scratch, base::ThreadPool& pool,
                         std::vector<double>& out) {
  update(curvature, 1, 0.0, scratch, pool);
  const Index d = x_.cols();
  out.resize(d * d);
  for (Index j = 0; j < d; ++j) {
    for (Index k = j; k < d; ++k) out[j * d + k] = out[k * d + j] = values()[j * d + k];
  }
}

}  // namespace dcsvm::products
