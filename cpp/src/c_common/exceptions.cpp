#include "c_common/exceptions.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "dcsvm/errors.hpp"

namespace dcsvm::c_common {

std::function<bool()> make_interrupted(const dcsvm_call* call) {
  if (call == nullptr || call->interrupted == nullptr) return {};
  return [call] { return call->interrupted(call->context) != 0; };
}

void complain(const dcsvm_call* call, const char* what) noexcept {
  if (call != nullptr && call->error != nullptr && call->error_size > 0) {
    std::snprintf(call->error, call->error_size, "%s", what);
  } else {
    std::fprintf(stderr, "ERROR: %s\n", what);
  }
}

void warn(const std::string& what) noexcept { std::fprintf(stderr, "WARNING: %s\n", what.c_str()); }

int translate(const dcsvm_call* call) noexcept {
  try {
    throw;
  } catch (const Interrupted& e) {
    complain(call, e.what());
    return DCSVM_INTERRUPTED;
  } catch (const CapError& e) {
    complain(call, e.what());
    return DCSVM_NO_MEMORY;
  } catch (const std::bad_alloc&) {
    complain(call, "out of memory");
    return DCSVM_NO_MEMORY;
  } catch (const std::length_error&) {  // of a standard container: no machine has that much
    complain(call, "out of memory");
    return DCSVM_NO_MEMORY;
  } catch (const FileError& e) {
    complain(call, e.what());
    return DCSVM_NO_FILE;
  } catch (const std::exception& e) {
    complain(call, e.what());
  } catch (...) {
    complain(call, "unknown error");
  }
  return DCSVM_FAILED;
}

}  // namespace dcsvm::c_common
