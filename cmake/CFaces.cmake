# The C libraries of LIBSVM and LIBLINEAR under their own names and versions, so that their programs find them, and their commands.
file(GLOB _c_common CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/src/c_common/*.cpp")
add_library(dcsvm_c_common OBJECT ${_c_common})
set_target_properties(dcsvm_c_common PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
dcsvm_unity_by_folder(dcsvm_c_common "${PROJECT_SOURCE_DIR}/cpp/src")
target_include_directories(dcsvm_c_common PUBLIC "${PROJECT_SOURCE_DIR}/cpp/src") # for c_common/*.hpp
target_link_libraries(dcsvm_c_common PUBLIC dcsvm PRIVATE dcsvm_developer)
file(GLOB _apps_common CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/apps/common/*.cpp")
add_library(dcsvm_apps_common OBJECT ${_apps_common})
set_target_properties(dcsvm_apps_common PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD OFF)
target_include_directories(dcsvm_apps_common PRIVATE "${PROJECT_SOURCE_DIR}/cpp/apps" "${PROJECT_SOURCE_DIR}/cpp/src")
target_link_libraries(dcsvm_apps_common PRIVATE dcsvm dcsvm_developer)

# dcsvm_write_def(<target> <file> <exported names, one pattern each>...): a module-definition file with the names of the target's
# public headers that fit. A DLL's list knows no patterns,
# and says which names are variables.
function(dcsvm_write_def _target _file)
  set(_patterns ${ARGN})
  list(TRANSFORM _patterns REPLACE "\\*" "[a-z_]*")
  list(JOIN _patterns "|" _patterns)
  file(GLOB _headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/include/dcsvm/${_target}/*.h")
  set(_names "")
  foreach(_header ${_headers})
    file(STRINGS "${_header}" _lines REGEX "^(extern |struct |const |int |double |void )")
    foreach(_line ${_lines})
      if(_line MATCHES "^extern int ([a-z_]+);")
        list(APPEND _names "${CMAKE_MATCH_1} DATA")
      elseif(_line MATCHES "^[a-z_ ]+[ *]([a-z_]+)\\(")
        set(_name "${CMAKE_MATCH_1}")
        if(_name MATCHES "^(${_patterns})$")
          list(APPEND _names "${_name}")
        endif()
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_header}")
  endforeach()
  list(JOIN _names "\n  " _names)
  file(CONFIGURE OUTPUT "${_file}" CONTENT "EXPORTS\n  @_names@\n" @ONLY)
endfunction()

# dcsvm_c_library(<target> <file name without lib> <soversion> <exported names, one pattern each>...): the library of
# cpp/src/<target>/c, of which only the interface is visible: a program may carry another copy of the library, or the original.
function(dcsvm_c_library _target _name _version)
  file(GLOB _sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/src/${_target}/c/*.cpp")
  add_library(dcsvm_${_target}_c OBJECT ${_sources})
  set_target_properties(dcsvm_${_target}_c PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  dcsvm_unity_by_folder(dcsvm_${_target}_c "${PROJECT_SOURCE_DIR}/cpp/src")
  target_link_libraries(dcsvm_${_target}_c PUBLIC dcsvm_c_common PRIVATE dcsvm_developer)

  add_library(${_target} SHARED $<TARGET_OBJECTS:dcsvm_${_target}_c> $<TARGET_OBJECTS:dcsvm_c_common>)
  add_library(dcsvm::${_target} ALIAS ${_target})
  target_link_libraries(${_target} PRIVATE dcsvm)
  target_include_directories(${_target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cpp/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${_target} PROPERTIES OUTPUT_NAME ${_name} SOVERSION ${_version} LINKER_LANGUAGE CXX)
  if(APPLE)
    foreach(_pattern ${ARGN})
      target_link_options(${_target} PRIVATE "LINKER:-exported_symbol,_${_pattern}")
    endforeach()
  elseif(WIN32)
    dcsvm_write_def(${_target} "${PROJECT_BINARY_DIR}/${_target}.def" ${ARGN})
    target_sources(${_target} PRIVATE "${PROJECT_BINARY_DIR}/${_target}.def")
  else()
    set(_map "${PROJECT_BINARY_DIR}/${_target}.map")
    list(JOIN ARGN "; " _patterns)
    file(CONFIGURE OUTPUT "${_map}" CONTENT "{\n  global: ${_patterns};\n  local: *;\n};\n" @ONLY)
    target_link_options(${_target} PRIVATE "LINKER:--version-script=${_map}")
    set_target_properties(${_target} PROPERTIES LINK_DEPENDS "${_map}")
  endif()
  set(DCSVM_C_LIBRARIES ${DCSVM_C_LIBRARIES} ${_target} PARENT_SCOPE)
endfunction()

# dcsvm_app(<target> <command> <source>): a command on the library of <target>, linked statically.
function(dcsvm_app _target _command _source)
  add_executable(${_command} "${PROJECT_SOURCE_DIR}/cpp/apps/${_source}" $<TARGET_OBJECTS:dcsvm_apps_common>
                             $<TARGET_OBJECTS:dcsvm_${_target}_c> $<TARGET_OBJECTS:dcsvm_c_common>)
  # Without CMAKE_UNITY_BUILD: clang-tidy takes the rules of a folder (cpp/apps/.clang-tidy) for sources in it only.
  set_target_properties(${_command} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD OFF)
  target_include_directories(${_command} PRIVATE "${PROJECT_SOURCE_DIR}/cpp/apps")
  target_link_libraries(${_command} PRIVATE dcsvm dcsvm_developer)
  set(DCSVM_APPS ${DCSVM_APPS} ${_command} PARENT_SCOPE)
endfunction()

if(DCSVM_BUILD_LIBSVM)
  dcsvm_c_library(libsvm svm 4 "svm_*" "dcsvm_svm_*" libsvm_version)
  dcsvm_app(libsvm svm-train svm_train.cpp)
  dcsvm_app(libsvm svm-predict svm_predict.cpp)
  dcsvm_app(libsvm svm-scale svm_scale.cpp)
endif()
if(DCSVM_BUILD_LIBLINEAR)
  # The names that LIBLINEAR's linear.def lists, and its version.
  dcsvm_c_library(liblinear linear 6 train cross_validation find_parameters predict predict_values predict_probability save_model
                  load_model get_nr_feature get_nr_class get_labels get_decfun_coef get_decfun_bias get_decfun_rho
                  free_model_content free_and_destroy_model destroy_param check_parameter check_probability_model
                  check_regression_model check_oneclass_model set_print_string_function liblinear_version "dcsvm_linear_*")
  dcsvm_app(liblinear liblinear-train liblinear_train.cpp)
  dcsvm_app(liblinear liblinear-predict liblinear_predict.cpp)
endif()
