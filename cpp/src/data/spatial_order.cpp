#include "data/spatial_order.hpp"

#include <algorithm>
#include <numeric>

#include "base/buffer.hpp"
#include "data/read.hpp"

namespace dcsvm::data {

namespace {

struct Node {
  Index begin, end;
};

// The feature of largest variance among rows order[begin, end), ties to the lower.
Index widest_feature(const float* x, Index d, const Index* order, Node node) {
  std::vector<double> sum(d, 0.0), squares(static_cast<std::size_t>(d), 0.0);
  for (Index p = node.begin; p < node.end; ++p) {
    const float* row = x + order[p] * d;
    for (Index k = 0; k < d; ++k) {
      const double v = static_cast<double>(row[k]);
      sum[k] += v;
      squares[k] += v * v;
    }
  }
  const double count = static_cast<double>(node.end - node.begin);
  Index widest = 0;
  double largest = -1.0;
  for (Index k = 0; k < d; ++k) {
    const double s = sum[k], variance = squares[k] - s * s / count;
    if (variance > largest) largest = variance, widest = k;
  }
  return widest;
}

Index cut(const float* x, Index d, Index* order, Node node, Index leaf) {
  const Index k = widest_feature(x, d, order, node), size = node.end - node.begin;
  const Index middle = node.begin + (size + leaf - 1) / leaf / 2 * leaf;
  std::nth_element(order + node.begin, order + middle, order + node.end, [&](Index a, Index b) {
    const float u = x[a * d + k], v = x[b * d + k];
    return u != v ? u < v : a < b;
  });
  return middle;
}

}  // namespace

std::vector<Index> spatial_order(const DataView& x, Index leaf, base::ThreadPool& pool) {
  const Index n = rows_of(x), d = cols_of(x);
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  base::Buffer<float> values(n * d);
  pool.for_range(n, 1024,
                 [&](Index begin, Index end, int) { copy_rows(x, nullptr, begin, end - begin, values.data() + begin * d, d); });
  std::vector<Node> level{{0, n}};
  while (!level.empty()) {
    level.erase(std::remove_if(level.begin(), level.end(), [&](Node node) { return node.end - node.begin <= leaf; }),
                level.end());
    std::vector<Node> next(2 * level.size());
    pool.for_each(static_cast<Index>(level.size()), [&](Index t, int) {
      const Node node = level[t];
      const Index middle = cut(values.data(), d, order.data(), node, leaf);
      next[2 * t] = {node.begin, middle};
      next[2 * t + 1] = {middle, node.end};
    });
    level = std::move(next);
  }
  return order;
}

}  // namespace dcsvm::data
