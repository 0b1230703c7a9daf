# With CMAKE_UNITY_BUILD=ON, which pip sets, the sources of one folder are compiled as one file: half the time, because the headers
# are read once a folder. Folders instead of CMake's groups of eight, so that a new file cannot bring together two old ones whose
# names clash. A developer who compiles again after each change is better off without it.
function(dcsvm_unity_by_folder target root)
  get_target_property(_sources ${target} SOURCES)
  foreach(_source IN LISTS _sources)
    get_filename_component(_folder "${_source}" ABSOLUTE)
    get_filename_component(_folder "${_folder}" DIRECTORY)
    file(RELATIVE_PATH _folder "${root}" "${_folder}")
    string(MAKE_C_IDENTIFIER "${_folder}" _group)
    set_source_files_properties("${_source}" PROPERTIES UNITY_GROUP "${_group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes an included source for a header, whose anonymous namespaces would be a mistake.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
