#include "low_rank/make_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "clustering/many_centres.hpp"
#include "data/check.hpp"
#include "data/read.hpp"
#include "data/summary.hpp"
#include "data/symmetry.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/byte_points.hpp"
#include "low_rank/choose_lambda.hpp"
#include "low_rank/supervised.hpp"

namespace dcsvm::low_rank {

namespace {

using data::PointStore;

constexpr double kNegligible = 1e-6;  // share of negative eigenvalues that rounding explains
constexpr double kFineGrid = 1e-3;    // rounding to a grid may move a centre by this share of the data's variance
constexpr Index kWide = 20000;        // columns from which centres of sparse rows would be too large

std::vector<Index> all_rows(Index n) {
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

[[noreturn]] void too_few(Index wanted, Index found, bool of_sample) {
  throw DataError("n_landmarks = " + std::to_string(wanted) + ", but " + (of_sample ? "the sample of X" : "X") + " has only " +
                  std::to_string(found) + (of_sample ? " distinct" : "") + " rows");
}

/// Centres of data on a fine byte grid (pixels) move to its nearest values: the features come from integer products then.
void round_to_grid(const DataView& sample, std::vector<double>& centres, base::ThreadPool& pool) {
  const Index m = rows_of(sample);
  const data::ByteGrid grid = data::find_byte_grid(sample, nullptr, m, true, pool);
  if (!(grid.step > 0)) return;
  const auto variance = data::column_moments(sample, nullptr, m, pool).variance;
  const double spread = std::accumulate(variance.begin(), variance.end(), 0.0);
  if (static_cast<double>(cols_of(sample)) * grid.step * grid.step / 12.0 > kFineGrid * spread) return;
  for (double& v : centres) v = grid.offset + grid.step * std::round((v - grid.offset) / grid.step);
}

data::PointStore choose_landmarks(const data::RowBlocks& source, Index cols, const LowRankParams& params,
                                  base::Context& context) {
  const Index n = source.rows(), k = params.n_landmarks;
  if (k > n) too_few(k, n, false);
  base::Random random(context.seed);
  if (params.landmarks == LandmarkChoice::uniform) return gather_rows(source, base::sample(all_rows(n), k, random));
  const Index wanted = params.landmark_sample > 0 ? params.landmark_sample : std::clamp<Index>(10 * k, 5000, 20000);
  // The sample and its copy as float take a quarter of the memory at most.
  const Index affordable = static_cast<Index>(context.cap_bytes / 48) / std::max<Index>(cols, 1);
  const Index m = std::max(std::min(wanted, affordable), 4 * k);
  const data::PointStore sample = gather_rows(source, base::sample(all_rows(n), m, random));
  const DataView view = sample.view();
  const std::vector<Index> rows = all_rows(sample.rows);
  if (params.landmarks == LandmarkChoice::kmeans_seeds) {
    const auto chosen = clustering::spread_rows(view, rows, k, context);
    if (static_cast<Index>(chosen.size()) < k) too_few(k, static_cast<Index>(chosen.size()), true);
    return data::copy_points(view, chosen);
  }
  if (sample.sparse && sample.cols > kWide) {
    throw ParameterError("landmarks: centres of sparse data with " + std::to_string(sample.cols) +
                         " columns would be dense; choose kmeans++ or uniform, whose landmarks are rows of X");
  }
  auto centres = clustering::many_centres(view, rows, k, params.landmark_iterations, context);
  const auto found = static_cast<Index>(centres.size()) / sample.cols;
  if (found < k) too_few(k, found, true);
  round_to_grid(view, centres, *context.pool);
  return data::dense_points(std::move(centres), sample.cols);
}

/// K(landmarks, landmarks) in double, exactly symmetric.
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

void check_given(const LowRankInputs& inputs, Index cols, const KernelParams& kernel, base::ThreadPool& pool) {
  if (kernel.type == KernelType::precomputed) {
    if (inputs.landmark_kernel == nullptr)
      throw ParameterError("landmark_kernel is missing: a precomputed kernel needs K(landmarks, landmarks)");
    data::check_data(*inputs.landmark_kernel, pool, "landmark_kernel");
    const Index k = rows_of(*inputs.landmark_kernel);
    if (cols_of(*inputs.landmark_kernel) != k || cols != k) {
      throw DataError("landmark_kernel must be k x k and X n x k for k landmarks; they are " + std::to_string(k) + " x " +
                      std::to_string(cols_of(*inputs.landmark_kernel)) + " and n x " + std::to_string(cols));
    }
    data::check_symmetric(*inputs.landmark_kernel, pool);
    return;
  }
  if (inputs.landmark_kernel != nullptr) throw ParameterError("landmark_kernel is for the precomputed kernel");
  if (inputs.landmarks == nullptr) return;
  data::check_data(*inputs.landmarks, pool, "landmarks");
  if (cols_of(*inputs.landmarks) != cols) {
    throw DataError("landmarks have " + std::to_string(cols_of(*inputs.landmarks)) + " features, X has " + std::to_string(cols));
  }
}

void random_directions(Index cols, const KernelParams& kernel, const LowRankParams& params, LowRankMap& map) {
  auto directions = params.features == LowRankFeatures::rks
                        ? random_kitchen_sinks(params.n_landmarks, cols, kernel.gamma, params.seed)
                        : fastfood(params.n_landmarks, cols, kernel.gamma, params.seed);
  map.features = make_fourier_features(directions);
  map.used = all_rows(directions.count);
  map.phases = std::move(directions.phases);
  map.points.scalar = ScalarType::float32;
  map.points.rows = directions.count;
  map.points.cols = cols;
  map.points.values32 = std::move(directions.weights);
}

}  // namespace

data::PointStore gather_rows(const data::RowBlocks& source, const std::vector<Index>& rows) {
  data::PointStore store;
  auto next = rows.begin();
  for (Index b = 0; b < source.blocks() && next != rows.end(); ++b) {
    std::vector<Index> here;
    for (; next != rows.end() && *next < source.first_row(b + 1); ++next) here.push_back(*next - source.first_row(b));
    if (here.empty()) continue;
    source.visit(b, [&](const DataView& x) {
      if (store.rows == 0) {
        store = data::copy_points(x, here);
      } else {
        data::append_points(x, here, store);
      }
    });
  }
  return store;
}

LowRankMap make_map(const data::RowBlocks& source, Index cols, const LowRankLabels& labels, const KernelParams& kernel,
                    const LowRankParams& params, const LowRankInputs& inputs, base::Context& context) {
  LowRankMap map;
  const auto start = base::Clock::now();
  if (params.features != LowRankFeatures::nystrom) {
    random_directions(cols, kernel, params, map);
    map.map_seconds = base::seconds_since(start);
    return map;
  }
  check_given(inputs, cols, kernel, *context.pool);
  data::PointStore landmarks;
  if (kernel.type != KernelType::precomputed) {
    landmarks = inputs.landmarks != nullptr ? data::copy_points(*inputs.landmarks, all_rows(rows_of(*inputs.landmarks)))
                                            : choose_landmarks(source, cols, params, context);
  }
  map.landmark_seconds = base::seconds_since(start);
  const auto then = base::Clock::now();
  const DataView view = landmarks.view();
  auto k_zz = landmark_kernel(view, kernel, inputs.landmark_kernel, *context.pool);
  const Index k = inputs.landmark_kernel != nullptr ? rows_of(*inputs.landmark_kernel) : landmarks.rows;
  NystromMap m;
  if (!params.supervised) {
    base::Buffer<double> factor(k * k);
    std::copy_n(k_zz.data(), k * k, factor.data());
    m = cholesky_map(factor, k, *context.pool);
  }
  if (m.cols == 0) {
    const auto spectrum = spectrum_of(k_zz, k);
    require_psd(spectrum, kernel);
    map.negative_share = spectrum.negative_share;
    auto mu = reciprocal(spectrum.values);
    if (params.supervised) mu = choose_spectrum({source, labels, view, kernel, params, spectrum}, context, map.lambda);
    m = spectral_map(spectrum, mu);
  }
  map.features = make_nystrom_features(view, kernel, m, *context.pool);
  map.used = m.used;
  if (kernel.type != KernelType::precomputed) {
    map.points = data::copy_points(view, m.used);
    if (inputs.landmarks == nullptr) map.used = all_rows(m.rows());
  }
  map.map_seconds = base::seconds_since(then);
  return map;
}

}  // namespace dcsvm::low_rank
