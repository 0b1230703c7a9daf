// The solver's window on the kernel matrix: exact symmetry, the same value whatever block, order, budget or thread computes it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using base::ThreadPool;
using namespace twin;

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30;

std::vector<KernelParams> all_kernels() {
  return {{KernelType::linear, 3, 1, 0},
          {KernelType::rbf, 3, 0.4, 0},
          {KernelType::poly, 3, 0.3, 1.0},
          {KernelType::sigmoid, 3, 0.1, 0.3}};
}

std::vector<Index> iota(Index n) {
  std::vector<Index> v(n);
  std::iota(v.begin(), v.end(), Index{0});
  return v;
}

template <class T>
std::vector<T> block(const kernel_matrix::RowSource<T>& source, const std::vector<Index>& rows, const std::vector<Index>& columns,
                     std::size_t budget = kPlenty, int threads = 1) {
  ThreadPool pool(threads);
  const auto n = static_cast<Index>(columns.size()), m = static_cast<Index>(rows.size());
  std::vector<T> out(m * (n + 3), T(-3));
  source.columns(columns.data(), n, budget, pool)->block(rows.data(), m, out.data(), n + 3, pool);
  std::vector<T> packed;
  for (Index r = 0; r < m; ++r) {
    for (Index j = 0; j < 3; ++j) CHECK(out[r * (n + 3) + n + j] == T(-3));
    packed.insert(packed.end(), out.begin() + r * (n + 3), out.begin() + r * (n + 3) + n);
  }
  return packed;
}

template <class T>
std::vector<T> whole(const kernel_matrix::RowSource<T>& source) {
  return block(source, iota(source.size()), iota(source.size()));
}

template <class T>
std::vector<T> cut(const std::vector<T>& k, Index n, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  std::vector<T> out;
  for (const Index i : rows) {
    for (const Index j : columns) out.push_back(k[i * n + j]);
  }
  return out;
}

// A matrix with points far away, duplicates and near-duplicates; sparse: mostly zeros.
Matrix points(Index n, Index d, bool sparse) {
  Matrix x = twin::random_matrix(n, d, 11, sparse ? 0.9 : 0.0, sparse ? 0.0 : 3.0);
  x[n - 1] = x[0];
  x[n - 2] = x[1];
  x[n - 2][0] += 1e-4;
  return x;
}

std::vector<Index> scattered(Index n, Index count) {
  std::vector<Index> idx;
  base::Random random(17);
  for (Index i = 0; i < count; ++i) idx.push_back(random.below(n));
  return idx;
}

}  // namespace

TEST_CASE_TEMPLATE("K is exactly symmetric, its diagonal as announced, RBF's exactly 1", T, float, double) {
  const Index n = 150, d = 33;
  for (const bool sparse : {false, true}) {
    const Matrix x = points(n, d, sparse);
    const Stored stored(x, d, sparse ? Layout::csr : Layout::fortran, ScalarType::float64);
    for (const auto& kernel : all_kernels()) {
      ThreadPool pool(2);
      const auto source = kernel_matrix::make_kernel_rows<T>(stored.view(), kernel, pool);
      CHECK(source->size() == n);
      const auto k = whole(*source);
      bool symmetric = true, diagonal = true, ones = true;
      for (Index i = 0; i < n; ++i) {
        diagonal = diagonal && source->diagonal(i) == k[i * n + i];
        ones = ones && k[i * n + i] == T(1);
        for (Index j = 0; j < i; ++j) symmetric = symmetric && k[i * n + j] == k[j * n + i];
      }
      CAPTURE(sparse);
      CAPTURE(static_cast<int>(kernel.type));
      CHECK(symmetric);
      CHECK(diagonal);
      if (kernel.type == KernelType::rbf) CHECK(ones);
      if (kernel.type == KernelType::rbf) CHECK(k[n - 1] == T(1));  // a duplicate
      CHECK(source->n_values() == n * n);
    }
  }
}

