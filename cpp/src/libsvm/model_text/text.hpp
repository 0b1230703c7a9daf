// LIBSVM's model files: a header of "key values" lines, then one line for each support vector.
#pragma once

#include <array>
#include <string_view>

#include "dcsvm/libsvm_model.hpp"

namespace dcsvm::libsvm {

inline constexpr std::array<const char*, 5> kSvmTypes = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
inline constexpr std::array<const char*, 5> kKernelTypes = {"linear", "polynomial", "rbf", "sigmoid", "precomputed"};
inline constexpr int kDensityMarks = 10;

/// Whether the text starts with a key of that header.
bool looks_like_libsvm(std::string_view text);

/// Throws ModelError, which names the kernel, when LIBSVM has none like it.
void check_kernel(KernelType kernel);

/// Sizes, ranges, ascending indices. Throws ModelError ("model: what").
void check_libsvm(const LibsvmModel& model);

}  // namespace dcsvm::libsvm
