#include "data/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using twin::Layout;
using twin::Matrix;
using twin::Stored;

namespace {

struct Truth {
  std::vector<long double> mean;
  long double variance = 0, centred_norm2 = 0, norm2 = 0;
};

Truth truth_of(const Matrix& x, Index d) {
  Truth t;
  const auto n = static_cast<long double>(x.size());
  t.mean.assign(d, 0);
  long double all = 0;
  for (const auto& row : x) {
    for (Index k = 0; k < d; ++k) t.mean[k] += row[k] / n, all += row[k];
  }
  all /= n * static_cast<long double>(d);
  for (const auto& row : x) {
    long double centred = 0, plain = 0;
    for (Index k = 0; k < d; ++k) {
      const long double v = row[k];
      t.variance += (v - all) * (v - all) / (n * static_cast<long double>(d));
      centred += (v - t.mean[k]) * (v - t.mean[k]);
      plain += v * v;
    }
    t.centred_norm2 = std::max(t.centred_norm2, centred);
    t.norm2 = std::max(t.norm2, plain);
  }
  return t;
}

double relative(double a, long double b) { return std::abs(static_cast<double>((static_cast<long double>(a) - b) / b)); }

}  // namespace

TEST_CASE("means, variance and norms over several pieces, far from the origin, for any number of threads") {
  const Index d = 5;
  for (const Index n : {1, 2, 4096, 9000}) {
    for (const double offset : {0.0, 1e6}) {
      if (n == 1 && offset == 0.0) continue;
      const Matrix x = twin::random_matrix(n, d, 5, 0.3, offset);
      const Truth truth = truth_of(x, d);
      for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
        const Stored stored(x, d, layout, ScalarType::float64);
        std::vector<double> first;
        for (const int threads : {1, 2, 5}) {
          base::ThreadPool pool(threads);
          const DataView x_view = stored.view();
          const data::Summary summary(x_view), unchecked(x_view);
          summary.check(pool);
          const data::Moments moments = data::column_moments(x_view, nullptr, n, pool);
          CHECK(summary.moments(pool).mean == moments.mean);
          CHECK(summary.moments(pool).variance == moments.variance);
          CHECK(unchecked.variance(pool) == summary.variance(pool));
          CHECK(unchecked.moments(pool).mean == moments.mean);
          auto all = moments.mean;
          for (Index k = 0; k < d; ++k) {
            CHECK(std::abs(static_cast<double>(static_cast<long double>(all[k]) - truth.mean[k])) < 1e-13 * (1 + offset));
          }
          all.push_back(summary.variance(pool));
          CHECK(relative(all.back(), truth.variance) < 1e-9);
          all.push_back(summary.largest_norm2(pool));
          CHECK(relative(all.back(), truth.norm2) < 1e-12);
          all.push_back(summary.largest_centred_norm2(pool));
          // Dense data is shifted by its mean before tiles are formed; sparse data is not.
          CHECK(std::abs(all.back() - static_cast<double>(layout == Layout::csr ? truth.norm2 : truth.centred_norm2)) <=
                1e-9 * (1 + all.back()));
          if (first.empty()) first = all;
          CHECK(all == first);
        }
      }
    }
  }
}

TEST_CASE("constant data has no variance") {
  base::ThreadPool pool(1);
  const std::vector<double> x(12, 3.0);
  const data::Summary summary(dense(x.data(), 4, 3));
  CHECK(summary.variance(pool) == 0.0);
  CHECK(summary.largest_centred_norm2(pool) == 0.0);
}
