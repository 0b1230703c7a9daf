// The names of the kernels of which something is true, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel_functions/all.hpp"

namespace dcsvm::svm {

/// "linear, poly or rbf": those whose struct says so.
template <class Says>
std::string kernels_that(const Says& says) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < number_of_values<KernelType>(); ++i) {
    KernelParams kernel;
    kernel.type = static_cast<KernelType>(i);
    if (kernels::with_kernel(kernel, says)) names.emplace_back(name_of(kernel.type));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

}  // namespace dcsvm::svm
