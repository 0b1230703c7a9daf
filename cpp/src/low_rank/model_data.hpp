// The data of a low-rank model: plain data that training fills, prediction reads and file.cpp stores.
#pragma once

#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/low_rank.hpp"

namespace dcsvm::files {
template <class M>
struct ModelFile;
}  // namespace dcsvm::files

namespace dcsvm::low_rank {

struct LowRankData {
  KernelParams kernel;
  LowRankFeatures features = LowRankFeatures::nystrom;
  MultiClass multi_class = MultiClass::one_vs_rest;
  Index n_features = 0;
  std::vector<double> classes;    ///< ascending
  data::PointStore points;              ///< landmarks, or random directions; precomputed: empty
  std::vector<Index> used;        ///< given landmarks, precomputed: their numbers among those given; else 0, 1, ...
  std::vector<double> phases;     ///< rks, fastfood: one for each direction
  std::vector<double> coef;       ///< n_problems x used.size() row-major
  std::vector<double> intercept;  ///< n_problems
  std::vector<double> alpha;      ///< n_problems x n row-major; not stored
  LowRankReport report;
};

/// 1 for two classes, else one for each class, or for each pair.
inline Index n_problems(const LowRankData& m) {
  const auto k = static_cast<Index>(m.classes.size());
  if (k == 2) return 1;
  return m.multi_class == MultiClass::one_vs_rest ? k : k * (k - 1) / 2;
}

/// Its file, defined in file.cpp.
const files::ModelFile<LowRankData>& file_of(const LowRankData* type);

}  // namespace dcsvm::low_rank
