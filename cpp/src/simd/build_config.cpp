#include "dcsvm/build_config.hpp"

#include "base/thread_pool.hpp"
#include "dcsvm/version.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

const char* version() noexcept { return DCSVM_VERSION; }

BuildConfig build_config() {
  BuildConfig config;
  config.version = version();
#if defined(__clang__)
  config.compiler = "clang " __clang_version__;
#else
  config.compiler = "gcc " __VERSION__;
#endif
  config.isa_built = simd::built_isas();
  config.isa = simd::active_isa();
  config.n_threads = base::resolve_threads(0);
  return config;
}

}  // namespace dcsvm
