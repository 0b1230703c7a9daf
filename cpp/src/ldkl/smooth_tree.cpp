#include "ldkl/smooth_tree.hpp"

#include <algorithm>

#include "ldkl/path.hpp"

namespace dcsvm::ldkl {

namespace {

constexpr Index kWork = Index{1} << 16;  // multiply-adds of one piece of parallel work

Index pieces_of_work(Index each) { return std::max<Index>(1, kWork / std::max<Index>(1, each)); }

}  // namespace

/// Of one row: what forward() finds at the nodes, and what backward() makes of it in place.
struct SmoothTree::Scratch {
  explicit Scratch(const Shape& shape)
      : share(shape.nodes()), linear(share), local(share), gate(shape.inner()), by_share(share), norms(shape.nodes(), 0.0) {}

  std::vector<double> share, linear, local;
  std::vector<double> gate;
  std::vector<double> by_share;  // derivative of the loss by the node's share
  std::vector<double> norms;
  double* pull = nullptr;  // of this row, `stride` apart
  Index stride = 0;
};

SmoothTree::SmoothTree(const Rows& rows, const Shape& shape, double sigma, Index most)
    : rows_(rows), shape_(shape), sigma_(sigma), pull_(shape.vectors() * most), most_(most), loss_(most) {}

double SmoothTree::losses(const Index* row, Index count, const double* vectors, double sharpness, double factor,
                          base::ThreadPool& pool) {
  row_ = row;
  count_ = count;
  const Index stored = rows_.x->stored() / std::max<Index>(1, rows_.x->rows()) + 8;
  pool.for_range(count, pieces_of_work(shape_.vectors() * stored), [&](Index begin, Index end, int) {
    Scratch s(shape_);
    s.stride = most_;
    for (Index r = begin; r < end; ++r) {
      const Index i = row[r];
      s.pull = pull_.data() + r;
      const double slack = 1.0 - rows_.y[i] * forward(i, vectors, sharpness, s);
      loss_[r] = rows_.weight[i] * std::max(0.0, slack);
      backward(slack > 0 ? -factor * rows_.weight[i] * rows_.y[i] : 0.0, sharpness, s);
    }
  });
  double sum = 0;
  for (Index r = 0; r < count; ++r) sum += loss_[r];
  return sum;
}

void SmoothTree::level_products(Index i, const double* vectors, double sharpness, Index level, Scratch& s) const {
  const Index first = (Index{1} << level) - 1, count = first + 1, nodes = shape_.nodes(), cols = shape_.cols;
  const bool inner = level < shape_.depth;
  for (Index k = first; k < first + count; ++k) {
    const bool counts = s.share[k] > 0;
    s.linear[k] = counts ? rows_.x->dot(i, vectors + k * cols) : 0.0;
    s.local[k] = counts ? rows_.x->dot(i, vectors + (nodes + k) * cols) : 0.0;
    if (inner) s.gate[k] = counts ? rows_.x->dot(i, vectors + (2 * nodes + k) * cols) : 0.0;
  }
  tanh_of(sigma_, s.local.data() + first, s.norms.data(), count);
  if (inner) tanh_of(sharpness, s.gate.data() + first, s.norms.data(), count);
}

double SmoothTree::forward(Index i, const double* vectors, double sharpness, Scratch& s) const {
  double sum = 0;
  s.share[0] = 1.0;
  for (Index level = 0; level <= shape_.depth; ++level) {
    level_products(i, vectors, sharpness, level, s);
    const Index first = (Index{1} << level) - 1;
    for (Index k = first; k < 2 * first + 1; ++k) {
      sum += s.share[k] * s.linear[k] * s.local[k];
      if (level == shape_.depth) continue;
      s.share[2 * k + 1] = s.share[k] * (1 - s.gate[k]) / 2;
      s.share[2 * k + 2] = s.share[k] * (1 + s.gate[k]) / 2;
    }
  }
  return sum;
}

void SmoothTree::backward(double pull, double sharpness, Scratch& s) const {
  const Index nodes = shape_.nodes();
  for (Index k = 0; k < nodes; ++k) {
    s.by_share[k] = pull * s.linear[k] * s.local[k];
    s.pull[k * s.stride] = pull * s.share[k] * s.local[k];
    s.pull[(nodes + k) * s.stride] = pull * s.share[k] * s.linear[k] * sigma_ * (1 - s.local[k] * s.local[k]);
  }
  for (Index k = shape_.inner() - 1; k >= 0; --k) {  // a node's share also acts through its children
    const double left = s.by_share[2 * k + 1], right = s.by_share[2 * k + 2], g = s.gate[k];
    s.pull[(2 * nodes + k) * s.stride] = s.share[k] * (right - left) / 2 * sharpness * (1 - g * g);
    s.by_share[k] += (left * (1 - g) + right * (1 + g)) / 2;
  }
}

void SmoothTree::gradient(Index k, double* out) const {
  const double* pull = pull_.data() + k * most_;
  for (Index r = 0; r < count_; ++r) {
    if (pull[r] != 0) rows_.x->add(row_[r], pull[r], out);
  }
}

Index SmoothTree::grain() const {
  const Index stored = rows_.x->stored() / std::max<Index>(1, rows_.x->rows()) + 8;
  return pieces_of_work(count_ * stored + shape_.cols);
}

}  // namespace dcsvm::ldkl
