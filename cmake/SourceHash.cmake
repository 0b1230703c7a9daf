# One hash of everything under cpp/include and cpp/src. The installed package carries it (dcsvm_SOURCE_HASH), so that the C++
# tests, which include headers of cpp/src, never link a library that was built from other sources.
get_filename_component(_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
file(GLOB_RECURSE _files "${_root}/cpp/include/*" "${_root}/cpp/src/*")
set(_hashes "")
foreach(_file ${_files})
  file(SHA256 "${_file}" _hash)
  string(APPEND _hashes "${_hash}")
endforeach()
string(SHA256 DCSVM_SOURCE_HASH "${_hashes}")
