#include "low_rank/landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "clustering/many_centres.hpp"
#include "data/check.hpp"
#include "data/summary.hpp"
#include "data/symmetry.hpp"
#include "dcsvm/errors.hpp"
#include "low_rank/greedy.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr double kFineGrid = 1e-3;  // rounding to a grid may move a centre by this share of the data's variance
constexpr Index kWide = 20000;      // columns from which centres of sparse rows would be too large

[[noreturn]] void too_few(Index wanted, Index found, bool of_sample) {
  throw DataError("n_landmarks = " + std::to_string(wanted) + ", but " + (of_sample ? "the sample of X" : "X") + " has only " +
                  std::to_string(found) + (of_sample ? " distinct" : "") + " rows: ask for at most so many");
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

data::PointStore choose_landmarks(const data::RowBlocks& source, Index cols, const LowRankLabels& labels,
                                  const KernelParams& kernel, const LowRankParams& params, base::Context& context) {
  const Index n = source.rows(), k = params.n_landmarks;
  if (k > n) too_few(k, n, false);
  base::Random random(context.seed);
  if (params.landmarks == LandmarkChoice::uniform) return gather_rows(source, base::sample(base::index_range(n), k, random));
  const Index wanted = params.landmark_sample > 0 ? params.landmark_sample : std::clamp<Index>(10 * k, 5000, 20000);
  // The sample and its copy as float take a quarter of the memory at most; what the greedy choice holds beside them, a half.
  const bool greedy = params.landmarks == LandmarkChoice::greedy;
  const std::size_t own = greedy ? 2 * greedy_bytes_per_row(k, labels.problems(params.multi_class).size()) : 0;
  const auto affordable =
      static_cast<Index>(context.cap_bytes / std::max(48 * static_cast<std::size_t>(std::max<Index>(cols, 1)), own));
  const Index m = std::max(std::min(wanted, affordable), 4 * k);
  if (greedy) {
    const std::vector<Index> drawn = base::sample(labels.labelled(), m, random);
    const data::PointStore sample = gather_rows(source, drawn);
    return data::copy_points(sample.view(), greedy_rows(sample.view(), labels.subset(drawn), kernel, k, params, context));
  }
  const data::PointStore sample = gather_rows(source, base::sample(base::index_range(n), m, random));
  const DataView view = sample.view();
  const std::vector<Index> rows = base::index_range(sample.rows);
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

void check_given_landmarks(const LowRankInputs& inputs, Index cols, const KernelParams& kernel, base::ThreadPool& pool) {
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
  data::check_domain(*inputs.landmarks, kernel.type, pool, "landmarks");
  if (cols_of(*inputs.landmarks) != cols) {
    throw DataError("landmarks have " + std::to_string(cols_of(*inputs.landmarks)) + " features, X has " + std::to_string(cols));
  }
}

}  // namespace dcsvm::low_rank
