#include "products/several_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "base/buffer.hpp"
#include "products/pieces.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::products {

namespace {

template <class T>
void lane_dot(const T* v, const std::int32_t* c, Index n, const double* rows, Index width, double* out) {
  simd::lane_ops<T>().dot(v, c, n, rows, width, out);
}
template <class T>
void lane_dot(const T* v, const std::int32_t* c, Index n, const float* rows, Index width, float* out) {
  simd::lane_ops<T>().float_dot(v, c, n, rows, width, out);
}
template <class T>
void lane_add(const T* v, const std::int32_t* c, Index n, const double* a, double* rows, Index width) {
  simd::lane_ops<T>().add(v, c, n, a, rows, width);
}
template <class T>
void lane_add(const T* v, const std::int32_t* c, Index n, const float* a, float* rows, Index width) {
  simd::lane_ops<T>().float_add(v, c, n, a, rows, width);
}

/// How several vectors of cols() entries lie in one array. Sparse X: entry j of all of them side by side, padded with zeros to
/// the width that lanes.hpp demands. Dense X, whose rows are multiplied as a whole: one vector after the other, in double only.
template <class W>
class Layout {
 public:
  Layout(const Matrix& x, std::size_t vectors)
      : x_(x), vectors_(static_cast<Index>(vectors)), width_(x.dense() ? vectors_ : lane_width<W>(vectors_)) {
    if (vectors_ > kMostLanes) throw std::logic_error("more vectors than lanes");
    if (x.dense() && !std::is_same_v<W, double>) throw std::logic_error("dense X is multiplied in double");
  }

  Index width() const { return width_; }
  Index size() const { return x_.cols() * width_; }
  Index vectors() const { return vectors_; }
  Index at(Index j, Index k) const { return x_.dense() ? k * x_.cols() + j : j * width_ + k; }
  const Matrix& x() const { return x_; }

  /// out[k] = v_k'x_i.
  void dot(Index i, const W* v, W* out) const {
    if (x_.dense()) {
      if constexpr (std::is_same_v<W, double>) {
        for (Index k = 0; k < vectors_; ++k) out[k] = x_.dot(i, v + k * x_.cols());
      }
      return;
    }
    std::fill(out, out + width_, W(0));
    x_.pieces(i, [&](const auto* values, const std::int32_t* c, Index n) { lane_dot(values, c, n, v, width_, out); });
  }

  /// to[k] += a[k] x_i.
  void add(Index i, const W* a, W* to) const {
    if (x_.dense()) {
      if constexpr (std::is_same_v<W, double>) {
        for (Index k = 0; k < vectors_; ++k) {
          if (a[k] != 0) x_.add(i, a[k], to + k * x_.cols());
        }
      }
      return;
    }
    x_.pieces(i, [&](const auto* values, const std::int32_t* c, Index n) { lane_add(values, c, n, a, to, width_); });
  }

  /// to[k] += a[k] x_i x_i, feature by feature.
  void add_squares(Index i, const W* a, W* to) const {
    if (x_.dense()) {
      for (Index k = 0; k < vectors_; ++k) {
        if (a[k] != 0) x_.each(i, [&](Index j, double v) { to[k * x_.cols() + j] += a[k] * v * v; });
      }
      return;
    }
    x_.pieces(i, [&](const auto* values, const std::int32_t* c, Index n) {
      std::remove_const_t<std::remove_reference_t<decltype(*values)>> square[kOnStack];
      for (Index first = 0; first < n; first += kOnStack) {
        const Index m = std::min(kOnStack, n - first);
        for (Index t = 0; t < m; ++t) square[t] = values[first + t] * values[first + t];
        lane_add(square, c + first, m, a, to, width_);
      }
    });
  }

 private:
  const Matrix& x_;
  Index vectors_, width_;
};

/// The vectors in that layout, vector k times scale[k].
template <class W>
base::Buffer<W> side_by_side(const Layout<W>& layout, const ConstVectors& from, const std::vector<double>& scale,
                             base::ThreadPool& pool) {
  base::Buffer<W> out(layout.size());
  pool.for_range(layout.x().cols(), kLinePiece, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      if (!layout.x().dense()) std::fill_n(out.data() + j * layout.width(), layout.width(), W(0));
      for (Index k = 0; k < layout.vectors(); ++k) out[layout.at(j, k)] = static_cast<W>(scale[k] * from[k][j]);
    }
  });
  return out;
}

