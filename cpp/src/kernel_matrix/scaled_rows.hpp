// Kernel rows of images that were normalised one by one: every row lies on a byte grid of its own, though not all on one.
#pragma once

#include <memory>

#include "dcsvm/data.hpp"
#include "dcsvm/params.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// make_kernel_rows<float> for rows x_i = a_i + s_i u_i with u_i in 0..255: the products of the u_i are whole numbers (byte
/// products, four at the price of one of floats), and
///
///     x_i'x_j = s_i s_j u_i'u_j + a_i (d a_j + s_j sum u_j) + s_i sum u_i a_j.
///
/// Null where that does not hold to within four roundings of float, where all rows share a grid (make_kernel_rows finds it), for
/// sparse data, for kernels that are no function of the inner product, and on CPUs without byte products. Holds u as floats: as
/// much as float32 data takes.
std::unique_ptr<RowSource<float>> make_scaled_rows(const DataView& x, const KernelParams& kernel, base::ThreadPool& pool);

}  // namespace dcsvm::kernel_matrix
