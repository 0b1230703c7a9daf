// Chooses the instruction set once, at first use.
#include <cstdlib>

#include "dcsvm/errors.hpp"
#include "simd/cpu.hpp"
#include "simd/tables.hpp"

namespace dcsvm::simd {

extern const IsaTables baseline_tables;
#ifdef DCSVM_HAVE_AVX2
extern const IsaTables avx2_tables;
#endif
#ifdef DCSVM_HAVE_AVX512
extern const IsaTables avx512_tables;
#endif
#ifdef DCSVM_HAVE_AVX512VNNI
extern const ByteOps avx512vnni_bytes;
#endif
#ifdef DCSVM_HAVE_NEON
extern const IsaTables neon_tables;
#endif

namespace {

struct Isa {
  std::string name;
  const IsaTables* tables = nullptr;
  bool runs_here = false;
  const ByteOps* bytes = nullptr;  ///< null: those of the tables
};

std::vector<Isa> known() {
  [[maybe_unused]] const CpuFeatures cpu = cpu_features();
  std::vector<Isa> list{{"baseline", &baseline_tables, true}};
#ifdef DCSVM_HAVE_AVX2
  list.push_back({"avx2", &avx2_tables, cpu.avx2});
#endif
#ifdef DCSVM_HAVE_AVX512
  list.push_back({"avx512", &avx512_tables, cpu.avx512});
#ifdef DCSVM_HAVE_AVX512VNNI
  list.push_back({"avx512vnni", &avx512_tables, cpu.avx512vnni, &avx512vnni_bytes});
#endif
#endif
#ifdef DCSVM_HAVE_NEON
  list.push_back({"neon", &neon_tables, true});
#endif
  return list;
}

Isa choose() {
  const auto list = known();
  const char* forced = std::getenv("DCSVM_FORCE_ISA");
  if (forced == nullptr || *forced == '\0') {
    for (auto it = list.rbegin(); it != list.rend(); ++it) {
      if (it->runs_here) return *it;
    }
  }
  std::string built;
  for (const auto& isa : list) {
    if (isa.name == forced) {
      if (isa.runs_here) return isa;
      throw ParameterError("DCSVM_FORCE_ISA=" + isa.name + ": this CPU does not have it");
    }
    built += (built.empty() ? "" : ", ") + isa.name;
  }
  throw ParameterError("DCSVM_FORCE_ISA=" + std::string(forced) + " is unknown or not built; built are: " + built);
}

const Isa& active() {
  static const Isa isa = choose();
  return isa;
}

}  // namespace

template <>
const Ops<float>& ops<float>() {
  return active().tables->of_float;
}
template <>
const Ops<double>& ops<double>() {
  return active().tables->of_double;
}

template <>
const LaneOps<float>& lane_ops<float>() {
  return active().tables->lanes_of_float;
}
template <>
const LaneOps<double>& lane_ops<double>() {
  return active().tables->lanes_of_double;
}

const FactorOps& factor_ops() { return active().tables->factors; }

const ByteOps* byte_ops() { return active().bytes != nullptr ? active().bytes : active().tables->bytes; }

std::vector<std::string> built_isas() {
  std::vector<std::string> names;
  for (const auto& isa : known()) names.push_back(isa.name);
  return names;
}

const std::string& active_isa() { return active().name; }

}  // namespace dcsvm::simd