/// out[k] = scale[k] times the sum over [0, n) of what rows(begin, end, own sums) adds. Blocks have their own sums, which are
/// added in order and in double.
template <class W, class Rows>
void sum_rows(const Layout<W>& layout, Index n, const Vectors& out, const std::vector<double>& scale, base::ThreadPool& pool,
              const Rows& rows) {
  const Index size = layout.size();
  const double stored = static_cast<double>(layout.x().stored()) / static_cast<double>(std::max<Index>(1, layout.x().rows()));
  const Index blocks = sum_blocks(static_cast<double>(n) * stored, size, kValuesOfLaneSum);
  const Index per_block = std::max<Index>(1, (n + blocks - 1) / blocks), used = (n + per_block - 1) / per_block;
  base::Buffer<W> sums(used * size);
  pool.for_range(n, per_block, [&](Index begin, Index end, int) {
    W* own = sums.data() + begin / per_block * size;
    std::fill(own, own + size, W(0));
    rows(begin, end, own);
  });
  pool.for_range(layout.x().cols(), kLinePiece, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      double sum[kMostLanes] = {};
      for (Index b = 0; b < used; ++b) {
        for (Index k = 0; k < layout.vectors(); ++k) sum[k] += static_cast<double>(sums[b * size + layout.at(j, k)]);
      }
      for (Index k = 0; k < layout.vectors(); ++k) out[k][j] = scale[k] * sum[k];
    }
  });
}

double largest(const double* v, Index n) {
  double most = 0;
  for (Index i = 0; i < n; ++i) most = std::max(most, std::abs(v[i]));
  return most;
}

/// Row i of all vectors: a[k] = d[k][i]. Returns whether one of them is not 0.
bool take(const ConstVectors& d, Index i, double* a) {
  bool any = false;
  for (std::size_t k = 0; k < d.size(); ++k) {
    a[k] = d[k][i];
    any |= a[k] != 0;
  }
  return any;
}

}  // namespace

void row_products(const Matrix& x, const ConstVectors& w, const Vectors& z, base::ThreadPool& pool) {
  if (w.size() == 1) return x.product(w[0], z[0], pool);
  const Layout<double> layout(x, w.size());
  const base::Buffer<double> lanes = side_by_side(layout, w, std::vector<double>(w.size(), 1.0), pool);
  pool.for_range(x.rows(), kLinePiece, [&](Index begin, Index end, int) {
    double out[kMostLanes];
    for (Index i = begin; i < end; ++i) {
      layout.dot(i, lanes.data(), out);
      for (std::size_t k = 0; k < z.size(); ++k) z[k][i] = out[k];
    }
  });
}

void transposed_products(const Matrix& x, const ConstVectors& d, const Vectors& out, base::ThreadPool& pool) {
  if (d.size() == 1) return x.transposed(d[0], out[0], pool);
  const Layout<double> layout(x, d.size());
  sum_rows(layout, x.rows(), out, std::vector<double>(d.size(), 1.0), pool, [&](Index begin, Index end, double* to) {
    double a[kMostLanes] = {};
    for (Index i = begin; i < end; ++i) {
      if (take(d, i, a)) layout.add(i, a, to);
    }
  });
}

