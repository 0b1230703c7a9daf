// The output of the C libraries: training reports go to the print function (the only global variable of each library), errors to
// stderr.
#pragma once

namespace dcsvm::c_common {

/// A null pointer restores the default, stdout.
void set_print_function(void (*print)(const char*)) noexcept;

/// Formats like printf and passes the text to the print function.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void info(const char* format, ...) noexcept;

/// A number for "%f", which writes small negative ones as -0.000000.
inline double without_minus_zero(double v) noexcept { return v > -5e-7 && v <= 0 ? 0.0 : v; }

}  // namespace dcsvm::c_common
