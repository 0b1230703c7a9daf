// Every leaf operation against the obvious scalar loop in double or wider. CTest repeats this under each instruction set.
#include "simd/ops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/twin.hpp"

using dcsvm::KernelType;
using dcsvm::base::Random;
using namespace dcsvm::simd;
using twin::kEps;
using twin::mapped;
using twin::uniform;

namespace {

// rows[r * d + k] -> groups of `width` rows interleaved feature by feature, zero padded.
template <class T>
std::vector<T> interleave(const std::vector<T>& rows, Index m, Index d, Index width) {
  std::vector<T> out((m + width - 1) / width * width * d, T(0));
  for (Index r = 0; r < m; ++r) {
    for (Index k = 0; k < d; ++k) out[r / width * width * d + k * width + r % width] = rows[r * d + k];
  }
  return out;
}

template <class T>
std::vector<T> norms_of(const std::vector<T>& packed, Index d, Index width) {
  const Index groups = d > 0 ? static_cast<Index>(packed.size()) / (width * d) : 0;
  std::vector<T> out(std::max<Index>(1, groups) * width, T(0));
  for (Index g = 0; g < groups; ++g)
    ops<T>().norms(Term::product, packed.data() + g * width * d, d, width, out.data() + g * width);
  return out;
}

template <class T>
std::vector<MapParams<T>> maps() {
  std::vector<MapParams<T>> list{
      {KernelType::linear, T(1), T(0), 1}, {KernelType::rbf, T(0.7), T(0), 1}, {KernelType::sigmoid, T(0.3), T(-0.2), 1}};
  for (int degree = 0; degree <= 5; ++degree) list.push_back({KernelType::poly, T(0.4), T(0.5), degree});
  for (const auto type : kernel_twin::all_types()) {
    if (std::any_of(list.begin(), list.end(), [type](const auto& map) { return map.kind == type; })) continue;
    const bool squares = dcsvm::kernels::takes_squared_distance(type);
    list.push_back({type, squares ? T(0.7) : T(0.2), T(0), 1, squares ? std::numeric_limits<T>::infinity() : T(0)});
    if (squares) list.push_back({type, T(0.7), T(0), 1, T(0.5)});
  }
  return list;
}

// tile_sum() adds tile()'s values times coefficients, and touches nothing beyond column n.
template <class T>
void check_tile_sum(const MapParams<T>& map, const std::vector<T>& pa, const std::vector<T>& na, Index m,
                    const std::vector<T>& pb, const std::vector<T>& nb, Index n, Index d, const std::vector<T*>& rows,
                    Random& random) {
  const auto coef = uniform<T>(m, random);
  std::vector<double> g(n + 1, 3.0);
  ops<T>().tile_sum(map, {pa.data(), na.data(), m}, coef.data(), pb.data(), nb.data(), n, d, g.data());
  CHECK(g[n] == 3.0);
  double worst = 0;
  for (Index j = 0; j < n; ++j) {
    long double sum = 3, size = 3;
    for (Index r = 0; r < m; ++r) {
      const long double term = static_cast<long double>(coef[r]) * rows[r][j];
      sum += term;
      size += std::abs(term);
    }
    worst = std::max(worst, static_cast<double>(std::abs(g[j] - sum) / size));
  }
  CHECK(worst < 8 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

// One call of tile() with guard values around each output row.
template <class T>
void check_tile(const MapParams<T>& map, Index m, Index n, Index d, Random& random) {
  const auto& op = ops<T>();
  const double low = map.kind == KernelType::chi2 ? 0 : -1;
  const auto a = uniform<T>(m * d, random, low), b = uniform<T>(n * d, random, low);
  const auto pa = interleave(a, m, d, op.mr), pb = interleave(b, n, d, op.nr);
  const auto na = norms_of(pa, d, op.mr), nb = norms_of(pb, d, op.nr);
  const T guard = T(-77);
  std::vector<T> out(m * (n + 2), guard);
  std::vector<T*> rows(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) rows[r] = out.data() + r * (n + 2) + 1;
  op.tile(map, {pa.data(), na.data(), m}, pb.data(), nb.data(), n, d, rows.data());
  double worst = 0;
  for (Index r = 0; r < m; ++r) {
    CHECK(rows[r][-1] == guard);
    CHECK(rows[r][n] == guard);
    for (Index j = 0; j < n; ++j) {
      kernel_twin::Sums sums;
      for (Index k = 0; k < d; ++k) sums.add(a[r * d + k], b[j * d + k]);
      const long double expected = mapped(map, sums);
      const double scale = (1.0 + static_cast<double>(d)) * (1.0 + static_cast<double>(map.degree)) *
                           (1.0 + std::abs(static_cast<double>(expected)));
      worst = std::max(worst, std::abs(static_cast<double>(static_cast<long double>(rows[r][j]) - expected)) / scale);
    }
  }
  CHECK(worst < kEps<T>);
  check_tile_sum(map, pa, na, m, pb, nb, n, d, rows, random);
}

}  // namespace

TEST_CASE("the instruction set in use is the one asked for") {
  const auto built = built_isas();
  CHECK(built.front() == "baseline");
  CHECK(std::find(built.begin(), built.end(), active_isa()) != built.end());
  if (const char* forced = std::getenv("DCSVM_FORCE_ISA")) CHECK(active_isa() == forced);
}

TEST_CASE_TEMPLATE("tile: all maps, sizes around the strip and panel widths", T, float, double) {
  const auto& op = ops<T>();
  Random random(1);
  for (const auto& map : maps<T>()) {
    for (const Index m : {Index{1}, op.mr - 1, op.mr, op.mr + 1, 3 * op.mr + 2}) {
      for (const Index n : {Index{1}, op.nr - 1, op.nr, op.nr + 1, 2 * op.nr + 3}) {
        CAPTURE(static_cast<int>(map.kind));
        CAPTURE(m);
        CAPTURE(n);
        if (m > 0) check_tile<T>(map, m, n, 1 + random.below(40), random);
      }
    }
    check_tile<T>(map, 3, 5, 1, random);
    check_tile<T>(map, 5, 40, 300, random);
  }
}

TEST_CASE_TEMPLATE("tile: a point's RBF value with itself is exactly 1, and values are symmetric", T, float, double) {
  const auto& op = ops<T>();
  Random random(2);
  for (const Index d : {1, 7, 54, 201}) {
    const Index n = 70;
    auto x = uniform<T>(n * d, random, 100, 300);  // far from the origin: the worst case for |x|^2 + |y|^2 - 2xy
    const auto pa = interleave(x, n, d, op.mr), pb = interleave(x, n, d, op.nr);
    const auto na = norms_of(pa, d, op.mr), nb = norms_of(pb, d, op.nr);
    for (const auto& map : maps<T>()) {
      std::vector<T> k(n * n);
      std::vector<T*> rows;
      for (Index r = 0; r < n; ++r) rows.push_back(k.data() + r * n);
      op.tile(map, {pa.data(), na.data(), n}, pb.data(), nb.data(), n, d, rows.data());
      bool ones = true, symmetric = true;
      for (Index i = 0; i < n; ++i) {
        ones = ones && k[i * n + i] == T(1);
        for (Index j = 0; j < i; ++j) symmetric = symmetric && k[i * n + j] == k[j * n + i];
      }
      if (map.kind == KernelType::rbf) CHECK(ones);
      CHECK(symmetric);
    }
  }
}

TEST_CASE_TEMPLATE("exp: error over the whole range, exact at 0, no surprise beyond", T, float, double) {
  const auto& op = ops<T>();
  const MapParams<T> map{KernelType::rbf, T(1), T(0), 1};
  const double last = sizeof(T) == 4 ? 86.6 : 708.0;
  const Index n = 400003;  // odd: the tail is covered too
  std::vector<T> x(n), inner(static_cast<std::size_t>(n), T(0));
  for (Index i = 0; i < n; ++i) x[i] = static_cast<T>(last * static_cast<double>(i) / static_cast<double>(n - 1));
  op.map_row(map, T(0), x.data(), inner.data(), n);
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    const long double expected = std::exp(-static_cast<long double>(x[i]));
    const long double tolerated = (sizeof(T) == 4 ? 1.2e-7L : 2e-16L) * (1.0L + x[i]);  // the exponent is rounded
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(inner[i]) - expected) / expected / tolerated));
  }
  CHECK(worst < 1);
  std::vector<T> far{T(0), T(-5), T(1e4), std::numeric_limits<T>::max(), std::numeric_limits<T>::infinity()},
      out(far.size(), T(0));
  op.map_row(map, T(0), far.data(), out.data(), static_cast<Index>(far.size()));
  CHECK(out[0] == T(1));
  CHECK(out[1] == T(1));  // a squared distance rounded below 0 counts as 0
  for (std::size_t i = 2; i < far.size(); ++i) {
    CHECK(out[i] >= T(0));
    CHECK(out[i] <= (sizeof(T) == 4 ? T(4) * std::numeric_limits<T>::min() : T(0)));
  }
  // Around the smallest normal number: falls, in double to 0, and stays there.
  const double end = sizeof(T) == 4 ? 86.0 : 708.0;
  std::vector<T> edge(1000), values(edge.size(), T(0));
  for (std::size_t i = 0; i < edge.size(); ++i) edge[i] = static_cast<T>(end + 0.002 * static_cast<double>(i));
  op.map_row(map, T(0), edge.data(), values.data(), static_cast<Index>(edge.size()));
  for (std::size_t i = 1; i < edge.size(); ++i) CHECK(values[i] <= values[i - 1] * T(1.00001));
  CHECK(values.front() > std::numeric_limits<T>::min());
  CHECK(values.back() == out[2]);
}

