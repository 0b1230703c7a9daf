// X' D X of a narrow X, D the curvatures of the rows' losses: the Hessian of the losses, or what stands for it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "kernels/product.hpp"
#include "products/matrix.hpp"

namespace dcsvm::products {

/// Of the memory cap, for what is kept of all blocks, classes or folds at once.
inline constexpr double kShareOfCap = 0.25;  ///< X and its copy are the rest

inline constexpr double kTileCost = 0.04;  ///< nanoseconds, about, of a product of two values on the tiles
inline constexpr double kValueCost = 1.0;  ///< likewise, of a value that is stored with its place

/// Whether X is narrow: in memory, with few enough columns that a matrix of columns x columns is cheap, and with more rows.
bool is_narrow(const Matrix& x);

/// Scratch memory for sums on the tiles: some rows of X and their multiples, as dense float values. A thread keeps it from one
/// matrix to the next.
class TileRows {
 public:
  /// The most that it takes, for X of so many columns.
  static double bytes(Index cols);

 private:
  friend class GramMatrix;
  base::Buffer<float> values_, weighted_;
  kernels::RightFactor<float> right_;
};

/// A weighted sum of the products x_i x_i' of chosen rows.
class GramMatrix {
 public:
  /// most_blocks: the rows are divided into at most so many blocks, each with a sum of its own, for as many threads.
  GramMatrix(const Matrix& x, Index most_blocks) : x_(x), d_(x.cols()), most_blocks_(most_blocks) {}

  /// d x d by columns, of which the lower triangle is filled.
  const std::vector<double>& values() const { return values_; }
  void clear() { values_.assign(d_ * d_, 0.0); }
  /// Adds weights[t] x_i x_i', i = rows[t], for all t. in_float: the products are computed in float on the tiles, for matrices
  /// whose rounding does not matter. Returns false where they leave the range of float: values() must then be cleared and summed
  /// again, and tiles() is false from then on.
  bool add(const std::vector<Index>& rows, const std::vector<double>& weights, bool in_float, TileRows& scratch,
           base::ThreadPool& pool);
  /// Whether float products of whole rows, zeros included, on the tiles take less time than double products of stored values.
  bool tiles() const;
  double row_cost() const;  ///< nanoseconds to add one, about, where float will do

 private:
  double row_size() const;  // stored values, on average
  void add_pairs(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool);
  void add_dense_rows(const Index* rows, const double* weights, Index number, double* to) const;
  void add_on_tiles(const std::vector<Index>& rows, const std::vector<double>& weights, TileRows& scratch,
                    base::ThreadPool& pool);

  const Matrix& x_;
  Index d_, most_blocks_;
  bool in_float_range_ = true;  // as far as is known
  std::vector<double> values_;
  base::Buffer<double> sums_;  // of the blocks after the first
};

/// Blocks of rows whose sums take no more than a quarter of the cap.
Index blocks_within(std::size_t cap_bytes, Index cols);

/// X' D X kept from one Newton step to the next: only rows whose curvature has changed by more than a fifth are added or taken
/// away, so the matrix is that of nearly the present curvatures.
class HeldGram {
 public:
  /// in_float: all its digits will not be needed even where no row is left out.
  HeldGram(const Matrix& x, Index most_blocks, bool in_float) : x_(x), in_float_(in_float), gram_(x, most_blocks) {}

  Index step() const { return step_; }  ///< of the last update; 0: there was none
  double row_cost() const { return gram_.row_cost(); }
  /// Brings values() up to date: of rows 0, step, 2 step, ..., each `step` times. Returns false, and does nothing, where at most
  /// the share `keep` of the rows with a curvature has changed.
  bool update(const std::vector<double>& curvature, Index step, double keep, TileRows& scratch, base::ThreadPool& pool);
  /// Updates with all rows, and fills `out` with the whole symmetric d x d matrix.
  void symmetric(const std::vector<double>& curvature, TileRows& scratch, base::ThreadPool& pool, std::vector<double>& out);
  /// Whether values() is X' D X itself, to the last digits.
  bool exact(const std::vector<double>& curvature) const { return step_ == 1 && !in_float(step_) && held_ == curvature; }
  const std::vector<double>& values() const { return gram_.values(); }

 private:
  /// Whether the products are float: a sample is not exact anyway, and dense X is summed faster so, but for short rows.
  bool in_float(Index step) const {
    return (in_float_ || step > 1 || (x_.dense() && x_.features() > kShortRow)) && gram_.tiles();
  }

  const Matrix& x_;
  bool in_float_;
  GramMatrix gram_;
  Index step_ = 0;
  std::vector<double> held_;  // curvature of each row in gram_
};

}  // namespace dcsvm::products
