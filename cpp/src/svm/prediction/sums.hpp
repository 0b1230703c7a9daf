// One-vs-one decision values from sums of coefficient x kernel value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Support vectors of one class that follow each other: columns [begin, end) of a KernelValues, whose coefficients start at
/// column `coef` of ModelData::sv_coef.
struct Segment {
  Index begin = 0, end = 0;
  Index coef = 0;
  int own = 0;               ///< their class
};

/// The segments of expansions [first, last), columns counted from the first one's first support vector.
std::vector<Segment> segments_of(const ModelData& model, std::size_t first, std::size_t last);

/// The support vectors of a model in an order of space, when far ones can be left out.
template <class T>
struct NearSupport {
  std::unique_ptr<kernel_matrix::CrossKernel<T>> kernel;
  std::vector<Segment> segments;
  std::vector<double> coef;  ///< sv_coef in that order
};
/// For predicting n_queries rows: null where leaving out gains nothing (another kernel than rbf, sparse or few support vectors,
/// few queries, a kernel that is not local). What is left out moves no decision value by more than 1e-6, in double 1e-12.
template <class T>
std::unique_ptr<NearSupport<T>> near_support(const ModelData& model, Index n_queries, base::ThreadPool& pool);

/// Sums for a few queries at a time; each worker of a pool has its own.
/// sum(r, c, t) = sum over support vectors of class c of sv_coef[row t] * K(query r, .): what the pairs of class c need.
template <class T>
class Sums {
 public:
  /// For up to `rows` queries at a time, rows <= rows_for(classes). Memory is for these alone: a call often has a single query.
  Sums(const ModelData& model, Index rows);

  void clear();
  /// Queries that are summed at a time: kernel_matrix::kQueries, fewer where very many classes would take too much memory.
  static Index rows_for(Index n_classes) {
    constexpr Index kMostSums = Index{1} << 20;  // 8 MB, that a cache may hold: each is written and read once for a query
    return std::clamp<Index>(kMostSums / (n_classes * (n_classes - 1)), 1, kernel_matrix::kQueries);
  }
  /// Clears, then sums over all segments for queries [first, first + m), m <= rows.
  void add(const kernel_matrix::KernelValues<T>& kernel, const std::vector<Segment>& segments, const DataView& queries,
           Index first, Index m);
  /// The same over near support vectors.
  void add(const NearSupport<T>& near, const DataView& queries, Index first, Index m);
  /// sum_i of the pair (i, j), i < j: its decision value is this minus rho.
  double pair(Index r, Index i, Index j) const;

 private:
  /// What add_block multiplies with: (k - 1) x stride, or by support vectors, stride x (k - 1).
  struct Coefficients {
    const double* values;
    bool by_vector;
  };
  /// Adds values[t][j - begin], query which[t], of columns [begin, end).
  void add_block(const std::vector<Segment>& segments, const Coefficients& coef, Index begin, Index end,
                 const std::int32_t* which, Index count, const T* const* values);
  /// The same of one segment, whose coefficients are by_vector: values of query t begin at at[t].
  void add_vectors(const double* coef, Index n, Index count, const std::vector<const T*>& at, const std::vector<double*>& sums);

  const ModelData& model_;
  Index k_;                   // classes
  Index n_sv_;                // stride of sv_coef
  PackedSupport::Coefficients by_vector_;  // null: classes have more support vectors than there are other classes
  std::vector<T> tile_;       // kernel values, sized to the L2 cache
  std::vector<double> sums_;  // queries x k x (k - 1)
};

}  // namespace dcsvm::svm
