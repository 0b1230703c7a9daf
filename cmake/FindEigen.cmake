# Sets DCSVM_EIGEN_INCLUDE_DIRS. Eigen's headers are used inside cpp/src alone and never exported.
# Order: Eigen3_DIR or CMAKE_PREFIX_PATH, the pip package cmeel-eigen of the Python at hand, the system.
if(NOT TARGET Eigen3::Eigen)
  if(NOT Python_EXECUTABLE)
    find_package(Python 3 COMPONENTS Interpreter QUIET)
  endif()
  set(_eigen_prefixes "")
  if(Python_EXECUTABLE)
    # cmeel puts its packages in site-packages/cmeel.prefix; pip's build isolation has its own folder on sys.path.
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -c
              "import os, sys; print(';'.join(p for p in (os.path.join(d, 'cmeel.prefix') for d in sys.path) if os.path.isdir(p)))"
      OUTPUT_VARIABLE _eigen_prefixes
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(_saved_prefix_path "${CMAKE_PREFIX_PATH}")
  list(APPEND CMAKE_PREFIX_PATH ${_eigen_prefixes})
  find_package(Eigen3 3.4 CONFIG QUIET)
  set(CMAKE_PREFIX_PATH "${_saved_prefix_path}")
endif()
if(NOT TARGET Eigen3::Eigen)
  message(FATAL_ERROR "Eigen 3.4 was not found. Run `pip install cmeel-eigen` in the Python environment in use, install your "
                      "system's package (libeigen3-dev, eigen3-devel), or set Eigen3_DIR.")
endif()
get_target_property(DCSVM_EIGEN_INCLUDE_DIRS Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
message(STATUS "Eigen: ${DCSVM_EIGEN_INCLUDE_DIRS}")
