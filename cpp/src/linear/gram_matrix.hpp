// X' D X of a narrow X, D the curvatures of the rows' losses: the Hessian of the losses, or what stands for it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "data/matrix.hpp"
#include "kernels/product.hpp"

namespace dcsvm::linear {

using data::Matrix;

inline constexpr double kGramBudget = 12.0;  ///< products of pairs of values that a matrix may cost, for each stored value of X

/// Whether X is narrow enough for matrices of its columns, and its rows are in memory.
bool few_columns(const Matrix& x);

/// The rows of X that are on their way to the tiles. One thread that sums a matrix keeps them for the next one.
class TileRows {
 public:
  /// At most, for matrices of so many columns.
  static double bytes(Index cols);

 private:
  friend class GramMatrix;
  base::Buffer<float> values_, weighted_;
  kernels::RightFactor<float> right_;
};

/// A weighted sum of the products x_i x_i' of chosen rows.
class GramMatrix {
 public:
  /// most_blocks: of rows with sums of their own, which are work for as many threads.
  GramMatrix(const Matrix& x, Index most_blocks) : x_(x), d_(x.cols()), most_blocks_(most_blocks) {}

  /// d x d by columns, of which the lower triangle is filled.
  const std::vector<double>& values() const { return values_; }
  void clear() { values_.assign(d_ * d_, 0.0); }
  /// Adds the product of row rows[t] times weights[t] for all t. in_float: on the tiles, for matrices whose rounding does not
  /// matter. False: it left the range of float. What was added before is lost too, and tiles() is false from then on.
  bool add(const std::vector<Index>& rows, const std::vector<double>& weights, bool in_float, TileRows& scratch,
           base::ThreadPool& pool);
  /// Whether products of rows with their zeros, in float on the tiles, take less time than those of pairs of values.
  bool tiles() const;
  double row_size() const;  ///< stored values, on average

 private:
  void add_pairs(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool);
  void add_on_tiles(const std::vector<Index>& rows, const std::vector<double>& weights, TileRows& scratch,
                    base::ThreadPool& pool);

  const Matrix& x_;
  Index d_, most_blocks_;
  bool in_float_range_ = true;  // as far as is known
  std::vector<double> values_;
  base::Buffer<double> sums_;  // of the blocks after the first
};

/// X' D X from one step of a solve to the next: only rows are added or taken away whose curvature has changed by more than a
/// fifth.
class HeldGram {
 public:
  /// cap_bytes: a part of it is what sums of blocks of rows may take.
  HeldGram(const Matrix& x, std::size_t cap_bytes);

  /// Every how many rows one is summed, then `step` times, within kGramBudget; 0: so few rows would be left that the matrix
  /// says too little.
  Index choose_step(const std::vector<double>& curvature) const;
  /// False: no more than the share `keep` of the rows has changed, and nothing was done.
  bool update(const std::vector<double>& curvature, Index step, double keep, TileRows& scratch, base::ThreadPool& pool);
  /// Fills the symmetric d x d matrix; of a part of the rows, with the true diagonal where that is larger.
  void symmetric(const std::vector<double>& curvature, TileRows& scratch, base::ThreadPool& pool, std::vector<double>& out);
  /// Whether values() is X' D X itself, to the last digits.
  bool exact(const std::vector<double>& curvature) const { return step_ == 1 && !in_float(step_) && held_ == curvature; }
  const std::vector<double>& values() const { return gram_.values(); }

 private:
  /// Where the solve does not need more digits.
  bool in_float(Index step) const { return (step > 1 || x_.dense()) && gram_.tiles(); }

  const Matrix& x_;
  GramMatrix gram_;
  Index step_ = 0;
  std::vector<double> held_;  // curvature of each row in gram_
};

}  // namespace dcsvm::linear
