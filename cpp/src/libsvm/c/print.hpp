// Where LIBSVM's interface writes: training reports to the print function, the one global of this library; complaints to stderr.
#pragma once

namespace dcsvm::libsvm {

/// Null: stdout.
void set_print_function(void (*print)(const char*)) noexcept;

/// printf to the print function.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void info(const char* format, ...) noexcept;

}  // namespace dcsvm::libsvm
