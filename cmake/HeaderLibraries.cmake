# Sets DCSVM_HEADER_LIBRARIES: the include folders of Eigen and nlohmann/json, header-only libraries that cpp/src alone uses.
# Neither is exported. Each is looked for in CMAKE_PREFIX_PATH (or Eigen3_DIR, DCSVM_JSON_INCLUDE_DIR), in the pip package
# (cmeel-eigen, nlohmann-json) of the Python in use, and in the system, in this order.
if(NOT Python_EXECUTABLE)
  find_package(Python 3 COMPONENTS Interpreter QUIET)
endif()
set(_site_packages "")
if(Python_EXECUTABLE)
  # All of sys.path, because pip's build isolation installs packages into a folder of its own.
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sys; print(';'.join(filter(None, sys.path)))"
                  OUTPUT_VARIABLE _site_packages OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

if(NOT TARGET Eigen3::Eigen)
  set(_saved_prefix_path "${CMAKE_PREFIX_PATH}")
  list(TRANSFORM _site_packages APPEND "/cmeel.prefix" OUTPUT_VARIABLE _cmeel_prefixes)
  list(APPEND CMAKE_PREFIX_PATH ${_cmeel_prefixes})
  find_package(Eigen3 3.4 CONFIG QUIET)
  set(CMAKE_PREFIX_PATH "${_saved_prefix_path}")
endif()
if(NOT TARGET Eigen3::Eigen)
  message(FATAL_ERROR "Eigen 3.4 was not found. Run `pip install cmeel-eigen` in the Python environment in use, install your "
                      "system's package (libeigen3-dev, eigen3-devel), or set Eigen3_DIR.")
endif()
get_target_property(DCSVM_HEADER_LIBRARIES Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)

list(TRANSFORM _site_packages APPEND "/nlohmann_json/include" OUTPUT_VARIABLE _json_folders)
find_path(DCSVM_JSON_INCLUDE_DIR nlohmann/json.hpp HINTS ${_json_folders} NO_CACHE)
if(NOT DCSVM_JSON_INCLUDE_DIR)
  message(FATAL_ERROR "nlohmann/json was not found. Run `pip install nlohmann-json` in the Python environment in use, install your "
                      "system's package (nlohmann-json3-dev, json-devel), or set DCSVM_JSON_INCLUDE_DIR.")
endif()
list(APPEND DCSVM_HEADER_LIBRARIES "${DCSVM_JSON_INCLUDE_DIR}")
message(STATUS "Header libraries: ${DCSVM_HEADER_LIBRARIES}")
