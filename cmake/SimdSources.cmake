# Which source of cpp/src/simd is compiled with which flags. Only these files get them: the rest of the library runs on any CPU,
# and picks a table of functions when it starts. Elsewhere than on x86-64 and arm64
# baseline.cpp is the only one.
include(CheckCXXCompilerFlag)

set(DCSVM_SIMD_ALL baseline avx2 avx512 avx512vnni neon)
set(DCSVM_SIMD_FLAGS_baseline "")
set(DCSVM_SIMD_FLAGS_avx2 -mavx2 -mfma)
set(DCSVM_SIMD_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
set(DCSVM_SIMD_FLAGS_avx512vnni ${DCSVM_SIMD_FLAGS_avx512} -mavx512vnni)
set(DCSVM_SIMD_FLAGS_neon "") # every arm64 CPU has it
# Multiplications and additions are fused. Clang's `fast` fuses what is left after other optimisations, so that a row computed alone
# could differ in its last bits from the same row among others; its `on` fuses by the expressions of the source. GCC's `on` fuses nothing.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(DCSVM_SIMD_FLAGS_common -O3 -ffp-contract=on)
else()
  set(DCSVM_SIMD_FLAGS_common -O3 -ffp-contract=fast)
endif()

set(DCSVM_SIMD_ISAS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  foreach(_isa avx2 avx512 avx512vnni)
    string(JOIN " " CMAKE_REQUIRED_FLAGS ${DCSVM_SIMD_FLAGS_${_isa}})
    check_cxx_compiler_flag("" DCSVM_COMPILER_HAS_${_isa})
    if(DCSVM_COMPILER_HAS_${_isa})
      list(APPEND DCSVM_SIMD_ISAS ${_isa})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_FLAGS)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  list(APPEND DCSVM_SIMD_ISAS neon)
endif()

# Sets the flags of the per-ISA sources that `target` has, drops those that cannot be built here, and defines
# DCSVM_HAVE_AVX2, _AVX512, _AVX512VNNI, _NEON for its sources.
function(dcsvm_simd_sources target)
  get_target_property(_sources ${target} SOURCES)
  set(_definitions "")
  foreach(_isa ${DCSVM_SIMD_ALL})
    set(_file "${PROJECT_SOURCE_DIR}/cpp/src/simd/${_isa}.cpp")
    if(NOT _file IN_LIST _sources)
      continue()
    elseif(_isa IN_LIST DCSVM_SIMD_ISAS)
      set_source_files_properties("${_file}" PROPERTIES COMPILE_OPTIONS "${DCSVM_SIMD_FLAGS_${_isa}};${DCSVM_SIMD_FLAGS_common}")
      if(NOT _isa STREQUAL "baseline")
        string(TOUPPER "DCSVM_HAVE_${_isa}" _macro)
        list(APPEND _definitions ${_macro})
      endif()
    else()
      list(REMOVE_ITEM _sources "${_file}")
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${_sources})
  target_compile_definitions(${target} PRIVATE ${_definitions})
endfunction()