TEST_CASE_TEMPLATE("RBF error stays within what norms after the shift explain: offsets, near-duplicates, large gamma", T, float,
                   double) {
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Index n = 90, d = 6;
  for (const double offset : {0.0, 1e4, 1e6}) {
    Matrix x = twin::random_matrix(n, d, 5);
    for (Index i = 0; i < n; ++i) {
      if (i % 3 == 1) x[i] = x[i - 1];
      if (i % 3 == 1) x[i][1] += 1e-3;
    }
    for (auto& row : x) {
      for (auto& v : row) v += offset;
    }
    const Stored stored(x, d, Layout::c, ScalarType::float64);
    for (const double gamma : {0.1, 1.0, 1e3, 1e6}) {
      ThreadPool pool(1);
      const KernelParams kernel{KernelType::rbf, 3, gamma, 0};
      const auto k = whole(*kernel_matrix::make_kernel_rows<T>(stored.view(), kernel, pool));
      const double allowed = std::min(1.0, gamma * static_cast<double>(d) * 8 * eps * 4) + 4 * eps;
      double worst = 0;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          long double d2 = 0;
          for (Index c = 0; c < d; ++c) {
            const long double diff = static_cast<long double>(x[i][c]) - x[j][c];
            d2 += diff * diff;
          }
          const long double truth = std::exp(-static_cast<long double>(gamma) * d2);
          worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(k[i * n + j]) - truth)));
        }
      }
      CAPTURE(offset);
      CAPTURE(gamma);
      CHECK(worst <= allowed);
    }
  }
}

TEST_CASE_TEMPLATE("any rows over any columns, held or streamed, on any threads: the same bits", T, float, double) {
  for (const bool sparse : {false, true}) {
    const Index n = 700, d = sparse ? 60 : 21;
    const Matrix x = points(n, d, sparse);
    const Stored stored(x, d, sparse ? Layout::csr : Layout::c, ScalarType::float32, sparse);
    for (const auto& kernel : all_kernels()) {
      ThreadPool pool(1);
      const auto source = kernel_matrix::make_kernel_rows<T>(stored.view(), kernel, pool);
      const auto k = whole(*source);
      const auto some_rows = scattered(n, 45);
      for (const auto& columns : {iota(n), scattered(n, 333), std::vector<Index>{699}, std::vector<Index>{5, 5, 4}}) {
        const auto expected = cut(k, n, some_rows, columns);
        for (const std::size_t budget : {std::size_t{0}, kPlenty}) {
          for (const int threads : {1, 2, 5}) CHECK(block(*source, some_rows, columns, budget, threads) == expected);
        }
      }
      CHECK(block(*source, {}, iota(n)).empty());
      const auto streamed = source->columns(iota(n).data(), n, 0, pool), held = source->columns(iota(n).data(), n, kPlenty, pool);
      CHECK(streamed->bytes() < held->bytes());
      CHECK(streamed->bytes() <= static_cast<std::size_t>(n + 8) * sizeof(Index));
    }
  }
}

