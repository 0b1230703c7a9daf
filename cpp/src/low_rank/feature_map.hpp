// Maps from rows of data to rows of features whose inner products approximate the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"
#include "low_rank/nystrom_map.hpp"

namespace dcsvm::low_rank {

/// Safe to use from several threads at once.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual Index cols() const = 0;
  /// Bytes held by the map, and by one thread while it computes a block.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t bytes_per_thread() const = 0;
  /// Kernel values (inner products with random directions) for one row.
  virtual Index values_per_row() const = 0;
  /// out[r * ld + j] = feature j of row first + r of x, r in [0, m). On the calling thread.
  virtual void block(const DataView& x, Index first, Index m, float* out, Index ld) const = 0;
  /// Coefficients of the functions that prediction sums, (values_per_row), from weights of the features (cols).
  virtual std::vector<double> fold(const double* weights) const = 0;
  /// The features (cols) of a row, in double, from the values (values_per_row) of those functions.
  virtual std::vector<double> features_of(const double* values) const = 0;
};

/// Rows that a block of features takes at once: what FeatureMap::bytes_per_thread counts with.
constexpr Index kFeatureRows = 192;

/// F = K(x, landmarks[map.used]) M. landmarks: a view that must live as long as the call only; the precomputed kernel's x holds
/// K(x, landmarks) itself. fold: M w, so that a decision is sum_j fold_j K(x, z_j).
std::unique_ptr<FeatureMap> make_nystrom_features(const DataView& landmarks, const KernelParams& kernel, const NystromMap& map,
                                                  base::ThreadPool& pool);

/// sqrt(2 / D) cos(W x + phase): random Fourier features of the rbf kernel.
struct FourierDirections {
  Index count = 0, cols = 0;   ///< D, and columns of x
  std::vector<float> weights;  ///< count x cols, row-major
  std::vector<double> phases;  ///< count, in [0, 2 pi)
};
/// Rahimi, Recht: Random features for large-scale kernel machines (NIPS 2007): W ~ N(0, 2 gamma).
FourierDirections random_kitchen_sinks(Index count, Index cols, double gamma, std::uint64_t seed);
/// Le, Sarlos, Smola: Fastfood (ICML 2013): blocks S H G P H B of W, with H the Walsh-Hadamard matrix of the next power of two of
/// `cols`; written out as W, which costs memory but lets the dispatched product do the rest.
FourierDirections fastfood(Index count, Index cols, double gamma, std::uint64_t seed);
std::unique_ptr<FeatureMap> make_fourier_features(const FourierDirections& directions);

}  // namespace dcsvm::low_rank
