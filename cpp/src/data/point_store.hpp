// Rows of the training data that a model owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Rows that a model owns (support vectors, centres), in the storage and precision of the training data, so nothing is rounded.
struct PointStore {
  ScalarType scalar = ScalarType::float64;
  bool sparse = false;
  Index rows = 0, cols = 0;
  std::vector<float> values32;        ///< dense: rows x cols row-major; sparse: the non-zeros
  std::vector<double> values64;       ///< one of the two is used
  std::vector<std::int64_t> indptr;   ///< sparse: rows + 1
  std::vector<std::int64_t> indices;  ///< sparse: ascending within a row

  DataView view() const;
  std::size_t bytes() const;
};
/// Copies rows idx of x.
PointStore copy_points(const DataView& x, const std::vector<Index>& idx);
/// Adds rows idx of x, which has the store's columns, scalar type and storage.
void append_points(const DataView& x, const std::vector<Index>& idx, PointStore& store);
/// Dense points from values, rows x cols row-major.
PointStore dense_points(std::vector<double> values, Index cols);

}  // namespace dcsvm::data
