// The sample of the rows from which a solve starts.
#include "linear_fit/sample_start.hpp"

#include <algorithm>
#include <limits>

#include "base/call.hpp"
#include "doctest/doctest.h"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

linear_fit::Problem problem_on(const products::Matrix& x) {
  linear_fit::Problem p;
  p.x = &x;
  for (Index i = 0; i < x.rows(); ++i) {
    p.y.push_back(i % 3 == 0 ? 1.0 : -1.0);
    p.C.push_back(i % 5 == 0 ? 0.0 : 1.0 + static_cast<double>(i % 4));
  }
  return p;
}

}  // namespace

TEST_CASE("sample: one row of eight of those that take part, none where they are few beside the columns") {
  base::ThreadPool pool(1);
  const HandmadeMatrix m(4000, 6, 0.8, -1.0, pool), few(500, 6, 0.8, -1.0, pool);
  const auto all = [](Index) { return true; };
  const std::vector<Index> rows = linear_fit::sample_rows(m.matrix, 1, all);
  CHECK(rows.size() == 500);
  for (std::size_t k = 0; k < rows.size(); ++k) CHECK(rows[k] / linear_fit::kSampleShare == static_cast<Index>(k));
  CHECK(linear_fit::sample_rows(m.matrix, 1, all) == rows);
  CHECK(linear_fit::sample_rows(m.matrix, 2, all) != rows);
  const auto even = [](Index i) { return i % 2 == 0; };
  for (const Index i : linear_fit::sample_rows(m.matrix, 1, even)) CHECK(i % 2 == 0);
  CHECK(linear_fit::sample_rows(few.matrix, 1, all).empty());
  CHECK(linear_fit::sample_rows(m.matrix, 1, [](Index i) { return i < 100; }).empty());
}

TEST_CASE("sample: its problems have the rows' labels and eight times their weight; a start that is not finite is none") {
  const Hooks hooks;
  base::Call call(1, 3, 100, hooks);
  const HandmadeMatrix m(4000, 6, 0.8, -1.0, call.pool);
  const linear_fit::Problem p = problem_on(m.matrix);
  linear_fit::SolveOptions options;
  options.seed = 4;
  options.polish = 1e9;
  const std::vector<Index> rows = linear_fit::sample_rows(m.matrix, 4, [&](Index i) { return p.C[i] != 0; });
  double w = 0.5;
  const auto solve = [&](const std::vector<linear_fit::Problem>& parts, const linear_fit::SolveOptions& loose) {
    CHECK(loose.tol > options.tol);
    CHECK(loose.polish == 0.0);
    CHECK(parts.size() == 2);
    CHECK(parts[0].x->rows() == static_cast<Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      CHECK(parts[0].y[k] == p.y[rows[k]]);
      CHECK(parts[0].C[k] == 8.0 * p.C[rows[k]]);
      for (Index j = 0; j < 6; ++j) {
        std::vector<double> unit(6, 0.0);
        unit[j] = 1.0;
        CHECK(parts[1].x->dot(static_cast<Index>(k), unit.data()) == m.matrix.dot(rows[k], unit.data()));
      }
    }
    std::vector<linear_fit::Solution> out(2);
    for (linear_fit::Solution& s : out) s.w.assign(6, w);
    return out;
  };
  const auto starts = linear_fit::start_on_sample({p, p}, options, call.context, solve);
  REQUIRE(starts.size() == 2);
  CHECK(std::count(starts[1].begin(), starts[1].end(), 0.5) == 6);
  w = std::numeric_limits<double>::quiet_NaN();
  CHECK(linear_fit::start_on_sample({p, p}, options, call.context, solve).empty());
}
