// The file of a DC-Pred++ model (docs/model-format.md).
#include <algorithm>
#include <cmath>
#include <utility>

#include "dc_pred/model_data.hpp"
#include "files/model_checks.hpp"
#include "files/sections.hpp"

namespace dcsvm::dc_pred {

namespace {

/// `count` rows of `width` values each, which lie `from` apart, as rows that lie `to` apart; padding is 0.
std::vector<float> copy_rows(const std::vector<float>& rows, Index count, Index width, Index from, Index to) {
  std::vector<float> out(count * to, 0.0F);
  for (Index i = 0; i < count; ++i) std::copy_n(rows.begin() + i * from, width, out.begin() + i * to);
  return out;
}

/// n_features, when section `tag` is read. 0: that section comes first.
void require_width(Index n_features, const char* tag) {
  files::require(n_features != 0, tag, "section DPRD must come first");
  files::require_size(n_features, tag, "n_features");
}

// Rows are padded in memory and packed in files.

void padded_rows(files::WriteFields& f, const std::vector<float>& rows, Index width, const char* /*tag*/) {
  const Index stride = data::padded(width);
  f(copy_rows(rows, files::size_of(rows.size()) / stride, width, stride, width));
}
void padded_rows(files::ReadFields& f, std::vector<float>& rows, Index width, const char* tag) {
  std::vector<float> packed;
  f(packed);
  require_width(width, tag);
  files::require(files::size_of(packed.size()) % width == 0, tag, "rows of n_features values expected");
  rows = copy_rows(packed, files::size_of(packed.size()) / width, width, width, data::padded(width));
}

/// A leaf as files have it: without padding, and without what make_basis computes.
struct StoredLeaf {
  Index m = 0, p = 0;
  float gamma = 1;
  std::vector<float> landmarks, between;
  std::vector<std::int32_t> pairs;
  std::vector<float> coef, intercept;
};

template <class F, class L>
void leaf_fields(F& f, L& leaf) {
  f(leaf.m);
  f(leaf.p);
  f(leaf.gamma);
  f(leaf.landmarks);
  f(leaf.between);
  f(leaf.pairs);
  f(leaf.coef);
  f(leaf.intercept);
}

StoredLeaf packed(const DcPredLeaf& leaf, Index d) {
  const LeafBasis& basis = leaf.basis;
  StoredLeaf out{basis.m, basis.p, basis.gamma, {}, {}, basis.pairs, {}, leaf.intercept};
  out.landmarks = copy_rows(basis.landmarks, basis.m, d, basis.stride, d);
  if (!basis.between.empty()) out.between = copy_rows(basis.between, basis.m, basis.p, data::padded(basis.p), basis.p);
  for (std::size_t o = 0; o < leaf.intercept.size() && basis.m > 0; ++o) {
    const auto row = leaf.coef.begin() + static_cast<Index>(o) * basis.width(), pseudo = row + data::padded(basis.m);
    out.coef.insert(out.coef.end(), row, row + basis.m);
    out.coef.insert(out.coef.end(), pseudo, pseudo + basis.p);
  }
  return out;
}

void check_leaf(const StoredLeaf& leaf, const DcPredData& model) {
  const auto require = [](bool good, const char* what) { files::require(good, "DPLF", what); };
  const Index m = leaf.m, p = leaf.p, most = Index{1} << 31;
  require(std::isfinite(leaf.gamma) && leaf.gamma >= 0, "gamma is negative or not finite");
  require(files::size_of(leaf.intercept.size()) == model.outputs(), "one intercept for each output expected");
  const bool finite =
      files::finite(leaf.landmarks) && files::finite(leaf.between) && files::finite(leaf.coef) && files::finite(leaf.intercept);
  require(finite, "a value is not finite");
  require(m >= 0 && p >= 0 && m < most && p < most, "numbers of landmarks out of range");
  require(files::is_product(m, model.n_features, files::size_of(leaf.landmarks.size())),
          "landmarks x n_features values expected");
  require(p == 0 || (m > 0 && model.pseudo != PseudoLandmarks::none), "pseudo landmarks without landmarks or kind");
  const bool polynomial = model.pseudo == PseudoLandmarks::polynomial;
  require(files::size_of(leaf.pairs.size()) == (polynomial ? 2 * p : 0) &&
              files::is_product(polynomial ? 0 : m, p, files::size_of(leaf.between.size())),
          "pairs or distances of each pseudo landmark expected");
  for (const std::int32_t j : leaf.pairs) require(j >= 0 && j < m, "a pair names no landmark");
  require(files::is_product(m == 0 ? 0 : model.outputs(), m + p, files::size_of(leaf.coef.size())),
          "one coefficient for each feature expected");
}

DcPredLeaf unpacked(StoredLeaf stored, const DcPredData& model) {
  check_leaf(stored, model);
  const Index m = stored.m, p = stored.p, d = model.n_features;
  DcPredLeaf leaf;
  leaf.intercept = std::move(stored.intercept);
  leaf.basis = make_basis(copy_rows(stored.landmarks, m, d, d, model.stride()), m, d, model.stride(), stored.gamma);
  leaf.basis.p = p;
  leaf.basis.pairs = std::move(stored.pairs);
  if (!stored.between.empty()) leaf.basis.between = copy_rows(stored.between, m, p, p, data::padded(p));
  if (m == 0) return leaf;
  leaf.coef.assign(model.outputs() * leaf.basis.width(), 0.0F);
  for (Index o = 0; o < model.outputs(); ++o) {
    const auto from = stored.coef.begin() + o * (m + p);
    const auto to = leaf.coef.begin() + o * leaf.basis.width();
    std::copy_n(from, m, to);
    std::copy_n(from + m, p, to + data::padded(m));
  }
  return leaf;
}

void check_head(const DcPredData& m) {
  const char* const head = "DPRD";
  files::check_kernel(m.kernel, head);
  files::require(m.kernel.type != KernelType::precomputed, head, "a precomputed kernel has no landmarks");
  const bool triangle = m.pseudo == PseudoLandmarks::triangle_lower || m.pseudo == PseudoLandmarks::triangle_upper;
  files::require(!triangle || m.kernel.type == KernelType::rbf, head, "the triangle inequality belongs to the rbf kernel");
  require_width(m.n_features, head);
  if (!m.classes.empty()) files::check_classes(m.classes);
  files::require(files::size_of(m.shift.size()) == m.stride() && files::finite(m.shift), head,
                 "n_features finite shifts expected");
}

void leaves(files::WriteFields& f, const DcPredData& model) {
  std::vector<StoredLeaf> stored;
  stored.reserve(model.leaves.size());
  for (const DcPredLeaf& leaf : model.leaves) stored.push_back(packed(leaf, model.n_features));
  f.list(stored, 0, [](auto& fields, const StoredLeaf& leaf) { leaf_fields(fields, leaf); });
}
void leaves(files::ReadFields& f, DcPredData& model) {
  check_head(model);
  model.kind = feature_kind(model.kernel, model.pseudo);
  model.tree.stride = model.stride();
  std::vector<StoredLeaf> stored;
  constexpr std::size_t least_bytes = 60;  // m, p, gamma and five empty arrays
  f.list(stored, least_bytes, [](auto& fields, StoredLeaf& leaf) { leaf_fields(fields, leaf); });
  model.leaves.reserve(stored.size());
  for (StoredLeaf& leaf : stored) model.leaves.push_back(unpacked(std::move(leaf), model));
}

/// Each node but the first is a child once, behind its parent; each leaf is a child once.
void check_tree(const DcPredData& m) {
  const char* const tag = "DPTR";
  const SplitTree& tree = m.tree;
  files::require(files::finite(tree.directions) && files::finite(tree.thresholds), tag, "a value is not finite");
  files::require(tree.directions.size() == tree.thresholds.size() * static_cast<std::size_t>(m.stride()), tag,
                 "nodes x n_features values expected");
  files::require(tree.children.size() == 2 * tree.thresholds.size(), tag, "two children for each node expected");
  std::vector<char> node_seen(tree.thresholds.size(), 0), leaf_seen(tree.thresholds.size() + 1, 0);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const std::int32_t child = tree.children[i];
    std::vector<char>& seen = child < 0 ? leaf_seen : node_seen;
    const auto number = static_cast<std::size_t>(child < 0 ? ~child : child);
    files::require(number < seen.size() && seen[number] == 0, tag, "a child is out of range or has two parents");
    files::require(child < 0 || number > i / 2, tag, "a node comes before its parent");
    seen[number] = 1;
  }
}

void check_model(const DcPredData& m) {
  check_head(m);
  check_tree(m);
  files::require(files::size_of(m.leaves.size()) == m.tree.leaves(), "DPLF", "one leaf more than nodes expected");
}

constexpr files::Section<DcPredData> kSections[] = {
    {"DPRD", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.kernel);
       f.choice(m.pseudo, last_of<PseudoLandmarks>(), "pseudo");
       f(m.n_features);
       f(m.classes);
       padded_rows(f, m.shift, m.n_features, "DPRD");
     }},
    {"DPTR", files::Presence::always,
     [](auto& f, auto& m) {
       padded_rows(f, m.tree.directions, m.n_features, "DPTR");
       f(m.tree.thresholds);
       f(m.tree.children);
     }},
    {"DPLF", files::Presence::always, [](auto& f, auto& m) { leaves(f, m); }},
};

constexpr files::ModelFile<DcPredData> kFile{"a DC-Pred++ model", kSections, check_model};

}  // namespace

const files::ModelFile<DcPredData>& file_of(const DcPredData* /*type*/) { return kFile; }

}  // namespace dcsvm::dc_pred
