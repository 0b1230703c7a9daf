#include "kernel_matrix/kernel_values.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernel_matrix {

namespace {

double element(const DenseView& x, Index i, Index j) {
  const Index offset = i * x.row_stride + j * x.col_stride;
  return x.scalar == ScalarType::float32 ? static_cast<double>(static_cast<const float*>(x.data)[offset])
                                         : static_cast<const double*>(x.data)[offset];
}

/// Queries hold K(test, train); column j of this is their column columns[j].
template <class T>
class Given final : public KernelValues<T> {
 public:
  Given(std::vector<Index> columns, Index n_train) : columns_(std::move(columns)) {
    positions_.reserve(columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (columns_[j] < 0 || columns_[j] >= n_train) {
        throw ModelError("model: training row " + std::to_string(columns_[j]) + " is out of range");
      }
      positions_.emplace_back(columns_[j], static_cast<Index>(j));
    }
    std::sort(positions_.begin(), positions_.end());
  }
  Index size() const override { return static_cast<Index>(columns_.size()); }
  void block(const DataView& queries, Index first, Index m, Index begin, Index end, T* out, Index ld) const override {
    for (Index r = 0; r < m; ++r) {
      T* row = out + r * ld;
      if (const auto* x = std::get_if<DenseView>(&queries)) {
        for (Index j = begin; j < end; ++j) row[j - begin] = static_cast<T>(element(*x, first + r, columns_[j]));
        continue;
      }
      std::fill(row, row + (end - begin), T(0));
      const auto& csr = std::get<CsrView>(queries);
      for (Index t = data::row_begin(csr, first + r), last = data::row_begin(csr, first + r + 1); t < last; ++t) {
        const Index column = data::column_at(csr, t);
        for (auto p = std::lower_bound(positions_.begin(), positions_.end(), std::pair(column, begin));
             p != positions_.end() && p->first == column && p->second < end; ++p) {
          row[p->second - begin] = static_cast<T>(data::value_at(csr, t));
        }
      }
    }
  }

 private:
  std::vector<Index> columns_;
  std::vector<std::pair<Index, Index>> positions_;  // (columns_[j], j), ascending: n_train may be far more than the columns
};

}  // namespace

template <class T>
std::unique_ptr<KernelValues<T>> given_kernel(std::vector<Index> columns, Index n_train) {
  return std::make_unique<Given<T>>(std::move(columns), n_train);
}

template <class T>
std::unique_ptr<KernelValues<T>> points_kernel(const DataView& points, Index first, Index n, const KernelParams& kernel) {
  std::vector<Index> idx(n);
  std::iota(idx.begin(), idx.end(), first);
  return make_cross_kernel<T>(points, idx.data(), n, kernel);
}

template <class T>
std::unique_ptr<KernelValues<T>> points_kernel(const DataView& points, const KernelParams& kernel) {
  return make_cross_kernel<T>(points, nullptr, rows_of(points), kernel);
}

void self_kernel(const DataView& queries, Index first, Index m, const KernelParams& kernel, double* out) {
  if (kernels::is_unit(kernel.type)) {
    std::fill(out, out + m, 1.0);
    return;
  }
  for (Index r = 0; r < m; ++r) {
    double norm = 0;
    if (const auto* x = std::get_if<DenseView>(&queries)) {
      for (Index j = 0; j < x->cols; ++j) norm += element(*x, first + r, j) * element(*x, first + r, j);
    } else {
      const auto& csr = std::get<CsrView>(queries);
      for (Index t = data::row_begin(csr, first + r), last = data::row_begin(csr, first + r + 1); t < last; ++t) {
        norm += data::value_at(csr, t) * data::value_at(csr, t);
      }
    }
    out[r] = kernels::of_itself(kernel, norm);
  }
}

template std::unique_ptr<KernelValues<float>> given_kernel<float>(std::vector<Index>, Index);
template std::unique_ptr<KernelValues<double>> given_kernel<double>(std::vector<Index>, Index);
template std::unique_ptr<KernelValues<float>> points_kernel<float>(const DataView&, Index, Index, const KernelParams&);
template std::unique_ptr<KernelValues<double>> points_kernel<double>(const DataView&, Index, Index, const KernelParams&);
template std::unique_ptr<KernelValues<float>> points_kernel<float>(const DataView&, const KernelParams&);
template std::unique_ptr<KernelValues<double>> points_kernel<double>(const DataView&, const KernelParams&);

}  // namespace dcsvm::kernel_matrix
