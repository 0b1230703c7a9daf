// Products of X with several vectors at once, for problems on the same rows that are solved together: one read of a row serves
// all of them. A lane is the place of one vector in such a product. A single vector is multiplied by Matrix's own function.
// Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "products/matrix.hpp"

namespace dcsvm::products {

using Vectors = std::vector<double*>;
using ConstVectors = std::vector<const double*>;

inline constexpr Index kMostLanes = 32;  ///< vectors that one call takes at most

/// z[k][i] = w[k]'x_i for all rows; w[k] has cols() entries.
void row_products(const Matrix& x, const ConstVectors& w, const Vectors& z, base::ThreadPool& pool);

/// out[k] = X'd[k].
void transposed_products(const Matrix& x, const ConstVectors& d, const Vectors& out, base::ThreadPool& pool);

/// out[k] = X' diag(h[k]) X v[k]. Several vectors with sparse X are multiplied in float, unless a result leaves its range: that
/// is accurate enough for search directions, not for gradients. Rows with h[k][i] = 0 for all k are not read.
void curvature_products(const Matrix& x, const ConstVectors& h, const ConstVectors& v, const Vectors& out,
                        base::ThreadPool& pool);

struct CoupledRow {
  Index row;
  std::uint32_t lanes;  ///< bits, at least one
};
/// The same with weights that couple a row's lanes: of its products v[k]'x_i, those of the lanes in CoupledRow::lanes less their
/// mean, times `scale`. Only these rows are read.
void coupled_products(const Matrix& x, const std::vector<CoupledRow>& rows, double scale, const ConstVectors& v,
                      const Vectors& out, base::ThreadPool& pool);

/// out[k][j] = sum_i h[k][i] x_ij^2.
void hessian_diagonals(const Matrix& x, const ConstVectors& h, const Vectors& out, base::ThreadPool& pool);

}  // namespace dcsvm::products
