// The data of a local deep kernel model: plain data that training fills, prediction reads and file.cpp stores.
#pragma once

#include <vector>

#include "dcsvm/ldkl.hpp"

namespace dcsvm::files {
template <class M>
struct ModelFile;
}  // namespace dcsvm::files

namespace dcsvm::ldkl {

constexpr Index kMostDepth = 16;  // levels below the root: 131,071 nodes

/// Sizes of a tree, and of the vectors of its nodes.
struct Shape {
  Index depth = 0;
  Index cols = 0;  ///< features and the constant

  Index nodes() const { return (Index{2} << depth) - 1; }
  Index inner() const { return (Index{1} << depth) - 1; }
  /// Vectors w, then v, of each node, then theta of each inner node.
  Index vectors() const { return 2 * nodes() + inner(); }
};

struct LdklData {
  Index n_features = 0;
  Index depth = 0;
  double sigma = 1.0;
  std::vector<double> classes;  ///< ascending
  std::vector<double> w, v;     ///< n_problems x nodes x cols row-major
  std::vector<double> theta;    ///< n_problems x inner nodes x cols
  LdklReport report;

  Shape shape() const { return {depth, n_features + 1}; }
};

/// 1 for two classes, else one for each.
inline Index n_problems(const LdklData& m) { return m.classes.size() == 2 ? 1 : static_cast<Index>(m.classes.size()); }

/// Inner products of d features that a row costs.
double cost_of(Index depth, Index d, Index problems);

/// Its file, defined in file.cpp.
const files::ModelFile<LdklData>& file_of(const LdklData* type);

}  // namespace dcsvm::ldkl
