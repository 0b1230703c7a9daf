// Lets each allocation or write of a call fail in turn. The short form lets some 60 of a call's allocations fail; with
// DCSVM_FAULTS=all in the environment, all of them.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "doctest/doctest.h"
#include "faults/fault_points.hpp"

namespace dcsvm::test {

/// A call of the library. True: it did its work. False, or std::bad_alloc or FileError: it did not.
struct Operation {
  std::string name;
  std::function<bool()> run;
};

inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The calls that fail in turn, of n.
inline std::vector<long> chosen(long n) {
  const char* all = std::getenv("DCSVM_FAULTS");
  const long step = all != nullptr && std::string_view(all) == "all" ? 1 : std::max(1L, n / 60);
  std::vector<long> some;
  for (long k = 1; k <= n; k += k < 20 ? 1 : step) some.push_back(k);
  some.push_back(n);
  return some;
}

template <class Error>
bool succeeds(const Operation& operation) {
  try {
    return operation.run();
  } catch (const Error&) {
    return false;
  }
}

/// Each failure must come as an Error, or leave the call undisturbed: no block of memory and no file in `folder` is left behind.
template <class Error>
void fail_each(Fault kind, const Operation& operation, const std::string& folder) {
  CAPTURE(operation.name);
  REQUIRE(operation.run());  // what is made once in a process is there now
  arm(kind, 0);
  REQUIRE(operation.run());
  const long calls = disarm();
  REQUIRE(calls > 0);
  const auto before = names_in(folder);
  long failed = 0;
  for (const long k : chosen(calls)) {
    CAPTURE(k);
    const long live = live_blocks();
    arm(kind, k);
    const bool done = succeeds<Error>(operation);
    disarm();
    failed += done ? 0 : 1;
    CHECK(live_blocks() == live);
    CHECK(names_in(folder) == before);
  }
  CHECK(failed > 0);
  CHECK(operation.run());
}

}  // namespace dcsvm::test