TEST_CASE_TEMPLATE("sigmoid: absolute error near 0, exactly +-1 far away, odd", T, float, double) {
  const auto& op = ops<T>();
  const MapParams<T> map{KernelType::sigmoid, T(1), T(0), 1};
  const Index n = 20001;
  std::vector<T> x(n), zero(static_cast<std::size_t>(n), T(0));
  for (Index i = 0; i < n; ++i) x[i] = static_cast<T>(-25.0 + 50.0 * static_cast<double>(i) / static_cast<double>(n - 1));
  auto out = x;
  op.map_row(map, T(0), zero.data(), out.data(), n);
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    worst = std::max(worst,
                     std::abs(static_cast<double>(static_cast<long double>(out[i]) - std::tanh(static_cast<long double>(x[i])))));
    if (!(std::abs(out[i]) <= T(1))) CHECK(std::abs(out[i]) <= T(1));
  }
  CHECK(worst < 4 * kEps<T>);
  std::vector<T> far{T(100), T(-100), T(1e30), T(-1e30), std::numeric_limits<T>::infinity()};
  op.map_row(map, T(0), zero.data(), far.data(), static_cast<Index>(far.size()));
  CHECK(far == std::vector<T>{1, -1, 1, -1, 1});
}

TEST_CASE_TEMPLATE("map_row agrees bit for bit with tile, whatever the tail", T, float, double) {
  const auto& op = ops<T>();
  Random random(3);
  for (const auto& map : maps<T>()) {
    for (Index n = 0; n < 40; ++n) {
      const auto inner = uniform<T>(n, random), norms = uniform<T>(n, random, 1, 3);
      std::vector<T> all(inner), one(inner), guard(static_cast<std::size_t>(n + 1), T(9));
      op.map_row(map, T(1.5), norms.data(), all.data(), n);
      for (Index j = 0; j < n; ++j) op.map_row(map, T(1.5), norms.data() + j, one.data() + j, 1);
      CHECK(all == one);
      std::copy(inner.begin(), inner.end(), guard.begin());
      op.map_row(map, T(1.5), norms.data(), guard.data(), n);
      CHECK(guard[n] == T(9));
    }
  }
}

