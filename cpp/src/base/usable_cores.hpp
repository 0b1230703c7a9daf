// What the library asks the operating system about processors: usable_cores_posix.cpp and usable_cores_windows.cpp, of which a
// build has one.
#pragma once

namespace dcsvm::base {

/// The cores that this process may run on, at least 1.
int usable_cores();

}  // namespace dcsvm::base
