# LIBSVM's C interface as libsvm.so.4 (LIBSVM's own name and version, so that its programs find it), and its commands.
file(GLOB _libsvm_c CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/src/libsvm/c/*.cpp")
add_library(dcsvm_libsvm_c OBJECT ${_libsvm_c})
set_target_properties(dcsvm_libsvm_c PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
target_link_libraries(dcsvm_libsvm_c PUBLIC dcsvm PRIVATE dcsvm_developer)

add_library(libsvm SHARED)
add_library(dcsvm::libsvm ALIAS libsvm)
target_link_libraries(libsvm PRIVATE dcsvm_libsvm_c dcsvm)
target_include_directories(libsvm PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cpp/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(libsvm PROPERTIES OUTPUT_NAME svm SOVERSION 4)
# Only the interface is visible: a program may carry another copy of the library, or LIBSVM itself.
if(APPLE)
  target_link_options(libsvm PRIVATE "LINKER:-exported_symbol,_svm_*" "LINKER:-exported_symbol,_dcsvm_svm_*"
                      "LINKER:-exported_symbol,_libsvm_version")
else()
  target_link_options(libsvm PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libsvm.map")
  set_target_properties(libsvm PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/libsvm.map")
endif()

file(GLOB _apps_common CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/apps/common/*.cpp")
foreach(_app train predict scale)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/cpp/apps/svm_${_app}.cpp")
    continue()
  endif()
  add_executable(svm-${_app} "${PROJECT_SOURCE_DIR}/cpp/apps/svm_${_app}.cpp" ${_apps_common})
  set_target_properties(svm-${_app} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(svm-${_app} PRIVATE "${PROJECT_SOURCE_DIR}/cpp/apps")
  target_link_libraries(svm-${_app} PRIVATE dcsvm_libsvm_c dcsvm dcsvm_developer)
  list(APPEND DCSVM_APPS svm-${_app})
endforeach()