TEST_CASE_TEMPLATE("norms and sparse_sum against plain sums", T, float, double) {
  const auto& op = ops<T>();
  Random random(4);
  for (const Index width : {Index{1}, op.mr, op.nr}) {
    for (const Index d : {0, 1, 5, 100}) {
      const auto packed = uniform<T>(width * d, random);
      std::vector<T> out(width, T(-1));
      op.norms(Term::smaller, packed.data(), d, width, out.data());
      for (Index j = 0; j < width; ++j) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) sum += std::abs(static_cast<double>(packed[k * width + j]));
        CHECK(static_cast<double>(out[j]) == doctest::Approx(sum).epsilon(kEps<T> * static_cast<double>(d + 1)));
      }
      op.norms(Term::product, packed.data(), d, width, out.data());
      for (Index j = 0; j < width; ++j) {
        long double sum = 0;
        for (Index k = 0; k < d; ++k) sum += static_cast<long double>(packed[k * width + j]) * packed[k * width + j];
        CHECK(std::abs(static_cast<double>(static_cast<long double>(out[j]) - sum)) <=
              kEps<T> * static_cast<double>(d) * (1.0 + static_cast<double>(sum)));
      }
    }
  }
  const Index d = 60;
  const auto rows = uniform<T>(d * op.sparse_w, random, 0);  // of one sign: x + y keeps its digits
  for (Index nnz = 0; nnz <= d; nnz += 7) {
    std::vector<std::int32_t> idx;
    for (Index k = 0; k < d && static_cast<Index>(idx.size()) < nnz; ++k) {
      if (random.uniform() < 0.6) idx.push_back(static_cast<std::int32_t>(k));
    }
    const auto count = static_cast<Index>(idx.size());
    const auto val = uniform<T>(count, random, 0);
    for (const Term term : {Term::product, Term::smaller, Term::harmonic}) {
      std::vector<T> out(op.sparse_w + 1, T(5));
      op.sparse_sum(term, val.data(), idx.data(), count, rows.data(), out.data());
      CHECK(out.back() == T(5));
      for (Index r = 0; r < op.sparse_w; ++r) {
        double sum = 0, size = 1;
        for (Index t = 0; t < count; ++t) {
          const double x = static_cast<double>(val[t]), y = static_cast<double>(rows[idx[t] * op.sparse_w + r]);
          const double one = term == Term::product   ? x * y
                             : term == Term::smaller ? 0.5 * (std::abs(x) + std::abs(y) - std::abs(x - y))
                                                     : 2 * x * y / (x + y);
          sum += one;
          size += std::abs(one);
        }
        CHECK(std::abs(static_cast<double>(out[r]) - sum) <= kEps<T> * static_cast<double>(count + 8) * size);
      }
    }
  }
}

