// Some columns of the LS-SVM's matrix (Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines, 2016,
// Eq. 17):
//
//     Theta = [ Omega + I / gamma   u ]     (N + 1) x (N + 1), u = (1, ..., 1)'; here the bias is the last row and column
//             [        u'           0 ]
//
// Matrices of N + 1 rows and K columns (weights, residuals) are stored class by class: K runs of N + 1 numbers.
#pragma once

#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::least_squares {

[[noreturn]] void kernel_overflow();

/// The budget of kernel_matrix::Columns that may hold whatever is fastest.
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max() / 2;

/// The matrix, never held: only blocks of its columns are.
struct LsMatrix {
  const kernel_matrix::RowSource<float>& rows;
  const kernel_matrix::Columns<float>& columns;  ///< of all points
  const kernel_matrix::RowSource<double>& exact_rows;  ///< for Cholesky, and for residuals that decide
  double gamma;
  base::ThreadPool& pool;

  Index n() const { return rows.size(); }
};

/// Theta_s: the columns of at most J points, then that of the bias. Holds N x J floats, which each load reuses.
class LsBlock {
 public:
  LsBlock(const LsMatrix& matrix, Index block_size);

  /// The columns of points idx. Kernel values: N x idx.size().
  void load(std::vector<Index> idx);
  const std::vector<Index>& idx() const { return idx_; }
  Index cols() const { return static_cast<Index>(idx_.size()) + 1; }
  std::size_t bytes() const { return values_.bytes() + products_.bytes() + gram_.bytes(); }

  /// out (cols() x k, class by class) = Theta_s' r.
  void project(const double* r, Index k, double* out) const;
  /// out (N + 1 x k) += sign Theta_s q.
  void expand(const double* q, Index k, double sign, double* out) const;
  /// q = Theta_ss q: the rows and columns of the block's own points and the bias.
  void multiply_inner(double* q, Index k) const;
  /// Rows idx and the bias of a matrix of N + 1 rows.
  std::vector<double> pick(const double* w, Index k) const;

  /// Theta_s' Theta_s, before factor(). Throws DataError when values are not finite.
  void multiply();
  /// Theta_s' Theta_s + ridge I = L L', with each column scaled to norm 1 (the standardisation of Eq. 36) and the ridge
  /// smallest_ridge sqrt(J), because products are rounded. If the block is singular even so, the ridge grows tenfold until there
  /// is a factor; returns true then.
  bool factor(double smallest_ridge);
  /// x = (Theta_s' Theta_s)^-1 x, after factor().
  void solve(double* x, Index k) const;

 private:
  const LsMatrix& matrix_;
  std::vector<Index> idx_;
  base::Buffer<float> values_;  // idx.size() x N: rows of Omega + I / gamma
  base::Buffer<double> products_, gram_;  // of the rows of values_; the factor
  std::vector<double> scale_, sums_;  // of the columns
};

}  // namespace dcsvm::least_squares
