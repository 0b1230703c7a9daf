// Files of low-rank models (docs/model-format.md).
#include <algorithm>
#include <iterator>
#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "io/model_check.hpp"
#include "io/model_store.hpp"
#include "io/sections.hpp"

namespace dcsvm::io {

namespace {

using models::LowRankData;

// Stored as these numbers for ever.
static_assert(static_cast<int>(LowRankFeatures::nystrom) == 0 && static_cast<int>(LowRankFeatures::rks) == 1 &&
              static_cast<int>(LowRankFeatures::fastfood) == 2);
static_assert(static_cast<int>(MultiClass::one_vs_rest) == 0 && static_cast<int>(MultiClass::one_vs_one) == 1);

const Known<LowRankData> kKnown[] = {
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
  file.section("LRNK", kRequired, [&](ByteWriter& out) {
    put_kernel(model.kernel, out);
    out.put(static_cast<std::uint32_t>(model.features));
    out.put(static_cast<std::uint32_t>(model.multi_class));
    out.put<std::int64_t>(model.n_features);
  });
  file.section("CLAS", kRequired, [&](ByteWriter& out) { out.put_array(model.classes); });
  file.section("LRUS", kRequired, [&](ByteWriter& out) { out.put_array_as<std::int64_t>(model.used); });
  file.section("LRCF", kRequired, [&](ByteWriter& out) {
    out.put_array(model.coef);
    out.put_array(model.intercept);
  });
  file.section("PNTS", kRequired, [&](ByteWriter& out) { put_points(model.points, out); });
  if (!model.phases.empty()) file.section("LRPH", kRequired, [&](ByteWriter& out) { out.put_array(model.phases); });
  file.section("LRRP", 0, [&](ByteWriter& out) { encode_report(model.report, out); });
  return file.finish();
}

LowRankData decode_low_rank(std::string_view bytes) {
  LowRankData model;
  read_known(bytes, kKnown, model);
  check_model(model);
  return model;
}

}  // namespace dcsvm::io

namespace dcsvm {

std::string model_to_bytes(const LowRankModel& model) { return io::encoded(model, io::encode_low_rank); }

LowRankModel low_rank_model_from_bytes(std::string_view bytes) {
  return LowRankModel(std::make_shared<const models::LowRankData>(io::decode_low_rank(bytes)));
}

bool is_low_rank_model(std::string_view bytes) noexcept { return io::starts_with_section(bytes, io::kLowRankTag); }

void save_model(const LowRankModel& model, const std::string& path) { io::write_whole(path, model_to_bytes(model)); }

LowRankModel load_low_rank_model(const std::string& path) { return io::read_model(path, low_rank_model_from_bytes); }

}  // namespace dcsvm
