// How the exported functions of both C libraries answer: values, null pointers and files.
#pragma once

#include <limits>

#include "c_common/exceptions.hpp"
#include "dcsvm/c_call.h"
#include "dcsvm/errors.hpp"

namespace dcsvm::c_common {

/// What f returns; NaN after an error.
template <class F>
double number(F&& f) noexcept {
  double result = std::numeric_limits<double>::quiet_NaN();
  guarded(nullptr, [&] { result = f(); });
  return result;
}

/// Whether both are given; prints an error if not. For functions that cannot report an error in another way.
inline bool given(const void* model, const void* result) noexcept {
  if (model != nullptr && result != nullptr) return true;
  complain(nullptr, "model or result: a null pointer");
  return false;
}

/// Where a model goes: null until it is there. Throws ParameterError.
template <class Model>
void check_target(Model** model) {
  if (model == nullptr) throw ParameterError("model: a null pointer");
  *model = nullptr;
}

/// Throws ParameterError for null.
inline const char* file_name(const char* name) {
  if (name == nullptr) throw ParameterError("model_file_name: a null pointer");
  return name;
}

/// Runs f(call) and prints its error. LIBSVM and LIBLINEAR are silent about files that cannot be opened: their callers say so.
template <class F>
int file_call(F&& f) noexcept {
  char why[1000] = "";
  dcsvm_call call{};
  call.error = why;
  call.error_size = sizeof why;
  const int code = f(&call);
  if (code != DCSVM_OK && code != DCSVM_NO_FILE) complain(nullptr, why);
  return code;
}

}  // namespace dcsvm::c_common
