#include "clustering/centres.hpp"

#include <algorithm>
#include <limits>

#include "base/buffer.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kCentreGrain = 512;

/// The first of the least a[c] - b[c]: the least of each piece of 64 by instructions that work on several at once, then its
/// place.
Index least_difference(const float* a, const float* b, Index n) {
  constexpr Index kPiece = 64, kLanes = 8;
  float best = std::numeric_limits<float>::infinity();
  Index piece = 0;
  for (Index from = 0; from < n; from += kPiece) {
    const Index to = std::min(n, from + kPiece);
    float lane[kLanes];
    std::fill_n(lane, kLanes, std::numeric_limits<float>::infinity());
    Index c = from;
    for (; c + kLanes <= to; c += kLanes) {
      for (Index l = 0; l < kLanes; ++l) lane[l] = std::min(lane[l], a[c + l] - b[c + l]);
    }
    for (; c < to; ++c) lane[0] = std::min(lane[0], a[c] - b[c]);
    const float least = *std::min_element(lane, lane + kLanes);
    if (least < best) best = least, piece = from;
  }
  for (Index c = piece; c < std::min(n, piece + kPiece); ++c) {
    if (a[c] - b[c] == best) return c;
  }
  return 0;
}

}  // namespace

Points::Points(const DataView& x, const std::vector<Index>& idx, const std::vector<double>& shift) {
  const Index m = static_cast<Index>(idx.size()), d = cols_of(x);
  if (const auto* csr = std::get_if<CsrView>(&x)) {
    sparse_ = data::copy_sparse_rows<float>(*csr, idx.data(), 0, m);
    indptr_.assign(sparse_.indptr.begin(), sparse_.indptr.end());
    view_ = CsrView{sparse_.values.data(),
                    ScalarType::float32,
                    sparse_.indices.data(),
                    indptr_.data(),
                    IndexType::int32,
                    IndexType::int64,
                    m,
                    d};
  } else {
    dense_.resize(m * d);
    data::copy_rows(x, idx.data(), 0, m, dense_.data(), d, shift.data());
    view_ = dense(dense_.data(), m, d);
  }
  norms_.assign(m, 0.0);
  for (Index i = 0; i < m; ++i) {
    each(i, [&](Index, double v) { norms_[i] += v * v; });
  }
}
Nearest::Nearest(const Centres& centres, bool sparse)
    : k_(centres.size()), d_(centres.cols), values_(centres.values.size()), half_norm_(static_cast<std::size_t>(k_)) {
  for (Index c = 0; c < k_; ++c) {
    double s = 0.0;
    for (Index j = 0; j < d_; ++j) {
      const float v = static_cast<float>(centres.values[c * d_ + j]);
      values_[sparse ? j * k_ + c : c * d_ + j] = v;
      s += static_cast<double>(v) * static_cast<double>(v);
    }
    half_norm_[c] = static_cast<float>(s / 2.0);
  }
  if (sparse) return;
  KernelParams linear;
  linear.type = KernelType::linear;
  product_ = kernel_matrix::make_cross_kernel<float>(dense(values_.data(), k_, d_), nullptr, k_, linear);
}
void Nearest::search(const DataView& x, Index first, Index m, std::int32_t* out, double* gain) const {
  constexpr Index kRows = 64;  // rows whose products stay in a core's cache
  base::Buffer<float> tile(std::min(m, kRows) * k_);
  for (Index begin = 0; begin < m; begin += kRows) {
    const Index count = std::min(kRows, m - begin);
    if (const auto* csr = std::get_if<CsrView>(&x)) {
      std::fill_n(tile.data(), count * k_, 0.0F);
      sparse_products(*csr, first + begin, count, tile.data());
    } else {
      product_->block(x, first + begin, count, 0, k_, tile.data(), k_);
    }
    for (Index r = 0; r < count; ++r) {
      const float* dot = tile.data() + r * k_;
      const Index best = least_difference(half_norm_.data(), dot, k_);
      out[begin + r] = static_cast<std::int32_t>(best);
      if (gain != nullptr) gain[begin + r] = 2.0 * (static_cast<double>(half_norm_[best]) - static_cast<double>(dot[best]));
    }
  }
}

