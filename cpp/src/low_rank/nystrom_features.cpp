#include <algorithm>

#include "data/read.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/product.hpp"
#include "low_rank/feature_map.hpp"

namespace dcsvm::low_rank {

namespace {

class NystromFeatures final : public FeatureMap {
 public:
  NystromFeatures(const DataView& landmarks, const KernelParams& kernel, const NystromMap& map, base::ThreadPool& pool)
      : used_(map.used), cols_(map.cols), values_(map.values) {
    if (!identity()) m_.pack(map.values.data(), map.cols, map.rows(), map.cols, pool);
    if (kernel.type != KernelType::precomputed) {
      kernel_ = kernel_matrix::make_cross_kernel<float>(landmarks, used_.data(), map.rows(), kernel);
    }
  }
  Index cols() const override { return cols_; }
  std::size_t bytes() const override { return m_.bytes() + values_.size() * sizeof(double); }
  std::size_t bytes_per_thread() const override {
    return static_cast<std::size_t>(kFeatureRows * values_per_row()) * sizeof(float);
  }
  Index values_per_row() const override { return rows(); }

  void block(const DataView& x, Index first, Index m, float* out, Index ld) const override {
    const Index k = rows();
    if (identity()) {
      for (Index begin = 0; begin < m; begin += kFeatureRows)
        kernel_values(x, first + begin, std::min(kFeatureRows, m - begin), out + begin * ld, ld);
      return;
    }
    base::Buffer<float> values(std::min(m, kFeatureRows) * k);
    for (Index begin = 0; begin < m; begin += kFeatureRows) {
      const Index count = std::min(kFeatureRows, m - begin);
      kernel_values(x, first + begin, count, values.data(), k);
      for (Index r = 0; r < count; ++r) std::fill_n(out + (begin + r) * ld, cols(), 0.0F);
      m_.multiply_add(values.data(), k, count, out + begin * ld, ld);
    }
  }

  std::vector<double> fold(const double* weights) const override {
    if (identity()) return {weights, weights + cols_};
    std::vector<double> u(rows(), 0.0);
    for (Index i = 0; i < rows(); ++i) {
      for (Index j = 0; j < cols(); ++j) u[i] += values_[i * cols() + j] * weights[j];
    }
    return u;
  }
  std::vector<double> features_of(const double* values) const override {
    if (identity()) return {values, values + cols_};
    std::vector<double> f(cols(), 0.0);
    for (Index i = 0; i < rows(); ++i) {
      const double* row = values_.data() + i * cols();
      for (Index j = 0; j < cols(); ++j) f[j] += values[i] * row[j];
    }
    return f;
  }

 private:
  Index rows() const { return static_cast<Index>(used_.size()); }
  bool identity() const { return values_.empty(); }

  void kernel_values(const DataView& x, Index first, Index m, float* out, Index ld) const {
    const Index k = rows();
    if (kernel_) return kernel_->block(x, first, m, 0, k, out, ld);
    std::vector<float> row(cols_of(x));
    for (Index r = 0; r < m; ++r) {
      data::copy_rows(x, nullptr, first + r, 1, row.data(), cols_of(x));
      for (Index j = 0; j < k; ++j) out[r * ld + j] = row[used_[j]];
    }
  }

  std::vector<Index> used_;
  Index cols_;
  kernels::RightFactor<float> m_;  // empty: the identity
  std::vector<double> values_;
  std::unique_ptr<kernel_matrix::CrossKernel<float>> kernel_;  // null: precomputed
};

}  // namespace

std::unique_ptr<FeatureMap> make_nystrom_features(const DataView& landmarks, const KernelParams& kernel, const NystromMap& map,
                                                  base::ThreadPool& pool) {
  return std::make_unique<NystromFeatures>(landmarks, kernel, map, pool);
}

}  // namespace dcsvm::low_rank
