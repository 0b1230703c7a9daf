# Our own warnings and sanitizers. Linked as $<BUILD_INTERFACE:dcsvm_developer>, so nothing of it reaches a consumer.
add_library(dcsvm_developer INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(dcsvm_developer INTERFACE -Wall -Wextra -Wswitch-enum -Wpedantic -Wconversion -Wno-sign-conversion $<$<BOOL:${DCSVM_WERROR}>:-Werror>)
endif()

if(DCSVM_SANITIZE)
  set(_sanitize "-fsanitize=${DCSVM_SANITIZE}")
  add_compile_options(${_sanitize} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  add_link_options(${_sanitize})
endif()

if(DCSVM_BUILD_FUZZERS)
  # A program keeps what its target calls; tests/fuzz/counted_sources.txt says what is counted and why.
  add_compile_options(-ffunction-sections -fdata-sections
                      "-fsanitize-coverage-allowlist=${PROJECT_SOURCE_DIR}/tests/fuzz/counted_sources.txt")
  add_link_options(-Wl,--gc-sections)
endif()
