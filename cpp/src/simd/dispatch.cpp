// Chooses the instruction set once, at first use.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "simd/cpu.hpp"
#include "simd/tables.hpp"

namespace dcsvm::simd {

extern const IsaTables baseline_tables;
extern const IsaTables avx2_tables;
extern const IsaTables avx512_tables;
extern const ByteOps avx512vnni_bytes;
extern const ByteOps amx_bytes;
extern const IsaTables neon_tables;

namespace {

// What an instruction set of x86 needs (Intel's manual, volume 2, CPUID).
enum Ecx1 : unsigned { kFma = 1U << 12, kAvx = 1U << 28 };
enum Ebx7 : unsigned { kAvx2 = 1U << 5, kAvx512 = 1U << 16 | 1U << 17 | 1U << 30 | 1U << 31 };  // the latter: F, DQ, BW, VL
enum Ecx7 : unsigned { kVnni = 1U << 11, kPopcount = 1U << 14 };
enum Edx7 : unsigned { kTiles = 1U << 24 | 1U << 25 };  // AMX-TILE and AMX-INT8
enum Saved : unsigned { kYmm = 0x06, kZmm = 0xe6, kTmm = 0x600e6 };  // from the second on: and masks

struct Isa {
  const char* name;
  const IsaTables* tables;
  CpuBits needs = {};
  const ByteOps* bytes = nullptr;  ///< null: those of the tables
  CpuBits bits_need = {};  ///< its products of bits
  bool runs_here() const { return cpu_has(needs) && (needs.saved != kTmm || tiles_permitted()); }
};

// Those that this build has, the best last. Of their names cmake/SimdSources.cmake makes the macros.
constexpr Isa kIsas[] = {
    {"baseline", &baseline_tables},
#ifdef DCSVM_HAVE_AVX2
    {"avx2", &avx2_tables, {kFma | kAvx, kAvx2, 0, kYmm}},
#endif
#ifdef DCSVM_HAVE_AVX512
    {"avx512", &avx512_tables, {kFma | kAvx, kAvx2 | kAvx512, 0, kZmm}},
#ifdef DCSVM_HAVE_AVX512VNNI
    {"avx512vnni", &avx512_tables, {kFma | kAvx, kAvx2 | kAvx512, kVnni, kZmm}, &avx512vnni_bytes, {0, 0, kPopcount, 0}},
#endif
#ifdef DCSVM_HAVE_AMX
    {"amx", &avx512_tables, {kFma | kAvx, kAvx2 | kAvx512, kVnni, kTmm, kTiles}, &amx_bytes, {0, 0, kPopcount, 0}},
#endif
#endif
#ifdef DCSVM_HAVE_NEON
    {"neon", &neon_tables},
#endif
};
static_assert(std::size(kIsas) == DCSVM_SIMD_BUILT, "an instruction set of cmake/SimdSources.cmake has no line in kIsas");

const Isa& choose() {
  const char* forced = std::getenv("DCSVM_FORCE_ISA");
  if (forced == nullptr || *forced == '\0') {
    const Isa* best = kIsas;
    for (const Isa& isa : kIsas) {
      if (isa.runs_here()) best = &isa;
    }
    return *best;
  }
  std::string built;
  for (const Isa& isa : kIsas) {
    if (std::string(forced) == isa.name) {
      if (isa.runs_here()) return isa;
      const char* const why = cpu_has(isa.needs)
                                  ? "the system does not permit its registers to this process, or the alternate signal stack "
                                    "(sigaltstack) of a thread is too small for them"
                                  : "this CPU or the operating system does not offer it";
      throw ParameterError("DCSVM_FORCE_ISA=" + std::string(forced) + ": " + why);
    }
    built += (built.empty() ? "" : ", ") + std::string(isa.name);
  }
  throw ParameterError("DCSVM_FORCE_ISA=" + std::string(forced) + " is unknown or not built; built are: " + built);
}

const Isa& active() {
  static const Isa& isa = choose();
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
bool has_bit_ops() {
  static const bool has = byte_ops() != nullptr && cpu_has(active().bits_need);
  return has;
}

std::vector<std::string> built_isas() {
  std::vector<std::string> names;
  for (const Isa& isa : kIsas) names.emplace_back(isa.name);
  return names;
}

bool runs_here(const std::string& built_isa) {
  return std::any_of(std::begin(kIsas), std::end(kIsas),
                     [&](const Isa& isa) { return isa.name == built_isa && isa.runs_here(); });
}

std::string active_isa() { return active().name; }

}  // namespace dcsvm::simd
