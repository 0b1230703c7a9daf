// Solves that leave their memory to the next one: nothing but memory is left.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include "base/workspace.hpp"
#include "qp/block_solver.hpp"
#include "qp/matrix_rows.hpp"

using namespace dcsvm;
using handmade::Qp;

namespace {

struct InWorkspace {
  std::vector<double> beta;
  qp::Result result;
};

template <class T>
InWorkspace solved_in(const Qp& p, base::Workspace* workspace) {
  base::ThreadPool pool(1);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 20;
  context.workspace = workspace;
  InWorkspace s{std::vector<double>(p.n, 0.0), {}};
  const auto rows = p.rows<T>();
  s.result = qp::solve<T>(rows, p.problem(), {}, s.beta.data(), nullptr, context);
  return s;
}

}  // namespace

TEST_CASE_TEMPLATE("a workspace changes no result: sizes that grow and shrink, with and without groups and the equality", T,
                   float, double) {
  base::Workspace workspace;
  std::uint64_t seed = 0;
  for (const Index n : {4, 300, 5, 41, 40, 700, 3}) {
    for (const int form : {0, 1, 2}) {
      Qp p = handmade::random_qp(n, std::min<Index>(n, 6), form != 2, 1.0, ++seed);
      for (Index i = 0; i < n && form == 1; ++i) p.group.push_back(static_cast<std::uint8_t>(i % 2));
      CAPTURE(n);
      CAPTURE(form);
      const InWorkspace with = solved_in<T>(p, &workspace), without = solved_in<T>(p, nullptr);
      CHECK(with.beta == without.beta);
      CHECK(with.result.n_iter == without.result.n_iter);
      CHECK(with.result.objective == without.result.objective);
      CHECK(with.result.bias == without.result.bias);
      CHECK(with.result.peak_bytes == without.result.peak_bytes);
    }
  }
}

TEST_CASE("what a solve in one precision left is given back before a solve in the other begins") {
  base::Workspace workspace;
  const Qp p = handmade::random_qp(150, 6, true, 1.0, 1);
  const auto tile_of = [&](auto value) { return workspace.borrow<qp::SolverRoom<decltype(value)>>()->tile.k.size(); };
  solved_in<float>(p, &workspace);
  CHECK(tile_of(1.0F) >= 150 * 150);
  solved_in<double>(p, &workspace);
  CHECK(tile_of(1.0F) == 0);
  CHECK(tile_of(1.0) >= 150 * 150);
  solved_in<float>(p, &workspace);
  CHECK(tile_of(1.0) == 0);

  // A working set's tile keeps nothing of a larger one.
  const Qp large = handmade::random_qp(900, 6, true, 1.0, 2);
  base::ThreadPool pool(1);
  base::Context context;
  context.pool = &pool;
  context.workspace = &workspace;
  const auto rows = large.rows<float>();
  for (const std::size_t cap : {std::size_t{64} << 20, std::size_t{1} << 20}) {
    context.cap_bytes = cap;
    std::vector<double> beta(large.n, 0.0);
    qp::solve<float>(rows, large.problem(), {}, beta.data(), nullptr, context);
    CHECK((static_cast<std::size_t>(tile_of(1.0F)) * sizeof(float) > (std::size_t{1} << 19)) == (cap > (std::size_t{1} << 20)));
  }
}

TEST_CASE("a workspace gives an object to one borrower at a time") {
  base::Workspace workspace;
  const std::vector<int>* first = nullptr;
  {
    const auto a = workspace.borrow<std::vector<int>>(), b = workspace.borrow<std::vector<int>>();
    const bool shared = a == b;
    CHECK_FALSE(shared);
    a->assign(100, 7);
    first = a.get();
  }
  const auto again = workspace.borrow<std::vector<int>>();
  const bool same = again.get() == first;
  CHECK(same);
  CHECK(again->capacity() >= 100);
  workspace.release<std::vector<int>>();
  CHECK(workspace.borrow<std::vector<int>>()->empty());
  CHECK(again->size() == 100);  // whoever has it keeps it
}
