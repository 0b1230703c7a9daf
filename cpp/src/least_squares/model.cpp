// dcsvm::LsSvmModel: questions answered from LsSvmData.
#include <algorithm>
#include <cmath>

#include "base/require_model.hpp"
#include "dcsvm/errors.hpp"
#include "least_squares/model_data.hpp"

namespace dcsvm {

namespace least_squares {

namespace {

template <class T>
void scale_run(std::vector<T>& values, std::int64_t begin, std::int64_t end) {
  const auto value = [&](std::int64_t i) { return static_cast<double>(values[i]); };
  double largest = 0.0, square = 0.0;
  for (auto i = begin; i < end; ++i) largest = std::max(largest, std::abs(value(i)));
  if (!(largest > 0.0)) return;
  for (auto i = begin; i < end; ++i) square += (value(i) / largest) * (value(i) / largest);  // that neither vanish nor overflow
  const double root = std::sqrt(square);
  for (auto i = begin; i < end; ++i) values[i] = static_cast<T>(value(i) / largest / root);
}

}  // namespace

void normalise_rows(data::PointStore& points) {
  for (Index r = 0; r < points.rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    const std::int64_t begin = points.sparse ? points.indptr[row] : r * points.cols;
    const std::int64_t end = points.sparse ? points.indptr[row + 1] : (r + 1) * points.cols;
    if (points.scalar == ScalarType::float32) {
      scale_run(points.values32, begin, end);
    } else {
      scale_run(points.values64, begin, end);
    }
  }
}

}  // namespace least_squares

using base::require_model;

Index LsSvmModel::n_features() const { return require_model(data_).n_features; }
Index LsSvmModel::n_train() const { return require_model(data_).points.rows; }
bool LsSvmModel::regression() const { return require_model(data_).regression; }
const std::vector<double>& LsSvmModel::classes() const { return require_model(data_).classes; }
const KernelParams& LsSvmModel::kernel() const { return require_model(data_).kernel; }
bool LsSvmModel::normalise() const { return require_model(data_).normalise; }
const LsSvmReport& LsSvmModel::report() const { return require_model(data_).report; }
const std::vector<double>& LsSvmModel::coef() const { return require_model(data_).coef; }
const std::vector<double>& LsSvmModel::intercept() const { return require_model(data_).intercept; }

Index decision_columns(const LsSvmModel& model) { return static_cast<Index>(model.intercept().size()); }

}  // namespace dcsvm
