#include "c_common/print.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>

namespace dcsvm::c_common {

namespace {

void to_stdout(const char* text) {
  std::fputs(text, stdout);
  std::fflush(stdout);
}

std::atomic<void (*)(const char*)> print_function{to_stdout};

}  // namespace

void set_print_function(void (*print)(const char*)) noexcept { print_function.store(print != nullptr ? print : to_stdout); }

void info(const char* format, ...) noexcept {
  char text[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  print_function.load()(text);
}

}  // namespace dcsvm::c_common
