# Cross-compiles for 64-bit Windows with `pip install ziglang`: clang, libc++ and the headers and libraries of mingw-w64. A compiler
# in CMake is one program, so each of zig's tools gets a script.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
if(NOT DCSVM_ZIG)
  find_program(DCSVM_ZIG NAMES zig python-zig DOC "zig, or python-zig of the pip package ziglang")
  if(NOT DCSVM_ZIG)
    message(FATAL_ERROR "zig was not found. Run `pip install ziglang` in the Python environment in use, or set DCSVM_ZIG.")
  endif()
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DCSVM_ZIG)

foreach(_tool "c++ -target x86_64-windows-gnu" "ar" "ranlib")
  string(REGEX MATCH "^[^ ]+" _name "${_tool}")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/zig/${_name}" CONTENT "#!/bin/sh\nexec \"@DCSVM_ZIG@\" @_tool@ \"$@\"\n" @ONLY)
  file(CHMOD "${CMAKE_BINARY_DIR}/zig/${_name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_CXX_COMPILER "${CMAKE_BINARY_DIR}/zig/c++")
set(CMAKE_AR "${CMAKE_BINARY_DIR}/zig/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${CMAKE_BINARY_DIR}/zig/ranlib" CACHE FILEPATH "")
# Checks of the compiler's flags need no program, for which zig would build its C++ library again for each set of flags.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined") # which zig adds by itself

# ctest runs the tests in wine where there is one.
find_program(DCSVM_WINE NAMES wine DOC "Runs Windows programs")
if(DCSVM_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${DCSVM_WINE}")
endif()

# Programs are the build machine's; libraries and headers are zig's or header-only ones (cmake/HeaderLibraries.cmake).
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