namespace {

/// curvature_products() in precision W. Each h[k] and v[k] is first divided by its largest entry, so that they are in W's range.
template <class W>
void curvature_in(const Matrix& x, const ConstVectors& h, const ConstVectors& v, const Vectors& out, base::ThreadPool& pool) {
  const Layout<W> layout(x, v.size());
  std::vector<double> of_h(h.size()), of_v(v.size()), scale(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) {
    const double most_h = largest(h[k], x.rows()), most_v = largest(v[k], x.cols());
    of_h[k] = most_h > 0 ? 1.0 / most_h : 0.0;
    of_v[k] = most_v > 0 ? 1.0 / most_v : 0.0;
    scale[k] = most_h * most_v;
  }
  const base::Buffer<W> lanes = side_by_side(layout, v, of_v, pool);
  sum_rows(layout, x.rows(), out, scale, pool, [&](Index begin, Index end, W* to) {
    W a[kTogether][kMostLanes] = {};
    Index row[kTogether];
    for (Index i = begin; i < end;) {
      Index number = 0;
      for (; i < end && number < kTogether; ++i) {
        double weight[kMostLanes];
        if (!take(h, i, weight)) continue;
        W z[kMostLanes];
        layout.dot(i, lanes.data(), z);
        for (std::size_t k = 0; k < h.size(); ++k) a[number][k] = static_cast<W>(weight[k] * of_h[k]) * z[k];
        row[number++] = i;
      }
      for (Index t = 0; t < number; ++t) layout.add(row[t], a[t], to);
    }
  });
}

bool finite(const Vectors& vectors, Index n) {
  return std::all_of(vectors.begin(), vectors.end(),
                     [n](const double* v) { return std::all_of(v, v + n, [](double e) { return std::isfinite(e); }); });
}

}  // namespace

void curvature_products(const Matrix& x, const ConstVectors& h, const ConstVectors& v, const Vectors& out,
                        base::ThreadPool& pool) {
  if (h.size() == 1) return x.curvature(h[0], v[0], out[0], pool);
  if (!x.dense()) curvature_in<float>(x, h, v, out, pool);
  if (x.dense() || !finite(out, x.cols())) curvature_in<double>(x, h, v, out, pool);
}

namespace {

/// coupled_products() in precision W, in whose range the vectors are brought by one factor.
template <class W>
void coupled_in(const Matrix& x, const std::vector<CoupledRow>& rows, double scale, const ConstVectors& v, const Vectors& out,
                base::ThreadPool& pool) {
  const Layout<W> layout(x, v.size());
  double most = 0;
  for (const double* one : v) most = std::max(most, largest(one, x.cols()));
  const base::Buffer<W> lanes = side_by_side(layout, v, std::vector<double>(v.size(), most > 0 ? 1.0 / most : 0.0), pool);
  const std::vector<double> scales(v.size(), scale * most);
  sum_rows(layout, static_cast<Index>(rows.size()), out, scales, pool, [&](Index begin, Index end, W* to) {
    for (Index t = begin; t < end; ++t) {
      const auto [i, chosen] = rows[t];
      W a[kMostLanes] = {}, z[kMostLanes];
      layout.dot(i, lanes.data(), z);
      W sum = 0;
      for (std::uint32_t bits = chosen; bits != 0; bits &= bits - 1) sum += z[__builtin_ctz(bits)];
      const W mean = sum / static_cast<W>(__builtin_popcount(chosen));
      for (std::uint32_t bits = chosen; bits != 0; bits &= bits - 1) a[__builtin_ctz(bits)] = z[__builtin_ctz(bits)] - mean;
      layout.add(i, a, to);
    }
  });
}

}  // namespace

void coupled_products(const Matrix& x, const std::vector<CoupledRow>& rows, double scale, const ConstVectors& v,
                      const Vectors& out, base::ThreadPool& pool) {
  if (!x.dense()) coupled_in<float>(x, rows, scale, v, out, pool);
  if (x.dense() || !finite(out, x.cols())) coupled_in<double>(x, rows, scale, v, out, pool);
}

void hessian_diagonals(const Matrix& x, const ConstVectors& h, const Vectors& out, base::ThreadPool& pool) {
  if (h.size() == 1) return x.squares(h[0], out[0], pool);
  const Layout<double> layout(x, h.size());
  sum_rows(layout, x.rows(), out, std::vector<double>(h.size(), 1.0), pool, [&](Index begin, Index end, double* to) {
    double a[kMostLanes] = {};
    for (Index i = begin; i < end; ++i) {
      if (take(h, i, a)) layout.add_squares(i, a, to);
    }
  });
}

}  // namespace dcsvm::products
