// The one place that states the version: CMake and pyproject.toml read it from here.
#pragma once

#define DCSVM_VERSION "0.1.0"

namespace dcsvm {

/// Version of the library that is linked, "major.minor.patch"; compare with DCSVM_VERSION, the headers' version.
const char* version() noexcept;

}  // namespace dcsvm
