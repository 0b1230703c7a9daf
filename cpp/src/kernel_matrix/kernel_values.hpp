// Kernel values between queries and a list of support vectors, computed from points or given (precomputed kernel).
#pragma once

#include <memory>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::kernel_matrix {

/// K(queries, columns) for a fixed list of columns. Safe to use from several threads at once.
template <class T>
class KernelValues {
 public:
  virtual ~KernelValues() = default;
  virtual Index size() const = 0;
  /// out[r * ld + (j - begin)] = K(query first + r, column j) for r in [0, m), j in [begin, end).
  virtual void block(const DataView& queries, Index first, Index m, Index begin, Index end, T* out, Index ld) const = 0;
};

/// Columns: rows [first, first + n) of `points`, packed here, under `kernel` (not precomputed).
template <class T>
std::unique_ptr<KernelValues<T>> points_kernel(const DataView& points, Index first, Index n, const KernelParams& kernel);
/// Columns: all rows of `points`.
template <class T>
std::unique_ptr<KernelValues<T>> points_kernel(const DataView& points, const KernelParams& kernel);

/// Columns of a precomputed kernel: training rows `columns`. ModelError when one is outside [0, n_train).
template <class T>
std::unique_ptr<KernelValues<T>> given_kernel(std::vector<Index> columns, Index n_train);

/// K(x, x) in double for rows [first, first + m) of the queries. Not for the precomputed kernel.
void self_kernel(const DataView& queries, Index first, Index m, const KernelParams& kernel, double* out);

/// Queries of one task, and support vectors of one tile: 256 KB of floats; 1008 is a multiple of every panel width.
constexpr Index kQueries = 64;
constexpr Index kPoints = 1008;

}  // namespace dcsvm::kernel_matrix
