// Files of DC-Pred++ models (docs/model-format.md).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "dc_pred/file.hpp"
#include "dc_pred/model_data.hpp"
#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
#include "files/model_checks.hpp"
#include "files/model_store.hpp"
#include "files/sections.hpp"

namespace dcsvm::dc_pred {

namespace {

// Stored as these numbers for ever.
static_assert(static_cast<int>(PseudoLandmarks::none) == 0 && static_cast<int>(PseudoLandmarks::triangle_lower) == 1 &&
              static_cast<int>(PseudoLandmarks::triangle_upper) == 2 && static_cast<int>(PseudoLandmarks::polynomial) == 3);

[[noreturn]] void refuse(const char* tag, const char* what) {
  throw ModelError(std::string("model: section ") + tag + ": " + what);
}
void require(bool good, const char* tag, const char* what) {
  if (!good) refuse(tag, what);
}

bool finite(const std::vector<float>& v) {
  return std::all_of(v.begin(), v.end(), [](float x) { return std::isfinite(x); });
}

/// Rows of `stride` floats without their padding, and back.
std::vector<float> packed(const std::vector<float>& rows, Index stride, Index d) {
  std::vector<float> out;
  for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(stride)) {
    out.insert(out.end(), rows.begin() + static_cast<Index>(i), rows.begin() + static_cast<Index>(i) + d);
  }
  return out;
}
std::vector<float> unpacked(const std::vector<float>& rows, Index d, const char* tag) {
  require(rows.size() % static_cast<std::size_t>(d) == 0, tag, "rows of n_features values expected");
  std::vector<float> out(rows.size() / static_cast<std::size_t>(d) * static_cast<std::size_t>(data::padded(d)), 0.0F);
  for (std::size_t i = 0; i < rows.size() / static_cast<std::size_t>(d); ++i) {
    std::copy_n(rows.begin() + static_cast<Index>(i * static_cast<std::size_t>(d)), d,
                out.begin() + static_cast<Index>(i * static_cast<std::size_t>(data::padded(d))));
  }
  return out;
}

void put_leaf(const DcPredLeaf& leaf, Index d, files::ByteWriter& out) {
  const LeafBasis& basis = leaf.basis;
  out.put<std::int64_t>(basis.m);
  out.put<std::int64_t>(basis.p);
  out.put(basis.gamma);
  out.put_array(packed(basis.landmarks, basis.stride, d));
  out.put_array(basis.between.empty() ? basis.between : packed(basis.between, data::padded(basis.p), basis.p));
  out.put_array(basis.pairs);
  std::vector<float> coef;
  for (std::size_t o = 0; o < leaf.intercept.size() && basis.m > 0; ++o) {
    const auto row = leaf.coef.begin() + static_cast<Index>(o) * basis.width();
    coef.insert(coef.end(), row, row + basis.m);
    coef.insert(coef.end(), row + data::padded(basis.m), row + data::padded(basis.m) + basis.p);
  }
  out.put_array(coef);
  out.put_array(leaf.intercept);
}

DcPredLeaf get_leaf(files::ByteReader& in, const DcPredData& model) {
  const char* const tag = "DPLF";
  const auto m = static_cast<Index>(in.get<std::int64_t>()), p = static_cast<Index>(in.get<std::int64_t>());
  const auto gamma = in.get<float>();
  require(std::isfinite(gamma) && gamma >= 0, tag, "gamma is negative or not finite");
  const auto landmarks = in.get_array<float>(), between = in.get_array<float>();
  auto pairs = in.get_array<std::int32_t>();
  const auto coef = in.get_array<float>();
  DcPredLeaf leaf;
  leaf.intercept = in.get_array<float>();
  require(static_cast<Index>(leaf.intercept.size()) == model.outputs(), tag, "one intercept for each output expected");
  require(finite(landmarks) && finite(between) && finite(coef) && finite(leaf.intercept), tag, "a value is not finite");
  const Index most = Index{1} << 31;
  require(m >= 0 && p >= 0 && m < most && p < most, tag, "numbers of landmarks out of range");
  require(landmarks.size() / static_cast<std::size_t>(model.n_features) == static_cast<std::size_t>(m) &&
              landmarks.size() % static_cast<std::size_t>(model.n_features) == 0,
          tag, "landmarks x n_features values expected");
  const bool polynomial = model.pseudo == PseudoLandmarks::polynomial;
  require(p == 0 || (m > 0 && model.pseudo != PseudoLandmarks::none), tag, "pseudo landmarks without landmarks or kind");
  require(polynomial ? pairs.size() == static_cast<std::size_t>(2 * p) && between.empty()
                     : pairs.empty() && between.size() == static_cast<std::size_t>(m * p),
          tag, "what pseudo landmarks need is of another size");
  for (const std::int32_t j : pairs) require(j >= 0 && j < m, tag, "a pair names no landmark");
  require(m == 0 ? coef.empty() : coef.size() == static_cast<std::size_t>(model.outputs() * (m + p)), tag,
          "one coefficient for each feature expected");
  leaf.basis = make_basis(unpacked(landmarks, model.n_features, tag), m, model.n_features, model.stride(), gamma);
  leaf.basis.p = p;
  leaf.basis.pairs = std::move(pairs);
  if (!between.empty()) leaf.basis.between = unpacked(between, p, tag);
  if (m == 0) return leaf;
  leaf.coef.assign(model.outputs() * leaf.basis.width(), 0.0F);
  for (Index o = 0; o < model.outputs(); ++o) {
    const auto from = coef.begin() + o * (m + p);
    const auto to = leaf.coef.begin() + o * leaf.basis.width();
    std::copy(from, from + m, to);
    std::copy(from + m, from + m + p, to + data::padded(m));
  }
  return leaf;
}

void check_head(const DcPredData& m) {
  const char* const head = "DPRD";
  files::check_kernel(m.kernel, head);
  require(m.kernel.type != KernelType::precomputed, head, "a precomputed kernel has no landmarks");
  const bool triangle = m.pseudo == PseudoLandmarks::triangle_lower || m.pseudo == PseudoLandmarks::triangle_upper;
  require(!triangle || m.kernel.type == KernelType::rbf, head, "the triangle inequality belongs to the rbf kernel");
  require(m.n_features >= 1 && m.n_features < (Index{1} << 31), head, "n_features is out of range");
  if (!m.classes.empty()) files::check_classes(m.classes);
}

/// Each node but the first is a child once, behind its parent; each leaf is a child once.
void check_tree(const DcPredData& m) {
  const char* const tag = "DPTR";
  const SplitTree& tree = m.tree;
  require(finite(tree.directions) && finite(tree.thresholds), tag, "a value is not finite");
  require(tree.directions.size() == tree.thresholds.size() * static_cast<std::size_t>(m.stride()), tag,
          "nodes x n_features values expected");
  require(tree.children.size() == 2 * tree.thresholds.size(), tag, "two children for each node expected");
  std::vector<char> node_seen(tree.thresholds.size(), 0), leaf_seen(tree.thresholds.size() + 1, 0);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const std::int32_t child = tree.children[i];
    std::vector<char>& seen = child < 0 ? leaf_seen : node_seen;
    const auto number = static_cast<std::size_t>(child < 0 ? ~child : child);
    require(number < seen.size() && seen[number] == 0, tag, "a child is out of range or has two parents");
    require(child < 0 || number > i / 2, tag, "a node comes before its parent");
    seen[number] = 1;
  }
}

