#include <algorithm>
#include <cmath>

#include "base/buffer.hpp"
#include "base/vectors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "low_rank/feature_map.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr double kTwoPi = 6.283185307179586;

/// Box and Muller; std::normal_distribution differs between standard libraries.
double normal(base::Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(kTwoPi * random.uniform());
}

void draw_phases(base::Random& random, FourierDirections& directions) {
  for (Index i = 0; i < directions.count; ++i) directions.phases.push_back(kTwoPi * random.uniform());
}

/// Unnormalised Walsh-Hadamard transform of n = 2^p values.
void hadamard(double* v, Index n) {
  for (Index half = 1; half < n; half *= 2) {
    for (Index i = 0; i < n; i += 2 * half) {
      for (Index j = i; j < i + half; ++j) {
        const double a = v[j], b = v[j + half];
        v[j] = a + b;
        v[j + half] = a - b;
      }
    }
  }
}

class FourierFeatures final : public FeatureMap {
 public:
  explicit FourierFeatures(const FourierDirections& directions) : phases_(directions.phases) {
    KernelParams linear;
    linear.type = KernelType::linear;
    product_ = kernel_matrix::make_cross_kernel<float>(dense(directions.weights.data(), directions.count, directions.cols),
                                                       nullptr, directions.count, linear);
    bytes_ = directions.weights.size() * sizeof(float);
  }
  Index cols() const override { return static_cast<Index>(phases_.size()); }
  std::size_t bytes() const override { return bytes_; }
  std::size_t bytes_per_thread() const override { return 0; }
  Index values_per_row() const override { return cols(); }
  void block(const DataView& x, Index first, Index m, float* out, Index ld) const override {
    const double scale = std::sqrt(2.0 / static_cast<double>(cols()));
    for (Index begin = 0; begin < m; begin += kFeatureRows) {
      const Index count = std::min(kFeatureRows, m - begin);
      product_->block(x, first + begin, count, 0, cols(), out + begin * ld, ld);
      for (Index r = begin; r < begin + count; ++r) {
        float* row = out + r * ld;
        for (Index j = 0; j < cols(); ++j) {
          row[j] = static_cast<float>(scale * std::cos(static_cast<double>(row[j]) + phases_[j]));
        }
      }
    }
  }
  std::vector<double> fold(const double* weights) const override {
    std::vector<double> u(weights, weights + cols());
    const double scale = std::sqrt(2.0 / static_cast<double>(cols()));
    for (double& v : u) v *= scale;
    return u;
  }
  std::vector<double> features_of(const double* values) const override { return fold(values); }

 private:
  std::vector<double> phases_;
  std::size_t bytes_ = 0;
  std::unique_ptr<kernel_matrix::CrossKernel<float>> product_;
};

}  // namespace

FourierDirections random_kitchen_sinks(Index count, Index cols, double gamma, std::uint64_t seed) {
  base::Random random(seed);
  FourierDirections directions;
  directions.count = count;
  directions.cols = cols;
  const double scale = std::sqrt(2.0 * gamma);
  directions.weights.reserve(count * cols);
  for (Index e = 0; e < count * cols; ++e) directions.weights.push_back(static_cast<float>(scale * normal(random)));
  draw_phases(random, directions);
  return directions;
}

FourierDirections fastfood(Index count, Index cols, double gamma, std::uint64_t seed) {
  base::Random random(seed);
  FourierDirections directions;
  directions.count = count;
  directions.cols = cols;
  directions.weights.resize(count * cols);
  Index n = 1;
  while (n < cols) n *= 2;
  std::vector<double> sign(n), gauss(static_cast<std::size_t>(n)), column(static_cast<std::size_t>(n)),
      mixed(static_cast<std::size_t>(n)), length(static_cast<std::size_t>(n));
  for (Index begin = 0; begin < count; begin += n) {
    double norm2 = 0;
    for (Index i = 0; i < n; ++i) {
      sign[i] = random.uniform() < 0.5 ? -1.0 : 1.0;
      gauss[i] = normal(random);
      norm2 += gauss[i] * gauss[i];
    }
    for (Index i = 0; i < n; ++i) {  // row lengths of a Gaussian matrix: chi with n degrees of freedom
      double chi2 = 0;
      for (Index t = 0; t < n; ++t) chi2 += std::pow(normal(random), 2);
      length[i] = std::sqrt(chi2 / norm2) * std::sqrt(2.0 * gamma) / std::sqrt(static_cast<double>(n));
    }
    std::vector<Index> order = base::index_range(n);
    base::shuffle(order, random);
    for (Index c = 0; c < cols; ++c) {  // column c of S H G P H B
      std::fill(column.begin(), column.end(), 0.0);
      column[c] = sign[c];
      hadamard(column.data(), n);
      for (Index i = 0; i < n; ++i) mixed[i] = gauss[i] * column[order[i]];
      hadamard(mixed.data(), n);
      for (Index i = 0; i < std::min(n, count - begin); ++i) {
        directions.weights[(begin + i) * cols + c] = static_cast<float>(length[i] * mixed[i]);
      }
    }
  }
  draw_phases(random, directions);
  return directions;
}

std::unique_ptr<FeatureMap> make_fourier_features(const FourierDirections& directions) {
  return std::make_unique<FourierFeatures>(directions);
}

}  // namespace dcsvm::low_rank
