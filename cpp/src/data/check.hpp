// Checks of the caller's data. Errors name row and column; later code relies on checked data.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::data {

/// Columns of X and of a model's points: packed sparse points and files count them in 32 bits.
constexpr Index kMostColumns = std::numeric_limits<std::int32_t>::max();

/// Throws DataError when x has a negative number of rows or columns, or rows and columns but no array (CSR: no indptr).
void check_given(const DataView& x, const char* name = "X");

/// Throws DataError when x has no rows or columns or more than kMostColumns, a NaN or an infinity (row and column named,
/// zero-based, the first in row-major order whatever the number of threads), or is a CSR matrix whose indptr does not start at 0
/// or decreases, or whose columns are out of range, unsorted or duplicate within a row. `name` starts the text. One pass over the
/// data. Values beyond float32's range are accepted. use(begin, end), if given, is called for rows that were just found good and
/// are still in the CPU's cache: one thread calls it for the rows of a piece of kPieceRows rows, in order.
void check_data(const DataView& x, base::ThreadPool& pool, const char* name = "X",
                const std::function<void(Index begin, Index end)>& use = nullptr);
constexpr Index kPieceRows = 4096;

/// Throws DataError when the kernel is for features >= 0 and x has a negative number (row and column named, the first in
/// row-major order). x is checked.
void check_domain(const DataView& x, KernelType kernel, base::ThreadPool& pool, const char* name = "X");

/// y: n labels. Throws DataError when n is 0, one is not finite (row named), or all are equal.
void check_labels(const double* y, Index n);

/// y: n targets of a regression. Throws DataError when one is not finite (row named).
void check_targets(const double* y, Index n);

/// w: n sample weights. Throws DataError when one is not finite or negative (row named).
void check_weights(const double* w, Index n);

}  // namespace dcsvm::data
