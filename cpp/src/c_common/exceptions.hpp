// C callers get no exceptions: what a call throws becomes a code and a text.
#pragma once

#include <functional>
#include <string>

#include "dcsvm/c_call.h"

namespace dcsvm::c_common {

/// The call's interruption for Hooks and PredictOptions; empty when the call has none.
std::function<bool()> make_interrupted(const dcsvm_call* call);

/// Writes the text into the call's buffer; without call or buffer to stderr.
void complain(const dcsvm_call* call, const char* what) noexcept;

/// For what is told about a file that was read: to stderr, where LIBSVM and LIBLINEAR warn.
void warn(const std::string& what) noexcept;

/// Called in a catch block: reports the exception's text to complain() and returns its code.
int translate(const dcsvm_call* call) noexcept;

/// Runs f and returns DCSVM_OK, or the code of the exception that it threw.
template <class F>
int guarded(const dcsvm_call* call, F&& f) noexcept {
  try {
    f();
    return DCSVM_OK;
  } catch (...) {
    return translate(call);
  }
}

}  // namespace dcsvm::c_common
