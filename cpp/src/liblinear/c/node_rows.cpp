#include "node_rows.hpp"

#include <string>

#include "c_common/matrix.hpp"

namespace dcsvm::liblinear {

namespace {

using c_common::fail;

/// Checks a row up to its first index beyond n; returns how many nodes stand before that.
Index count_nodes(const feature_node* row, Index i, Index n) {
  if (row == nullptr) fail(i, "a null pointer");
  const feature_node* node = row;
  for (int previous = 0; node->index != -1 && node->index <= n; previous = node++->index) {
    if (node->index < 1) fail(i, "index " + std::to_string(node->index) + ": indices start at 1");
    if (node->index <= previous) {
      fail(i, "index " + std::to_string(node->index) + " after " + std::to_string(previous) + ": indices must ascend");
    }
  }
  return node - row;
}

bool ends_with_bias(const feature_node* row, Index length, const problem& prob) {
  return length > 0 && row[length - 1].index == prob.n && row[length - 1].value == prob.bias;
}

/// `lengths`: nodes of each row.
Rows copy(const feature_node* const* x, const std::vector<Index>& lengths, Index cols) {
  Rows out;
  out.cols = cols;
  out.indptr.reserve(lengths.size() + 1);
  for (const Index length : lengths) out.indptr.push_back(out.indptr.back() + length);
  const auto entries = static_cast<std::size_t>(out.indptr.back());
  out.values.resize(entries);
  out.indices.resize(entries);
  std::size_t to = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (Index k = 0; k < lengths[i]; ++k, ++to) {
      out.values[to] = x[i][k].value;
      out.indices[to] = x[i][k].index - 1;
    }
  }
  return out;
}

}  // namespace

CsrView Rows::view() const {
  return {values.data(),
          ScalarType::float64,
          indices.data(),
          indptr.data(),
          IndexType::int32,
          IndexType::int64,
          static_cast<Index>(indptr.size()) - 1,
          cols};
}

TrainingRows training_rows(const problem& prob) {
  std::vector<Index> lengths;
  lengths.reserve(static_cast<std::size_t>(prob.l));
  bool own_bias = prob.bias >= 0;  // all rows so far end with the bias
  for (Index i = 0; i < prob.l; ++i) {
    const feature_node* row = prob.x[i];
    const Index length = count_nodes(row, i, prob.n);
    if (row[length].index != -1)
      fail(i, "index " + std::to_string(row[length].index) + " is beyond n = " + std::to_string(prob.n));
    own_bias = own_bias && ends_with_bias(row, length, prob);
    lengths.push_back(length);
  }
  if (!own_bias) return {copy(prob.x, lengths, prob.n), -1};
  for (Index& length : lengths) --length;
  return {copy(prob.x, lengths, prob.n - 1), prob.bias};
}

Rows query_rows(const feature_node* const* x, Index l, Index cols) {
  std::vector<Index> lengths;
  lengths.reserve(static_cast<std::size_t>(l));
  for (Index i = 0; i < l; ++i) lengths.push_back(count_nodes(x[i], i, cols));
  return copy(x, lengths, cols);
}

}  // namespace dcsvm::liblinear
