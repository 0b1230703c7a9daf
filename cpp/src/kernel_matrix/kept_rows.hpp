// Kernel rows that several solves over the same points share: folds of a cross-validation and the C values of a grid.
#pragma once

#include <memory>
#include <vector>

#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// The same kernel matrix as `base`, but the first request for a row computes it over all columns and keeps it, as long as rows
/// fit `bytes`; the others are computed each time. Solves in several threads may use it at once (each asks for Columns of its
/// own). `order`: all points, in the order in which rows keep their columns; points that solves use together should be together
/// there. Keeps references.
template <class T>
std::unique_ptr<RowSource<T>> make_kept_rows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes,
                                             ThreadPool& pool);

}  // namespace dcsvm::kernel_matrix
