// Data and a slow twin for the clustering tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "dcsvm/data.hpp"
#include "kernel_matrix/row_source.hpp"

namespace points {

using dcsvm::Index;

struct Points {
  Index n = 0, d = 0;
  std::vector<double> values;
  std::vector<int> blob;  ///< where each came from
  dcsvm::DataView view() const { return dcsvm::dense(values.data(), n, d); }
};

inline double normal(dcsvm::base::Random& random) {
  double s = -6.0;
  for (int i = 0; i < 12; ++i) s += random.uniform();
  return s;
}

/// n points in d dimensions around `blobs` centres, `spread` wide; the centres lie in [0, 10)^d.
inline Points blobs(Index n, Index d, int blobs, double spread, std::uint64_t seed) {
  dcsvm::base::Random random(seed);
  std::vector<double> centres(blobs * d);
  for (double& c : centres) c = 10.0 * random.uniform();
  Points p;
  p.n = n;
  p.d = d;
  for (Index i = 0; i < n; ++i) {
    const int b = static_cast<int>(random.below(blobs));
    p.blob.push_back(b);
    for (Index j = 0; j < d; ++j) p.values.push_back(centres[b * d + j] + spread * normal(random));
  }
  return p;
}

/// Whether two labellings are the same partition.
template <class A, class B>
bool same_partition(const A& a, const B& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if ((a[i] == a[j]) != (b[i] == b[j])) return false;
    }
  }
  return a.size() == b.size();
}

/// All of K, in double.
template <class T>
std::vector<double> kernel_matrix(const dcsvm::kernel_matrix::RowSource<T>& rows) {
  const Index n = rows.size();
  std::vector<Index> all(n);
  for (Index i = 0; i < n; ++i) all[i] = i;
  std::vector<T> k(n * n);
  dcsvm::base::ThreadPool serial(1);
  rows.columns(all.data(), n, std::size_t{1} << 30, serial)->block(all.data(), n, k.data(), n, serial);
  return {k.begin(), k.end()};
}

/// D(pi): sum of |K_ij| over pairs in different clusters.
template <class A>
double between(const std::vector<double>& k, const A& cluster_of) {
  const std::size_t n = cluster_of.size();
  double d = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (cluster_of[i] != cluster_of[j]) d += std::abs(k[i * n + j]);
    }
  }
  return d;
}

/// What a call carries, with its pool.
struct Call {
  dcsvm::base::ThreadPool pool;
  dcsvm::base::Context context;
  explicit Call(int threads = 1, std::uint64_t seed = 0, std::size_t cap = std::size_t{256} << 20) : pool(threads) {
    context.pool = &pool;
    context.seed = seed;
    context.cap_bytes = cap;
  }
};

}  // namespace points
