// Kernel rows that several solves over the same points share: folds of a cross-validation and the C values of a grid.
#pragma once

#include <memory>
#include <vector>

#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// Of all rows of n points, as make_kept_rows() keeps them.
template <class T>
double kept_matrix_bytes(Index n);

/// The same kernel matrix as `base`, but the first request for a row computes it over all columns and keeps it. Null where
/// 19 of 20 parts of `bytes` do not hold all rows: solves that find some of them kept and compute the others, a few at a time,
/// take up to 2.3 times as long as without (TorchKM's table, 1,000 columns). Solves in several threads may use it at once (each
/// asks for Columns of its own). `order`: all points, in the order in which rows keep their columns; points that solves use
/// together should be together there. Keeps references.
template <class T>
std::unique_ptr<RowSource<T>> make_kept_rows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes,
                                             ThreadPool& pool);

/// The same kernel matrix as `base`, whose twin in double keeps rows: those that were asked for over most of the points, as long
/// as they fit `bytes`. For one solve at a time, which asks for the same rows again and again. Keeps a reference.
template <class T>
std::unique_ptr<RowSource<T>> make_kept_in_double(const RowSource<T>& base, std::size_t bytes);

}  // namespace dcsvm::kernel_matrix
