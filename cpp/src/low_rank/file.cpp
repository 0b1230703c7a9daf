// Files of low-rank models (docs/model-format.md).
#include <algorithm>
#include <iterator>
#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "files/model_checks.hpp"
#include "files/model_store.hpp"
#include "files/sections.hpp"
#include "low_rank/file.hpp"

namespace dcsvm::low_rank {

namespace {

// Sizes, ranges and values that prediction relies on: a checksum does not stop someone who recomputes it.
void check_model(const LowRankData& m) {
  const char* const head = "LRNK";
  files::check_kernel(m.kernel, head);
  files::require(m.n_features >= 1, head, "n_features must be positive");
  files::check_classes(m.classes);
  files::require(m.classes.size() < (std::size_t{1} << 28), "CLAS", "too many classes");
  const Index problems = n_problems(m), k = files::size_of(m.used.size());
  files::require(k >= 1, "LRUS", "no landmarks");
  files::require(files::is_product(problems, k, files::size_of(m.coef.size())), "LRCF",
                 "problems x landmarks coefficients expected");
  files::require(files::size_of(m.intercept.size()) == problems, "LRCF", "one intercept for each problem expected");
  files::require(files::finite(m.coef) && files::finite(m.intercept), "LRCF", "a coefficient is not finite");
  files::check_points(m.points, "PNTS");
  const bool precomputed = m.kernel.type == KernelType::precomputed;
  for (const Index i : m.used) files::require(i >= 0 && (!precomputed || i < m.n_features), "LRUS", "a landmark is out of range");
  if (precomputed) {
    files::require(m.points.rows == 0, "PNTS", "a precomputed kernel has no points");
  } else {
    files::require(m.points.rows == k && m.points.cols == m.n_features, "PNTS", "landmarks x n_features expected");
  }
  const bool fourier = m.features != LowRankFeatures::nystrom;
  files::require(!fourier || m.kernel.type == KernelType::rbf, head, "random Fourier features belong to the rbf kernel");
  files::require(m.phases.size() == (fourier ? m.used.size() : 0), "LRPH", "one phase for each direction expected");
  files::require(files::finite(m.phases), "LRPH", "a phase is not finite");
}

// Stored as these numbers for ever.
static_assert(static_cast<int>(LowRankFeatures::nystrom) == 0 && static_cast<int>(LowRankFeatures::rks) == 1 &&
              static_cast<int>(LowRankFeatures::fastfood) == 2);
static_assert(static_cast<int>(MultiClass::one_vs_rest) == 0 && static_cast<int>(MultiClass::one_vs_one) == 1);

const files::Known<LowRankData> kKnown[] = {
    {"LRNK", true,
     [](files::ByteReader& in, LowRankData& m) {
       m.kernel = files::get_kernel(in);
       m.features = files::get_enum<LowRankFeatures>(in, 2, "features");
       m.multi_class = files::get_enum<MultiClass>(in, 1, "multi_class");
       m.n_features = static_cast<Index>(in.get<std::int64_t>());
     }},
    {"CLAS", true, [](files::ByteReader& in, LowRankData& m) { m.classes = in.get_array<double>(); }},
    {"LRUS", true,
     [](files::ByteReader& in, LowRankData& m) {
       const auto used = in.get_array<std::int64_t>();
       m.used.assign(used.begin(), used.end());
     }},
    {"LRCF", true,
     [](files::ByteReader& in, LowRankData& m) {
       m.coef = in.get_array<double>();
       m.intercept = in.get_array<double>();
     }},
    {"PNTS", true, [](files::ByteReader& in, LowRankData& m) { m.points = files::get_points(in); }},
    {"LRPH", false, [](files::ByteReader& in, LowRankData& m) { m.phases = in.get_array<double>(); }},
    {"LRRP", false, [](files::ByteReader& in, LowRankData& m) { m.report = decode_low_rank_report(in); }},
};

}  // namespace

std::string encode_low_rank(const LowRankData& model) {
  check_model(model);
  files::SectionWriter file;
  file.section("LRNK", files::kRequired, [&](files::ByteWriter& out) {
    files::put_kernel(model.kernel, out);
    out.put(static_cast<std::uint32_t>(model.features));
    out.put(static_cast<std::uint32_t>(model.multi_class));
    out.put<std::int64_t>(model.n_features);
  });
  file.section("CLAS", files::kRequired, [&](files::ByteWriter& out) { out.put_array(model.classes); });
  file.section("LRUS", files::kRequired, [&](files::ByteWriter& out) { out.put_array_as<std::int64_t>(model.used); });
  file.section("LRCF", files::kRequired, [&](files::ByteWriter& out) {
    out.put_array(model.coef);
    out.put_array(model.intercept);
  });
  file.section("PNTS", files::kRequired, [&](files::ByteWriter& out) { files::put_points(model.points, out); });
  if (!model.phases.empty()) file.section("LRPH", files::kRequired, [&](files::ByteWriter& out) { out.put_array(model.phases); });
  file.section("LRRP", 0, [&](files::ByteWriter& out) { files::encode_report(model.report, out); });
  return file.finish();
}

LowRankData decode_low_rank(std::string_view bytes) {
  LowRankData model;
  files::read_known(bytes, kKnown, model);
  check_model(model);
  return model;
}

}  // namespace dcsvm::low_rank

namespace dcsvm {

std::string model_to_bytes(const LowRankModel& model) { return files::encoded(model, low_rank::encode_low_rank); }

LowRankModel low_rank_model_from_bytes(std::string_view bytes) {
  return LowRankModel(std::make_shared<const low_rank::LowRankData>(low_rank::decode_low_rank(bytes)));
}

bool is_low_rank_model(std::string_view bytes) noexcept { return files::starts_with_section(bytes, low_rank::kLowRankTag); }

void save_model(const LowRankModel& model, const std::string& path) { files::write_whole(path, model_to_bytes(model)); }

LowRankModel load_low_rank_model(const std::string& path) { return files::read_model(path, low_rank_model_from_bytes); }

}  // namespace dcsvm
