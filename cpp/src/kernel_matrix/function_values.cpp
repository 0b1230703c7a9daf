// dcsvm/kernel.hpp: values of the caller's function.
#include <algorithm>

#include "data/predict_call.hpp"
#include "dcsvm/kernel.hpp"

namespace dcsvm {

namespace {

/// Rows and columns of a piece: its points stay in cache while each row meets all of them.
constexpr Index kPiece = 16;

}  // namespace

void function_values(const double* x, Index n, const double* points, Index m, Index n_features, KernelFunction function,
                     double* out, const PredictOptions& options) {
  const bool symmetric = x == points && n == m;
  const double work = static_cast<double>(n) * static_cast<double>(m);
  data::run_prediction(dense(x, n, n_features), work, options, [&](base::ThreadPool& pool) {
    if (!symmetric) data::check_data(dense(points, m, n_features), pool, "points");
    pool.for_range(n, kPiece, [&](Index first, Index last, int) {
      for (Index begin = symmetric ? first : 0; begin < m && !pool.failed(); begin += kPiece) {
        const Index end = std::min(m, begin + kPiece);
        for (Index i = first; i < last; ++i) {
          for (Index j = symmetric ? std::max(i, begin) : begin; j < end; ++j) {
            const double value = function(x + i * n_features, points + j * n_features, static_cast<long>(n_features));
            out[i * m + j] = value;
            if (symmetric) out[j * m + i] = value;
          }
        }
      }
    });
  });
}

}  // namespace dcsvm
