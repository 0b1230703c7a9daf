// Kernel rows that several solves over the same points share: folds of a cross-validation and the C values of a grid.
#pragma once

#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// The same kernel matrix as `base`, but a row that any solve asks for is computed once over all columns and kept, as long as
/// rows fit `bytes`; the others are computed anew each time. Solves in several threads may use it at once (the Columns that one
/// asks for are its own). `order`: all points, in the order in which rows keep their columns; points that solves use together
/// should be together there. `computed_up_to`: columns() of that many points or fewer are those of `base`, where values cost less
/// than picking them from kept rows. `memory`: where rows are kept when it is large enough, and what is left behind for the next
/// (new memory has to be cleared first); null: their own. Keeps references.
template <class T>
std::unique_ptr<RowSource<T>> make_kept_rows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes,
                                             ThreadPool& pool, Index computed_up_to = 0, base::Buffer<T>* memory = nullptr);

}  // namespace dcsvm::kernel_matrix