/// Multiplies every stored entry with the k centres' values of its column, which are stored together.
void Nearest::sparse_products(const CsrView& x, Index first, Index m, float* out) const {
  for (Index r = 0; r < m; ++r) {
    float* dot = out + r * k_;
    for (Index t = data::row_begin(x, first + r), end = data::row_begin(x, first + r + 1); t < end; ++t) {
      const float v = static_cast<float>(data::value_at(x, t));
      const float* column = values_.data() + data::column_at(x, t) * k_;
      for (Index c = 0; c < k_; ++c) dot[c] += v * column[c];
    }
  }
}

void add_centre(const Points& points, Index i, Centres& centres) {
  const std::size_t begin = centres.values.size();
  centres.values.resize(begin + static_cast<std::size_t>(points.cols()), 0.0);
  points.each(i, [&](Index j, double v) { centres.values[begin + static_cast<std::size_t>(j)] = v; });
}

std::vector<double> squared_distances(const Points& points, const Centres& centres, base::Context& context) {
  const Nearest nearest(centres, points.sparse());
  std::vector<double> norm(centres.size(), 0.0);
  for (std::size_t e = 0; e < centres.values.size(); ++e)
    norm[e / static_cast<std::size_t>(centres.cols)] += centres.values[e] * centres.values[e];
  std::vector<double> d(points.size());
  context.pool->for_range(points.size(), kCentreGrain, [&](Index begin, Index end, int) {
    std::vector<std::int32_t> which(end - begin);
    nearest.search(points.view(), begin, end - begin, which.data(), d.data() + begin);
    for (Index r = begin; r < end; ++r) {
      const double v = d[r] + points.norm(r);
      d[r] = v > 1e-6 * (points.norm(r) + norm[which[r - begin]]) ? v : 0.0;
    }
  });
  return d;
}

Index draw_by_weight(const std::vector<double>& weight, double total, base::Random& random) {
  double left = random.uniform() * total;
  Index last = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] <= 0.0) continue;
    last = static_cast<Index>(i);
    left -= weight[i];
    if (left < 0.0) break;
  }
  return last;
}

Centres means(const Points& points, const std::vector<std::int32_t>& member, Index k) {
  std::vector<double> sums(k * points.cols(), 0.0);
  std::vector<Index> count(k, 0);
  for (Index i = 0; i < points.size(); ++i) {
    double* sum = sums.data() + member[i] * points.cols();
    points.each(i, [&](Index j, double v) { sum[j] += v; });
    ++count[member[i]];
  }
  Centres centres;
  centres.cols = points.cols();
  for (Index c = 0; c < k; ++c) {
    if (count[c] == 0) continue;
    for (Index j = 0; j < points.cols(); ++j) {
      centres.values.push_back(sums[c * points.cols() + j] / static_cast<double>(count[c]));
    }
  }
  return centres;
}

void lloyd(const Points& points, int max_iterations, base::Context& context, Centres& centres) {
  std::vector<std::int32_t> member, next(static_cast<std::size_t>(points.size()));
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Nearest nearest(centres, points.sparse());
    context.pool->for_range(points.size(), kCentreGrain, [&](Index begin, Index end, int) {
      nearest.search(points.view(), begin, end - begin, next.data() + begin, nullptr);
    });
    if (next == member) break;
    member = next;
    const Index before = centres.size();
    centres = means(points, member, before);
    if (centres.size() < before) member.clear();  // numbers changed
  }
}

std::vector<double> mean_of(const DataView& x, const std::vector<Index>& rows) {
  std::vector<double> mean(cols_of(x), 0.0);
  if (std::holds_alternative<CsrView>(x)) return mean;  // a moved sparse row would be dense
  for (const Index i : rows) data::column_sums(x, i, i + 1, mean.data(), nullptr);
  for (double& v : mean) v /= static_cast<double>(rows.size());
  return mean;
}

}  // namespace dcsvm::clustering