TEST_CASE_TEMPLATE("multiply is the block times the coefficients, the same on any threads", T, float, double) {
  const Index n = 1200, d = 9;
  const Matrix x = points(n, d, false);
  const Stored stored(x, d, Layout::c, ScalarType::float64);
  ThreadPool pool(1);
  const auto source = kernel_matrix::make_kernel_rows<T>(stored.view(), all_kernels()[1], pool);
  const auto columns = scattered(n, 900);
  for (const Index m : {0, 1, 255, 256, 257, 700}) {
    const auto which = scattered(n, m);
    std::vector<double> coef;
    base::Random random(3);
    for (Index r = 0; r < m; ++r) coef.push_back(10 * random.uniform() - 5);
    const auto k = block(*source, which, columns);
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
      ThreadPool several(threads);
      for (const std::size_t budget : {std::size_t{0}, kPlenty}) {
        std::vector<double> out(columns.size(), 1.0);
        source->columns(columns.data(), 900, budget, several)->multiply(which.data(), coef.data(), m, out.data(), several);
        if (first.empty()) first = out;
        CHECK(out == first);
      }
    }
    double worst = 0;  // strips of up to 8 rows are added up in T, the strips in double
    for (std::size_t j = 0; j < columns.size(); ++j) {
      long double sum = 1, size = 1;
      for (Index r = 0; r < m; ++r) {
        const long double term = static_cast<long double>(coef[r]) * k[static_cast<std::size_t>(r * 900) + j];
        sum += term;
        size += std::abs(term);
      }
      worst = std::max(worst, static_cast<double>(std::abs(first[j] - sum) / size));
    }
    CHECK(worst < 8 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
}

TEST_CASE_TEMPLATE("stored: values above the diagonal serve below it, for every kernel and layout", T, float, double) {
  const Index n = 300, d = 70;
  const Matrix x = points(n, d, true);
  ThreadPool pool(2);
  for (const KernelParams& kernel : all_kernels()) {
    for (const Layout layout : {Layout::c, Layout::csr}) {
      const Stored stored(x, d, layout, ScalarType::float64);
      const auto base = kernel_matrix::make_kernel_rows<T>(stored.view(), kernel, pool);
      const auto k = whole(*base);
      const std::int64_t before = base->n_values();
      CHECK(whole(*kernel_matrix::make_stored_rows(*base, pool)) == k);
      CHECK(base->n_values() - before < 0.8 * static_cast<double>(n * n));
    }
  }
}

TEST_CASE("stored: values stay those of all columns, so that no other columns round them otherwise") {
  const Index n = 300, d = 20;
  Matrix x = points(n, d, false);
  for (Index i = 0; i < n; i += 2) x[i][0] += 30.0;  // far from the centre of all, which one half alone is not
  const Stored given(x, d, Layout::c, ScalarType::float64);
  ThreadPool pool(1);
  const auto base = kernel_matrix::make_kernel_rows<double>(given.view(), {KernelType::rbf, 3, 0.4, 0}, pool);
  CHECK(base->rounding().by_columns);
  std::vector<Index> half;
  for (Index i = 0; i < n; i += 2) half.push_back(i);
  CHECK(block(*base, half, half) != cut(whole(*base), n, half, half));
  const auto kept = kernel_matrix::make_stored_rows(*base, pool);
  CHECK_FALSE(kept->rounding().by_columns);
  CHECK(block(*kept, half, half) == cut(whole(*kept), n, half, half));
}

TEST_CASE_TEMPLATE("subset, subset of a subset, stored and precomputed views give the base's values", T, float, double) {
  const Index n = 300, d = 8;
  const Matrix x = points(n, d, false);
  const Stored stored(x, d, Layout::c, ScalarType::float64);
  ThreadPool pool(2);
  const auto base = kernel_matrix::make_kernel_rows<T>(stored.view(), all_kernels()[2], pool);
  const auto k = whole(*base);

  const auto kept = kernel_matrix::make_stored_rows(*base, pool);
  CHECK(whole(*kept) == k);
  const auto idx = scattered(n, 120);
  const auto subset = kernel_matrix::make_subset(*base, idx);
  CHECK(subset->size() == 120);
  CHECK(whole(*subset) == cut(k, n, idx, idx));
  CHECK(block(*subset, {3, 119, 0}, {7, 7, 2}) == cut(k, n, {idx[3], idx[119], idx[0]}, {idx[7], idx[7], idx[2]}));
  CHECK(subset->diagonal(5) == base->diagonal(idx[5]));
  const auto inner = kernel_matrix::make_subset(*subset, {100, 4, 4});
  CHECK(whole(*inner) == cut(k, n, {idx[100], idx[4], idx[4]}, {idx[100], idx[4], idx[4]}));
  const auto of_stored = kernel_matrix::make_subset(*kept, idx);
  CHECK(whole(*of_stored) == cut(k, n, idx, idx));

  Matrix given(static_cast<std::size_t>(n), std::vector<double>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) given[i][j] = (i + j) % 3 == 0 ? 0.0 : static_cast<double>(static_cast<float>(k[i * n + j]));
  }
  for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
    for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
      const Stored matrix(given, n, layout, scalar);
      KernelParams kernel;
      kernel.type = KernelType::precomputed;
      const auto source = kernel_matrix::make_kernel_rows<T>(matrix.view(), kernel, pool);
      const auto all = whole(*source);
      bool equal = true;
      for (Index i = 0; i < n; ++i) {
        equal = equal && source->diagonal(i) == static_cast<T>(given[i][i]);
        for (Index j = 0; j < n; ++j) equal = equal && all[i * n + j] == static_cast<T>(given[i][j]);
      }
      CHECK(equal);
      const auto some = scattered(n, 31);
      for (const int threads : {1, 3}) CHECK(block(*source, some, idx, 0, threads) == cut(all, n, some, idx));
      CHECK(whole(*kernel_matrix::make_subset(*source, idx)) == cut(all, n, idx, idx));
    }
  }
}

