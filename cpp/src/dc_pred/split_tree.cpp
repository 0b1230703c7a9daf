#include "dc_pred/split_tree.hpp"

#include <algorithm>
#include <utility>

#include "base/vectors.hpp"
#include "clustering/kmeans.hpp"
#include "data/read.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

namespace {

constexpr Index kSplitGrain = 1024;

struct Growing {
  std::vector<Index> rows;
  std::int32_t parent = -1;  // node, and which of its children this is
  int side = 0;
  bool whole = false;  // cannot be halved
};

/// The direction and threshold that tell two centres apart.
void append_node(const clustering::Partition& halves, Index d, SplitTree& tree) {
  const double *a = halves.centres.data(), *b = a + d;
  const std::size_t start = tree.directions.size();
  tree.directions.resize(start + static_cast<std::size_t>(tree.stride), 0.0F);
  double threshold = 0;
  for (Index k = 0; k < d; ++k) {
    tree.directions[start + static_cast<std::size_t>(k)] = static_cast<float>(b[k] - a[k]);
    threshold += 0.5 * (b[k] - a[k]) * (b[k] + a[k]);
  }
  tree.thresholds.push_back(static_cast<float>(threshold));
  tree.children.insert(tree.children.end(), {0, 0});
}

class Grower {
 public:
  Grower(const data::DenseRows& rows, const TreeOptions& options, base::Context& context)
      : rows_(rows), options_(options), context_(context) {
    grown_.tree.stride = rows.stride;
    Growing root;
    root.rows = base::index_range(rows.n);
    leaves_.push_back(std::move(root));
  }

  GrownTree run() {
    while (static_cast<Index>(leaves_.size()) < options_.leaves) {
      const auto largest = std::max_element(leaves_.begin(), leaves_.end(), [](const Growing& a, const Growing& b) {
        return std::make_pair(!a.whole, a.rows.size()) < std::make_pair(!b.whole, b.rows.size());
      });
      if (largest->whole) break;
      halve(static_cast<std::size_t>(largest - leaves_.begin()));
    }
    grown_.first.push_back(0);
    for (std::size_t l = 0; l < leaves_.size(); ++l) {
      const Growing& leaf = leaves_[l];
      if (leaf.parent >= 0) grown_.tree.children[2 * leaf.parent + leaf.side] = ~static_cast<std::int32_t>(l);
      grown_.order.insert(grown_.order.end(), leaf.rows.begin(), leaf.rows.end());
      grown_.first.push_back(static_cast<Index>(grown_.order.size()));
    }
    return std::move(grown_);
  }

 private:
  void halve(std::size_t l) {
    Growing& leaf = leaves_[l];
    leaf.whole = true;
    if (static_cast<Index>(leaf.rows.size()) < 2 * options_.least_rows) return;
    const auto halves = two_means(leaf.rows);
    if (halves.clusters < 2) return;
    SplitTree trial;
    trial.stride = rows_.stride;
    append_node(halves, rows_.d, trial);
    // By the very test that prediction makes, so that a training row meets the leaf that it trained.
    std::vector<char> side(leaf.rows.size());
    context_.pool->for_range(static_cast<Index>(leaf.rows.size()), kSplitGrain, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        float product = 0;
        simd::ops<float>().products(rows_.row(leaf.rows[i]), trial.directions.data(), rows_.stride, 1, &product);
        side[i] = product > trial.thresholds[0] ? 1 : 0;
      }
    });
    const Index second = std::count(side.begin(), side.end(), 1);
    if (std::min(second, static_cast<Index>(side.size()) - second) < options_.least_rows) return;
    const auto node = static_cast<std::int32_t>(grown_.tree.nodes());
    append_node(halves, rows_.d, grown_.tree);
    if (leaf.parent >= 0) grown_.tree.children[2 * leaf.parent + leaf.side] = node;
    Growing parts[2];
    for (std::size_t i = 0; i < side.size(); ++i) parts[side[i] == 0 ? 0 : 1].rows.push_back(leaf.rows[i]);
    for (int s = 0; s < 2; ++s) {
      parts[s].parent = node;
      parts[s].side = s;
    }
    leaf = std::move(parts[0]);
    leaves_.push_back(std::move(parts[1]));
  }

  clustering::Partition two_means(const std::vector<Index>& rows) {
    base::Random random(context_.seed + static_cast<std::uint64_t>(grown_.tree.nodes()));
    const std::vector<Index> sample = base::sample(rows, options_.sample_size, random);
    std::vector<float> copy(sample.size() * static_cast<std::size_t>(rows_.d));
    data::copy_rows(rows_.view(), sample.data(), 0, static_cast<Index>(sample.size()), copy.data(), rows_.d);
    clustering::KMeansOptions how;
    how.clusters = 2;
    how.sample_size = options_.sample_size;
    how.max_iterations = options_.max_iterations;
    how.balance = false;
    return clustering::kmeans(dense(copy.data(), static_cast<Index>(sample.size()), rows_.d), {}, how, context_);
  }

  const data::DenseRows& rows_;
  const TreeOptions& options_;
  base::Context& context_;
  GrownTree grown_;
  std::vector<Growing> leaves_;
};

}  // namespace

Index SplitTree::leaf_of(const float* x) const {
  if (thresholds.empty()) return 0;
  const auto products = simd::ops<float>().products;
  for (std::int32_t node = 0;;) {
    float product = 0;
    products(x, directions.data() + node * stride, stride, 1, &product);
    node = children[2 * node + (product > thresholds[node] ? 1 : 0)];
    if (node < 0) return ~node;
  }
}

void SplitTree::leaves_of(const float* rows, Index n, Index* leaf) const {
  constexpr Index kTogether = 16;
  if (thresholds.empty()) return std::fill(leaf, leaf + n, Index{0});
  const auto products = simd::ops<float>().pair_products;
  for (Index begin = 0; begin < n; begin += kTogether) {
    Index walking = std::min(kTogether, n - begin);
    std::int32_t node[kTogether] = {};
    Index row[kTogether];
    const float *x[kTogether], *direction[kTogether];
    float product[kTogether];
    for (Index r = 0; r < walking; ++r) row[r] = begin + r;
    while (walking > 0) {
      for (Index r = 0; r < walking; ++r) {
        x[r] = rows + row[r] * stride;
        direction[r] = directions.data() + node[r] * stride;
      }
      products(x, direction, stride, walking, product);
      Index still = 0;
      for (Index r = 0; r < walking; ++r) {
        const std::int32_t next = children[2 * node[r] + (product[r] > thresholds[node[r]] ? 1 : 0)];
        leaf[row[r]] = ~next;  // for good, if it is one
        node[still] = next;
        row[still] = row[r];
        still += next < 0 ? 0 : 1;
      }
      walking = still;
    }
  }
}

std::vector<int> SplitTree::depths() const {
  std::vector<int> depth(leaves(), 0), above(thresholds.size(), 0);
  for (std::size_t node = 0; node < thresholds.size(); ++node) {  // children come after their parents
    for (const std::int32_t child : {children[2 * node], children[2 * node + 1]}) {
      (child < 0 ? depth[~child] : above[child]) = above[node] + 1;
    }
  }
  return depth;
}

GrownTree grow_tree(const data::DenseRows& rows, const TreeOptions& options, base::Context& context) {
  return Grower(rows, options, context).run();
}

}  // namespace dcsvm::dc_pred
