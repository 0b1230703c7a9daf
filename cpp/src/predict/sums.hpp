// One-vs-one decision values from sums of coefficient x kernel value.
#pragma once

#include <vector>

#include "models/model_data.hpp"
#include "predict/kernel_values.hpp"

namespace dcsvm::prediction {

/// Support vectors of one class that follow each other: columns [begin, end) of a KernelValues, whose coefficients start at
/// column `coef` of ModelData::sv_coef.
struct Segment {
  Index begin = 0, end = 0;
  Index coef = 0;
  int own = 0;               ///< their class
};

/// The segments of expansions [first, last), columns counted from the first one's first support vector.
std::vector<Segment> segments_of(const models::ModelData& model, std::size_t first, std::size_t last);

/// Sums for up to `rows` queries at a time; each worker of a pool has its own.
/// sum(r, c, t) = sum over support vectors of class c of sv_coef[row t] * K(query r, .): what the pairs of class c need.
template <class T>
class Sums {
 public:
  explicit Sums(const models::ModelData& model);

  void clear();
  /// Clears, then sums over all segments for queries [first, first + m), m <= kQueries.
  void add(const KernelValues<T>& kernel, const std::vector<Segment>& segments, const DataView& queries, Index first, Index m);
  /// sum_i of the pair (i, j), i < j: its decision value is this minus rho.
  double pair(Index r, Index i, Index j) const;

 private:
  const models::ModelData& model_;
  Index k_;                   // classes
  Index n_sv_;                // stride of sv_coef
  std::vector<T> tile_;       // kernel values, sized to the L2 cache
  std::vector<double> sums_;  // queries x k x (k - 1)
};

/// Queries that one task takes, and support vectors of one tile: 256 KB of floats; 1008 is a multiple of every panel width.
constexpr Index kQueries = 64;
constexpr Index kPoints = 1008;

}  // namespace dcsvm::prediction
