// Chooses the instruction set once, at first use.
#include <cstdlib>

#include "dcsvm/errors.hpp"
#include "simd/bytes.hpp"
#include "simd/cpu.hpp"
#include "simd/lanes.hpp"
#include "simd/ops.hpp"

namespace dcsvm::simd {

extern const Ops<float> baseline_float;
extern const Ops<double> baseline_double;
extern const LaneOps<float> baseline_float_lanes;
extern const LaneOps<double> baseline_double_lanes;
#ifdef DCSVM_HAVE_AVX2
extern const Ops<float> avx2_float;
extern const Ops<double> avx2_double;
extern const LaneOps<float> avx2_float_lanes;
extern const LaneOps<double> avx2_double_lanes;
extern const ByteOps avx2_bytes;
#endif
#ifdef DCSVM_HAVE_AVX512
extern const Ops<float> avx512_float;
extern const Ops<double> avx512_double;
extern const LaneOps<float> avx512_float_lanes;
extern const LaneOps<double> avx512_double_lanes;
#endif
#ifdef DCSVM_HAVE_AVX512VNNI
extern const ByteOps avx512vnni_bytes;
#endif
#ifdef DCSVM_HAVE_NEON
extern const Ops<float> neon_float;
extern const Ops<double> neon_double;
extern const LaneOps<float> neon_float_lanes;
extern const LaneOps<double> neon_double_lanes;
#endif

namespace {

struct Isa {
  std::string name;
  const Ops<float>* float_ops = nullptr;
  const Ops<double>* double_ops = nullptr;
  const LaneOps<float>* float_lanes = nullptr;
  const LaneOps<double>* double_lanes = nullptr;
  bool runs_here = false;
  const ByteOps* bytes = nullptr;
};

std::vector<Isa> known() {
  [[maybe_unused]] const CpuFeatures cpu = cpu_features();
  std::vector<Isa> list{{"baseline", &baseline_float, &baseline_double, &baseline_float_lanes, &baseline_double_lanes, true}};
#ifdef DCSVM_HAVE_AVX2
  list.push_back({"avx2", &avx2_float, &avx2_double, &avx2_float_lanes, &avx2_double_lanes, cpu.avx2, &avx2_bytes});
#endif
#ifdef DCSVM_HAVE_AVX512
  list.push_back({"avx512", &avx512_float, &avx512_double, &avx512_float_lanes, &avx512_double_lanes, cpu.avx512});
#ifdef DCSVM_HAVE_AVX512VNNI
  list.push_back({"avx512vnni", &avx512_float, &avx512_double, &avx512_float_lanes, &avx512_double_lanes, cpu.avx512vnni,
                  &avx512vnni_bytes});
#endif
#endif
#ifdef DCSVM_HAVE_NEON
  list.push_back({"neon", &neon_float, &neon_double, &neon_float_lanes, &neon_double_lanes, true});
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
  return *active().float_ops;
}
template <>
const Ops<double>& ops<double>() {
  return *active().double_ops;
}

template <>
const LaneOps<float>& lane_ops<float>() {
  return *active().float_lanes;
}
template <>
const LaneOps<double>& lane_ops<double>() {
  return *active().double_lanes;
}

const ByteOps* byte_ops() { return active().bytes; }

std::vector<std::string> built_isas() {
  std::vector<std::string> names;
  for (const auto& isa : known()) names.push_back(isa.name);
  return names;
}

const std::string& active_isa() { return active().name; }

}  // namespace dcsvm::simd
