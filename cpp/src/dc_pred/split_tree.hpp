// The hierarchical k-means of DC-Pred++ (dcpred, Section 5) as a binary tree: each split is a 2-means, so the nearer centre is
// found by one inner product, and 2^l leaves cost l of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "data/dense_rows.hpp"

namespace dcsvm::dc_pred {

struct SplitTree {
  Index stride = 0;
  std::vector<float> directions;       ///< nodes x stride: the second centre minus the first
  std::vector<float> thresholds;       ///< a row goes to the second child when direction'x > threshold
  std::vector<std::int32_t> children;  ///< 2 for each node: a node, or ~leaf. No nodes: leaf 0

  Index nodes() const { return static_cast<Index>(thresholds.size()); }
  Index leaves() const { return nodes() + 1; }
  /// x: stride floats.
  Index leaf_of(const float* x) const;
  /// leaf_of n rows, which follow each other by `stride`: several walk at once, so that none waits for another's products.
  void leaves_of(const float* rows, Index n, Index* leaf) const;
  /// Levels above each leaf.
  std::vector<int> depths() const;
};

struct TreeOptions {
  Index leaves = 16;      ///< at most
  Index least_rows = 32;  ///< no split leaves fewer on a side
  Index sample_size = 2000;
  int max_iterations = 15;
};

/// A tree and the rows of each leaf.
struct GrownTree {
  SplitTree tree;
  std::vector<Index> order;  ///< rows, leaf by leaf, ascending within
  std::vector<Index> first;  ///< leaves + 1: leaf l has order[first[l] .. first[l + 1])
};

/// Halves the largest leaf until there are `leaves`, or none can be halved.
GrownTree grow_tree(const data::DenseRows& rows, const TreeOptions& options, base::Context& context);

}  // namespace dcsvm::dc_pred