TEST_CASE_TEMPLATE("dots: rows against vectors in double, each sum whatever its neighbours are", T, float, double) {
  const auto& op = ops<T>();
  const Index m = 7, k = 5, stride = 41;
  Random random(11);
  const auto values = uniform<T>(m * stride, random);
  const auto coef = uniform<double>(k * stride, random);
  for (const Index n : {Index{0}, Index{1}, Index{3}, Index{8}, Index{19}, stride}) {
    std::vector<double> sums(m * k, 0.25), alone(m * k, 0.25);
    std::vector<const T*> rows;
    std::vector<double*> to;
    for (Index r = 0; r < m; ++r) rows.push_back(values.data() + r * stride), to.push_back(sums.data() + r * k);
    op.dots(rows.data(), m, coef.data(), stride, k, n, to.data());
    for (Index r = 0; r < m; ++r) {
      for (Index c = 0; c < k; ++c) {
        double* one = alone.data() + r * k + c;
        op.dots(&rows[r], 1, coef.data() + c * stride, stride, 1, n, &one);
        long double expected = 0.25L;
        for (Index j = 0; j < n; ++j) expected += static_cast<long double>(rows[r][j]) * coef[c * stride + j];
        CHECK(std::abs(static_cast<double>(sums[r * k + c] - expected)) < 1e-14);
      }
    }
    CHECK(alone == sums);
  }
}

