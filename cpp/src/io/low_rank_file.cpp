// Files of low-rank models (docs/model-format.md).
#include <algorithm>
#include <iterator>
#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "io/file.hpp"
#include "io/model_check.hpp"
#include "io/sections.hpp"

namespace dcsvm::io {

namespace {

using models::LowRankData;

// Stored as these numbers for ever.
static_assert(static_cast<int>(LowRankFeatures::nystrom) == 0 && static_cast<int>(LowRankFeatures::rks) == 1 &&
              static_cast<int>(LowRankFeatures::fastfood) == 2);
static_assert(static_cast<int>(MultiClass::one_vs_rest) == 0 && static_cast<int>(MultiClass::one_vs_one) == 1);

struct Known {
  const char* tag;
  bool always;
  void (*read)(ByteReader&, LowRankData&);
};

const Known kKnown[] = {
    {"LRNK", true,
     [](ByteReader& in, LowRankData& m) {
       m.kernel = get_kernel(in);
       m.features = get_enum<LowRankFeatures>(in, 2, "features");
       m.multi_class = get_enum<MultiClass>(in, 1, "multi_class");
       m.n_features = static_cast<Index>(in.get<std::int64_t>());
     }},
    {"CLAS", true, [](ByteReader& in, LowRankData& m) { m.classes = in.get_array<double>(); }},
    {"LRUS", true,
     [](ByteReader& in, LowRankData& m) {
       const auto used = in.get_array<std::int64_t>();
       m.used.assign(used.begin(), used.end());
     }},
    {"LRCF", true,
     [](ByteReader& in, LowRankData& m) {
       m.coef = in.get_array<double>();
       m.intercept = in.get_array<double>();
     }},
    {"PNTS", true, [](ByteReader& in, LowRankData& m) { m.points = get_points(in); }},
    {"LRPH", false, [](ByteReader& in, LowRankData& m) { m.phases = in.get_array<double>(); }},
    {"LRRP", false, [](ByteReader& in, LowRankData& m) { m.report = decode_low_rank_report(in); }},
};

}  // namespace

std::string encode_low_rank(const LowRankData& model) {
  check_model(model);
  SectionWriter file;
  const auto section = [&](const char* tag, std::uint32_t flags, auto&& fill) {
    ByteWriter out;
    fill(out);
    file.section(tag, flags, out.bytes());
  };
  section("LRNK", kRequired, [&](ByteWriter& out) {
    put_kernel(model.kernel, out);
    out.put(static_cast<std::uint32_t>(model.features));
    out.put(static_cast<std::uint32_t>(model.multi_class));
    out.put<std::int64_t>(model.n_features);
  });
  section("CLAS", kRequired, [&](ByteWriter& out) { out.put_array(model.classes); });
  section("LRUS", kRequired, [&](ByteWriter& out) { out.put_array_as<std::int64_t>(model.used); });
  section("LRCF", kRequired, [&](ByteWriter& out) {
    out.put_array(model.coef);
    out.put_array(model.intercept);
  });
  section("PNTS", kRequired, [&](ByteWriter& out) { put_points(model.points, out); });
  if (!model.phases.empty()) section("LRPH", kRequired, [&](ByteWriter& out) { out.put_array(model.phases); });
  section("LRRP", 0, [&](ByteWriter& out) { encode_report(model.report, out); });
  return file.finish();
}

LowRankData decode_low_rank(std::string_view bytes) {
  LowRankData model;
  std::vector<std::string> seen;
  for (const Section& s : read_sections(bytes)) {
    const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return s.tag == k.tag; });
    ByteReader in = payload_of(bytes, s);
    if (known == std::end(kKnown)) {
      refuse_if_required(s, in);
      continue;
    }
    known->read(in, model);
    in.finish();
    seen.push_back(s.tag);
  }
  for (const Known& known : kKnown) {
    const auto count = std::count(seen.begin(), seen.end(), known.tag);
    if (count > 1) throw ModelError(std::string("model: section ") + known.tag + ": present twice");
    if (known.always && count == 0) throw ModelError(std::string("model: section ") + known.tag + ": missing");
  }
  check_model(model);
  return model;
}

bool starts_low_rank(std::string_view bytes) noexcept {
  return bytes.size() > kHeaderBytes + kLowRankTag.size() && bytes.compare(0, kMagic.size(), kMagic) == 0 &&
         bytes.compare(kHeaderBytes, kLowRankTag.size(), kLowRankTag) == 0;
}

}  // namespace dcsvm::io

namespace dcsvm {

std::string model_to_bytes(const LowRankModel& model) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  return io::encode_low_rank(*model.data());
}

LowRankModel low_rank_model_from_bytes(std::string_view bytes) {
  return LowRankModel(std::make_shared<const models::LowRankData>(io::decode_low_rank(bytes)));
}

bool is_low_rank_model(std::string_view bytes) noexcept { return io::starts_low_rank(bytes); }

void save_model(const LowRankModel& model, const std::string& path) {
  const std::string bytes = model_to_bytes(model);
  io::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

LowRankModel load_low_rank_model(const std::string& path) {
  const std::string bytes = io::read_file(path);
  try {
    return low_rank_model_from_bytes(bytes);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm
