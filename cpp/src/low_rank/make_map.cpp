#include "low_rank/make_map.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/vectors.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "low_rank/landmarks.hpp"
#include "low_rank/llsvm2.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr double kNegligible = 1e-6;  // share of negative eigenvalues that rounding explains

void require_psd(const Spectrum& spectrum, const KernelParams& kernel) {
  if (spectrum.values.empty()) throw DataError("the kernel is zero or negative on the landmarks: nothing can be learned from it");
  if (spectrum.negative_share > kNegligible && kernel.type != KernelType::sigmoid) {
    throw DataError("kernel is not positive semi-definite: negative eigenvalues are " +
                    std::to_string(100.0 * spectrum.negative_share) + " % of the spectrum on the landmarks");
  }
}

std::vector<double> reciprocal(const std::vector<double>& values) {
  std::vector<double> mu;
  mu.reserve(values.size());
  for (const double v : values) mu.push_back(1.0 / v);
  return mu;
}

/// The directions are dense and part of the map, which must fit the cap: checked before they are drawn.
void random_directions(Index cols, const KernelParams& kernel, const LowRankParams& params, std::size_t cap_bytes,
                       LowRankMap& map) {
  const double bytes = static_cast<double>(params.n_landmarks) * static_cast<double>(cols) * sizeof(float);
  if (bytes > static_cast<double>(cap_bytes)) {
    throw CapError("the memory cap (cache_size; for a file or batches memory_mb) must hold n_landmarks random directions of " +
                   std::to_string(cols) + " columns: at least " + std::to_string(static_cast<long long>(bytes / 1048576) + 1) +
                   " MB; features=\"nystrom\" keeps rows of X instead");
  }
  const auto draw = params.features == LowRankFeatures::fastfood ? fastfood : random_kitchen_sinks;
  auto directions = draw(params.n_landmarks, cols, kernel.gamma, params.seed);
  map.features = make_fourier_features(directions);
  map.used = base::index_range(directions.count);
  map.phases = std::move(directions.phases);
  map.points.scalar = ScalarType::float32;
  map.points.rows = directions.count;
  map.points.cols = cols;
  map.points.values32 = std::move(directions.weights);
}

}  // namespace

base::Buffer<double> landmark_kernel(const DataView& landmarks, const KernelParams& kernel, const DataView* given,
                                     base::ThreadPool& pool) {
  const Index k = given != nullptr ? rows_of(*given) : rows_of(landmarks);
  base::Buffer<double> matrix(k * k);
  if (given != nullptr) {
    data::copy_rows(*given, nullptr, 0, k, matrix.data(), k);
  } else {
    const auto cross = kernel_matrix::make_cross_kernel<double>(landmarks, nullptr, k, kernel);
    pool.for_range(k, 64, [&](Index begin, Index end, int) {
      cross->block(landmarks, begin, end - begin, 0, k, matrix.data() + begin * k, k);
    });
  }
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < i; ++j) matrix[i * k + j] = matrix[j * k + i] = 0.5 * (matrix[i * k + j] + matrix[j * k + i]);
    for (Index j = 0; j <= i; ++j) {
      if (!std::isfinite(matrix[i * k + j])) {
        throw DataError(
            "kernel values between landmarks overflow (infinity or NaN); scale the features or choose another kernel");
      }
    }
  }
  return matrix;
}

NystromMap kernel_map(const base::Buffer<double>& k_zz, Index k, const KernelParams& kernel, base::ThreadPool& pool) {
  base::Buffer<double> factor(k * k);
  std::copy_n(k_zz.data(), k * k, factor.data());
  NystromMap map = cholesky_map(factor, k, pool);
  if (map.cols > 0) return map;
  const Spectrum spectrum = spectrum_of(k_zz, k, pool);
  require_psd(spectrum, kernel);
  return spectral_map(spectrum, reciprocal(spectrum.values));
}

LowRankMap make_map(const data::RowBlocks& source, Index cols, const LowRankLabels& labels, const KernelParams& kernel,
                    const LowRankParams& params, const LowRankInputs& inputs, base::Context& context) {
  LowRankMap map;
  auto start = base::Clock::now();
  if (is_fourier(params.features)) {
    random_directions(cols, kernel, params, context.cap_bytes, map);
    map.map_seconds = base::seconds_since(start);
    return map;
  }
  const bool precomputed = kernel.type == KernelType::precomputed;
  check_given_landmarks(inputs, cols, kernel, *context.pool);
  data::PointStore landmarks;
  if (!precomputed) {
    landmarks = inputs.landmarks != nullptr ? data::copy_points(*inputs.landmarks, base::index_range(rows_of(*inputs.landmarks)))
                                            : choose_landmarks(source, cols, labels, kernel, params, context);
  }
  map.landmark_seconds = base::seconds_since(start);
  start = base::Clock::now();
  const DataView view = landmarks.view();
  const base::Buffer<double> k_zz = landmark_kernel(view, kernel, inputs.landmark_kernel, *context.pool);
  const Index k = precomputed ? rows_of(*inputs.landmark_kernel) : landmarks.rows;
  NystromMap m;
  if (params.features == LowRankFeatures::reduced) {
    m = no_map(k);
  } else if (params.supervised) {
    const Spectrum spectrum = spectrum_of(k_zz, k, *context.pool);
    require_psd(spectrum, kernel);
    m = spectral_map(spectrum, choose_spectrum({source, labels, view, kernel, params, spectrum}, context, map.lambda));
  } else {
    m = kernel_map(k_zz, k, kernel, *context.pool);
  }
  map.negative_share = m.negative_share;
  map.features = make_nystrom_features(view, kernel, m, *context.pool);
  map.used = m.used;
  if (!precomputed) {
    map.points = data::copy_points(view, m.used);
    if (inputs.landmarks == nullptr) map.used = base::index_range(m.rows());
  }
  map.map_seconds = base::seconds_since(start);
  return map;
}

}  // namespace dcsvm::low_rank