TEST_CASE_TEMPLATE("sums that keep their loss are wrong by the roundings of four products", T, float, double) {
  const auto& op = ops<T>();
  Random random(6);
  const Index m = 23, n = 300;
  // Large equal products of one sign, and then of the other: a plain sum of them loses what is left in the end.
  auto rows = uniform<T>(m * n, random);
  std::vector<const T*> at_row;
  for (Index r = 0; r < m; ++r) at_row.push_back(rows.data() + r * n);
  for (Index j = 0; j < n; ++j) rows[j] = static_cast<T>(1);
  std::vector<double> equal(n, 1e8 / 3);
  for (Index j = 0; j < n; ++j) equal[j] *= j < n / 2 ? 1 : -1;
  const auto other = uniform<double>(n, random, -1e3, 1e3);
  for (Index size = 0; size <= n; ++size) {
    for (const int row : {0, 1}) {
      const T* const a = at_row[row];
      const std::vector<double>& b = row == 0 ? equal : other;
      long double expected = 0.25L + 1e-20L;
      double squares = 0;
      for (Index j = 0; j < size; ++j) expected += static_cast<long double>(a[j]) * b[j], squares += b[j] * b[j];
      double sum = 0.25, lost = 1e-20;
      op.dot_with_loss(a, b.data(), size, &sum, &lost);
      CHECK(std::abs(static_cast<double>(sum + static_cast<long double>(lost) - expected)) <= 2.7 * 0x1p-53 * std::sqrt(squares));
    }
    const auto coef = uniform<double>(m, random, -1e8, 1e8);
    for (const Index count : {Index{1}, Index{4}, Index{7}, m}) {
      std::vector<double> sum(equal), lost(other);
      op.accumulate_with_loss(coef.data(), at_row.data(), count, size, sum.data(), lost.data());
      double worst = 0;
      for (Index j = 0; j < n; ++j) {
        long double expected = static_cast<long double>(equal[j]) + other[j];
        for (Index r = 0; r < count && j < size; ++r) expected += static_cast<long double>(coef[r]) * rows[r * n + j];
        worst = std::max(worst, std::abs(static_cast<double>(static_cast<long double>(sum[j]) + lost[j] - expected)));
      }
      CHECK(worst <= 2.7 * 0x1p-53 * 1e8 * std::sqrt(static_cast<double>(count)));
    }
  }
}

TEST_CASE_TEMPLATE("accumulate and dot sum in double", T, float, double) {
  const auto& op = ops<T>();
  Random random(5);
  const Index n = 2500;  // beyond one span of 1024
  for (const Index m : {0, 1, 7, 8, 9, 23}) {
    const auto rows = uniform<T>(m * n, random);
    const auto coef = uniform<double>(m, random, -1e3, 1e3), start = uniform<double>(n, random);
    std::vector<const T*> at_row;
    for (Index r = 0; r < m; ++r) at_row.push_back(rows.data() + r * n);
    for (const auto& [begin, end] :
         std::vector<std::pair<Index, Index>>{{0, n}, {0, 0}, {3, 4}, {5, 1030}, {1023, 1025}, {17, n - 1}}) {
      auto g = start;
      op.accumulate(coef.data(), at_row.data(), m, begin, end, g.data());
      double worst = 0;
      for (Index j = 0; j < n; ++j) {
        long double expected = start[j];
        for (Index r = 0; r < m && j >= begin && j < end; ++r) expected += static_cast<long double>(coef[r]) * rows[r * n + j];
        worst = std::max(worst, std::abs(static_cast<double>(static_cast<long double>(g[j]) - expected)));
        if (j < begin || j >= end) CHECK(g[j] == start[j]);
      }
      CHECK(worst < 1e-12 * static_cast<double>(m + 1));
    }
  }
  for (Index size = 0; size < 100; ++size) {
    const auto a = uniform<T>(size, random);
    const auto b = uniform<double>(size, random);
    long double expected = 0;
    for (Index j = 0; j < size; ++j) expected += static_cast<long double>(a[j]) * b[j];
    CHECK(std::abs(static_cast<double>(op.dot(a.data(), b.data(), size) - expected)) < 1e-14);
  }
}