TEST_CASE_TEMPLATE("CrossKernel: unaligned pieces, every storage on either side", T, float, double) {
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const double zeros : {0.0, 0.9}) {
    const Index n = 210, d = 40, queries = 70;
    const Matrix x = twin::random_matrix(n, d, 21, zeros), q = twin::random_matrix(queries, d, 22, zeros);
    const auto idx = scattered(n, 131);
    for (const auto& kernel : all_kernels()) {
      for (const Layout layout : {Layout::c, Layout::csr}) {
        const Stored stored(x, d, layout, ScalarType::float64);
        const auto cross = kernel_matrix::make_cross_kernel<T>(stored.view(), idx.data(), 131, kernel);
        CHECK(cross->size() == 131);
        std::vector<T> first;
        for (const Layout other : {Layout::c, Layout::fortran, Layout::csr}) {
          const Stored given(q, d, other, ScalarType::float32, true);
          std::vector<T> out(queries * 131);
          cross->block(given.view(), 0, queries, 0, 131, out.data(), 131);
          double worst = 0;
          for (Index r = 0; r < queries; ++r) {
            for (Index j = 0; j < 131; ++j) {
              const double truth = twin::kernel(kernel, q[r], x[idx[j]]);
              worst = std::max(worst, std::abs(static_cast<double>(out[r * 131 + j]) - truth) / (1 + std::abs(truth)));
            }
          }
          CAPTURE(zeros);
          CAPTURE(static_cast<int>(layout));
          CAPTURE(static_cast<int>(other));
          CHECK(worst < 100 * eps);
          if (first.empty()) first = out;
          CHECK(out == first);  // how the queries are stored does not matter
          for (const auto& [begin, end] :
               std::vector<std::pair<Index, Index>>{{0, 1}, {1, 131}, {17, 90}, {128, 131}, {64, 65}}) {
            std::vector<T> piece(9 * 200, T(-8));
            cross->block(given.view(), 31, 9, begin, end, piece.data(), 200);
            for (Index r = 0; r < 9; ++r) {
              CHECK(std::equal(piece.begin() + r * 200, piece.begin() + r * 200 + (end - begin),
                               out.begin() + (31 + r) * 131 + begin));
              CHECK(piece[r * 200 + end - begin] == T(-8));
            }
          }
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("CrossKernel over all points is the kernel matrix itself", T, float, double) {
  const Index n = 130, d = 12;
  for (const bool sparse : {false, true}) {
    const Matrix x = points(n, d, sparse);
    const Stored stored(x, d, sparse ? Layout::csr : Layout::c, ScalarType::float64);
    for (const auto& kernel : all_kernels()) {
      ThreadPool pool(1);
      const auto k = whole(*kernel_matrix::make_kernel_rows<T>(stored.view(), kernel, pool));
      std::vector<T> out(n * n);
      kernel_matrix::make_cross_kernel<T>(stored.view(), nullptr, n, kernel)->block(stored.view(), 0, n, 0, n, out.data(), n);
      // dense rbf values in float come from differences where queries are not the points themselves
      const bool same = sparse || kernel.type != KernelType::rbf || std::is_same_v<T, double>;
      if (same) CHECK(out == k);
      double worst = 0;
      for (std::size_t j = 0; j < out.size(); ++j) worst = std::max(worst, std::abs(static_cast<double>(out[j] - k[j])));
      CHECK(worst < 1e-6);
    }
  }
  KernelParams given;
  given.type = KernelType::precomputed;
  const double one = 1;
  CHECK_THROWS_AS(kernel_matrix::make_cross_kernel<T>(dense(&one, 1, 1), nullptr, 1, given), ParameterError);
  const auto cross = kernel_matrix::make_cross_kernel<T>(dense(&one, 1, 1), nullptr, 1, KernelParams{});
  const double two[] = {1, 2};
  T out[2];
  CHECK_THROWS_AS(cross->block(dense(two, 1, 2), 0, 1, 0, 1, out, 1), DataError);
}

TEST_CASE("The values of a given matrix may be rounded alike where there are few of them") {
  const Index n = 40;
  for (const int values : {3, 256, 300}) {
    Matrix k(static_cast<std::size_t>(n), std::vector<double>(n));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) k[i][j] = 1.0 / static_cast<double>(1 + (i * n + j) % values);
    }
    const Stored matrix(k, n, Layout::c, ScalarType::float64);
    CHECK(kernel_matrix::make_precomputed_rows<float>(matrix.view())->rounding().alike == (values <= 256));
  }
}