const files::Known<DcPredData> kKnown[] = {
    {"DPRD", true,
     [](files::ByteReader& in, DcPredData& m) {
       m.kernel = files::get_kernel(in);
       m.pseudo = files::get_enum<PseudoLandmarks>(in, 3, "pseudo");
       m.n_features = static_cast<Index>(in.get<std::int64_t>());
       m.classes = in.get_array<double>();
       check_head(m);
       m.shift = unpacked(in.get_array<float>(), m.n_features, "DPRD");
       require(static_cast<Index>(m.shift.size()) == m.stride() && finite(m.shift), "DPRD", "n_features finite shifts expected");
       m.kind = feature_kind(m.kernel, m.pseudo);
     }},
    {"DPTR", true,
     [](files::ByteReader& in, DcPredData& m) {
       require(m.n_features > 0, "DPTR", "comes before section DPRD");
       m.tree.stride = m.stride();
       m.tree.directions = unpacked(in.get_array<float>(), m.n_features, "DPTR");
       m.tree.thresholds = in.get_array<float>();
       m.tree.children = in.get_array<std::int32_t>();
       check_tree(m);
     }},
    {"DPLF", true,
     [](files::ByteReader& in, DcPredData& m) {
       require(m.n_features > 0, "DPLF", "comes before section DPRD");
       const auto count = in.get<std::uint64_t>();
       for (std::uint64_t l = 0; l < count; ++l) m.leaves.push_back(get_leaf(in, m));
     }},
    {"DPRP", false, [](files::ByteReader& in, DcPredData& m) { m.report = decode_dc_pred_report(in); }},
};

}  // namespace

std::string encode_dc_pred(const DcPredData& model) {
  files::SectionWriter file;
  file.section("DPRD", files::kRequired, [&](files::ByteWriter& out) {
    files::put_kernel(model.kernel, out);
    out.put(static_cast<std::uint32_t>(model.pseudo));
    out.put<std::int64_t>(model.n_features);
    out.put_array(model.classes);
    out.put_array(packed(model.shift, model.stride(), model.n_features));
  });
  file.section("DPTR", files::kRequired, [&](files::ByteWriter& out) {
    out.put_array(packed(model.tree.directions, model.stride(), model.n_features));
    out.put_array(model.tree.thresholds);
    out.put_array(model.tree.children);
  });
  file.section("DPLF", files::kRequired, [&](files::ByteWriter& out) {
    out.put<std::uint64_t>(model.leaves.size());
    for (const DcPredLeaf& leaf : model.leaves) put_leaf(leaf, model.n_features, out);
  });
  file.section("DPRP", 0, [&](files::ByteWriter& out) { files::encode_report(model.report, out); });
  return file.finish();
}

DcPredData decode_dc_pred(std::string_view bytes) {
  DcPredData model;
  files::read_known(bytes, kKnown, model);
  require(static_cast<Index>(model.leaves.size()) == model.tree.leaves(), "DPLF", "one leaf more than nodes expected");
  return model;
}

}  // namespace dcsvm::dc_pred

namespace dcsvm {

std::string model_to_bytes(const DcPredModel& model) { return files::encoded(model, dc_pred::encode_dc_pred); }

DcPredModel dc_pred_model_from_bytes(std::string_view bytes) {
  return DcPredModel(std::make_shared<const dc_pred::DcPredData>(dc_pred::decode_dc_pred(bytes)));
}

bool is_dc_pred_model(std::string_view bytes) noexcept { return files::starts_with_section(bytes, dc_pred::kDcPredTag); }

void save_model(const DcPredModel& model, const std::string& path) { files::write_whole(path, model_to_bytes(model)); }

DcPredModel load_dc_pred_model(const std::string& path) { return files::read_model(path, dc_pred_model_from_bytes); }

}  // namespace dcsvm
