// LIBSVM's model files: a header of "key values" lines, then one line for each support vector.
#pragma once

#include <string_view>

#include "dcsvm/libsvm_model.hpp"

namespace dcsvm::libsvm {

inline constexpr int kDensityMarks = 10;

/// LIBSVM's word for a formulation; null: it has none. No default: the compiler names a formulation for which LIBSVM's text must
/// be looked at.
constexpr const char* svm_type(Formulation formulation) noexcept {
  switch (formulation) {
    case Formulation::c_svc: return "c_svc";
    case Formulation::nu_svc: return "nu_svc";
    case Formulation::one_class: return "one_class";
    case Formulation::epsilon_svr: return "epsilon_svr";
    case Formulation::nu_svr: return "nu_svr";
    case Formulation::kernel_ridge: break;  // to_libsvm writes it as epsilon_svr
  }
  return nullptr;
}

/// LIBSVM's word for a kernel; null: it has none like it.
constexpr const char* kernel_type(KernelType kernel) noexcept {
  if (!traits_of(kernel).in_libsvm) return nullptr;
  return kernel == KernelType::poly ? "polynomial" : traits_of(kernel).name;
}

/// Whether the text starts with a key of that header.
bool looks_like_libsvm(std::string_view text);

/// Throws ModelError, which names the kernel, when LIBSVM has none like it.
void check_kernel(KernelType kernel);

/// Sizes, ranges, ascending indices. Throws ModelError ("model: what").
void check_libsvm(const LibsvmModel& model);

}  // namespace dcsvm::libsvm
