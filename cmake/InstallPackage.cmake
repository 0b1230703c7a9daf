# Headers, library, CMake package and pkg-config file. Every path is relative to the package, which can be moved (a wheel is).
include(CMakePackageConfigHelpers)
include(SourceHash)
set(_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dcsvm")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/cpp/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(TARGETS dcsvm EXPORT dcsvmTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(DCSVM_BUILD_LIBSVM OR DCSVM_BUILD_LIBLINEAR)
  # No link libsvm.so or liblinear.so: a wheel would hold a second copy for it.
  install(TARGETS ${DCSVM_C_LIBRARIES} EXPORT dcsvmTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" NAMELINK_SKIP
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  if(SKBUILD)
    install(TARGETS ${DCSVM_APPS} RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}") # the environment's bin
  else()
    install(TARGETS ${DCSVM_APPS} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endif()
install(EXPORT dcsvmTargets NAMESPACE dcsvm:: DESTINATION "${_config_dir}")

if(APPLE)
  set(DCSVM_CXX_RUNTIME c++)
else()
  set(DCSVM_CXX_RUNTIME stdc++)
endif()
set(DCSVM_PC_LIBRARIES "-l${DCSVM_CXX_RUNTIME} -lm -pthread")
if(WIN32)
  string(APPEND DCSVM_PC_LIBRARIES " -lbcrypt -lshell32")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dcsvmConfig.cmake.in" "${PROJECT_BINARY_DIR}/dcsvmConfig.cmake"
                              INSTALL_DESTINATION "${_config_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dcsvmConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dcsvmConfig.cmake" "${PROJECT_BINARY_DIR}/dcsvmConfigVersion.cmake" DESTINATION "${_config_dir}")

file(RELATIVE_PATH DCSVM_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" DCSVM_PC_PREFIX "${DCSVM_PC_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/dcsvm.pc.in" "${PROJECT_BINARY_DIR}/dcsvm.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/dcsvm.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
