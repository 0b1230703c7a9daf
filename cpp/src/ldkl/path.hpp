// A row's path through a tree, and its decision.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "data/output.hpp"
#include "ldkl/model_data.hpp"
#include "simd/ops.hpp"

namespace dcsvm::ldkl {

/// values[j] := tanh(scale values[j]). norms: any n finite numbers, which the table's function wants and does not use here.
inline void tanh_of(double scale, double* values, const double* norms, Index n) {
  simd::MapParams<double> map;
  map.kind = KernelType::sigmoid;
  map.gamma = scale;
  map.coef0 = 0;
  simd::ops<double>().map_row(map, 0.0, norms, values, n);
}

/// Walks one row after another. `Product` gives the row's inner product with a vector of the tree.
class PathOfRow {
 public:
  PathOfRow(const Shape& shape, double sigma)
      : shape_(shape), sigma_(sigma), node_(shape.depth + 1), local_(shape.depth + 1), norms_(shape.depth + 1, 0.0) {}

  /// The nodes on the path, and tanh(sigma v'z) of each.
  template <class Product>
  void walk(const double* v, const double* theta, const Product& product) {
    Index node = 0;
    for (Index level = 0; level <= shape_.depth; ++level) {
      node_[level] = node;
      local_[level] = product(v + node * shape_.cols);
      if (level < shape_.depth) node = 2 * node + 1 + (product(theta + node * shape_.cols) > 0 ? 1 : 0);
    }
    tanh_of(sigma_, local_.data(), norms_.data(), shape_.depth + 1);
  }
  template <class Product>
  double decision(const double* w, const Product& product) const {
    double sum = 0;
    for (Index level = 0; level <= shape_.depth; ++level) sum += product(w + node_[level] * shape_.cols) * local_[level];
    return sum;
  }

  Index leaf() const { return node_.back(); }
  const double* local() const { return local_.data(); }

 private:
  Shape shape_;
  double sigma_;
  std::vector<Index> node_;
  std::vector<double> local_, norms_;
};

/// Decides all rows of x, which were checked. Output::decisions: rows x n_problems. DataError when values overflow.
void decide(const LdklData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out);

}  // namespace dcsvm::ldkl
