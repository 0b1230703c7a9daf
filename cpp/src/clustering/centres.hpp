// Points and centres of k-means in input space, and the search for the nearest centre. Shared by kmeans.cpp and many_centres.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "data/read.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::clustering {

/// Rows of the caller's data copied as float, dense or sparse, all moved by -shift (dense only).
class Points {
 public:
  Points(const DataView& x, const std::vector<Index>& idx, const std::vector<double>& shift);

  Index size() const { return rows_of(view_); }
  Index cols() const { return cols_of(view_); }
  bool sparse() const { return std::holds_alternative<CsrView>(view_); }
  const DataView& view() const { return view_; }
  /// |x_i|^2
  double norm(Index i) const { return norms_[i]; }
  /// fn(column, value) for every stored value of point i.
  template <class F>
  void each(Index i, F&& fn) const {
    if (sparse()) {
      for (Index t = sparse_.indptr[i]; t < sparse_.indptr[i + 1]; ++t) {
        fn(static_cast<Index>(sparse_.indices[t]), static_cast<double>(sparse_.values[t]));
      }
    } else {
      for (Index j = 0; j < cols(); ++j) fn(j, static_cast<double>(dense_[i * cols() + j]));
    }
  }

 private:
  DataView view_;
  std::vector<float> dense_;
  data::SparseRows<float> sparse_;
  std::vector<std::int64_t> indptr_;
  std::vector<double> norms_;
};

struct Centres {
  Index cols = 0;
  std::vector<double> values;  ///< size() x cols, moved by -shift

  Index size() const { return cols == 0 ? 0 : static_cast<Index>(values.size()) / cols; }
};

/// Nearest-centre search by products with all centres: |x - c|^2 - |x|^2 = |c|^2 - 2 x'c.
class Nearest {
 public:
  Nearest(const Centres& centres, bool sparse);
  /// Clusters of rows [first, first + m) of a dense view (moved) or sparse one, and |x - c|^2 - |x|^2 into gain when not null.
  void search(const DataView& x, Index first, Index m, std::int32_t* out, double* gain) const;

 private:
  void sparse_products(const CsrView& x, Index first, Index m, float* out) const;

  Index k_, d_;
  std::vector<float> values_;
  std::vector<float> half_norm_;
  std::unique_ptr<kernel_matrix::CrossKernel<float>> product_;
};

/// Appends point i.
void add_centre(const Points& points, Index i, Centres& centres);
/// min_c |x_i - c|^2 of all points; rounding noise counts as 0.
std::vector<double> squared_distances(const Points& points, const Centres& centres, base::Context& context);
/// A position with probability weight[i] / total; weights >= 0, total their sum > 0.
Index draw_by_weight(const std::vector<double>& weight, double total, base::Random& random);
/// Means of the points of each cluster; clusters without points vanish.
Centres means(const Points& points, const std::vector<std::int32_t>& member, Index k);
/// Lloyd's iteration from `centres` until no point moves, at most max_iterations times.
void lloyd(const Points& points, int max_iterations, base::Context& context, Centres& centres);
/// Mean of the rows; zeros for sparse data, as a moved sparse row would be dense.
std::vector<double> mean_of(const DataView& x, const std::vector<Index>& rows);

}  // namespace dcsvm::clustering
