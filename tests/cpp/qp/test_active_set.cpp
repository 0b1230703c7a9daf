// Gradients of shrunk variables against q - K beta, when what was dropped comes back in two steps.
#include "qp/active_set.hpp"

#include "doctest/doctest.h"
#include "qp/rbf_problem.hpp"

using dcsvm::Index;

namespace {

using Set = dcsvm::qp::ActiveSet<double>;

double exact_gradient(const handmade::RbfProblem& p, const std::vector<double>& beta, Index i) {
  double g = p.q[i];
  for (Index j = 0; j < p.n; ++j) g -= p.entry(i, j) * beta[j];
  return g;
}

/// Every position's beta moves to a random place between its bounds; g of the active variables follows.
void move_all(const handmade::RbfProblem& p, Set& set, handmade::Random& random) {
  for (std::size_t s = 0; s < set.idx.size(); ++s) {
    const double to = set.lo[s] + random.uniform() * (set.hi[s] - set.lo[s]), delta = to - set.beta[s];
    set.beta[s] = to;
    for (std::size_t t = 0; t < set.idx.size(); ++t) set.g[t] -= delta * p.entry(set.idx[t], set.idx[s]);
  }
}

double worst_error(const handmade::RbfProblem& p, const Set& set, const std::vector<double>& beta) {
  double worst = 0;
  for (std::size_t s = 0; s < set.idx.size(); ++s) {
    worst = std::max(worst, std::abs(set.g[s] - exact_gradient(p, beta, set.idx[s])));
  }
  return worst;
}

std::vector<Index> every(Index n, Index step) {
  std::vector<Index> keep;
  for (Index i = 0; i < n; i += step) keep.push_back(i);
  return keep;
}

}  // namespace

TEST_CASE("a base comes back with exact gradients, and so does everything after it") {
  const handmade::RbfProblem p(150, 3, 1.5, 4.0, 1);
  const auto rows = p.rows<double>();
  const auto problem = p.problem();
  dcsvm::base::ThreadPool pool(2);
  handmade::Random random(2);
  std::vector<double> beta(p.n, 0.0), gradient = p.q;
  Set set;
  set.begin(*rows, problem, beta.data(), gradient.data());
  move_all(p, set, random);
  set.shrink(every(set.size(), 1));  // an event before the base drops nothing
  set.shrink_to_base(every(set.size(), 2));
  const std::vector<Index> base = set.idx;
  CHECK(set.has_base());
  for (int stage = 0; stage < 3; ++stage) {
    move_all(p, set, random);
    set.shrink(every(set.size(), 3));
    move_all(p, set, random);
    set.shrink(every(set.size(), 2));
    move_all(p, set, random);
    set.return_to_base(1 << 20, pool);
    CHECK(set.idx == base);
    CHECK(worst_error(p, set, beta) < 1e-9);
  }
  move_all(p, set, random);
  set.reconstruct(1 << 20, pool);
  set.activate_all();
  CHECK_FALSE(set.has_base());
  CHECK(set.size() == p.n);
  CHECK(worst_error(p, set, beta) < 1e-9);
}

TEST_CASE("within: members of up above the band's floor and of low below its ceiling") {
  const handmade::RbfProblem p(60, 2, 1.0, 1.0, 3);
  const auto rows = p.rows<double>();
  const auto problem = p.problem();
  handmade::Random random(4);
  std::vector<double> beta(p.n, 0.0), gradient = p.q;
  Set set;
  set.begin(*rows, problem, beta.data(), gradient.data());
  move_all(p, set, random);
  for (std::size_t s = 0; s < set.idx.size(); s += 3) set.beta[s] = set.lo[s];
  for (std::size_t s = 1; s < set.idx.size(); s += 3) set.beta[s] = set.hi[s];
  const auto keep = set.within({0.25, 0.0}, 0.5);
  std::vector<Index> expected;
  for (Index s = 0; s < set.size(); ++s) {
    const bool up = set.beta[s] < set.hi[s] && set.g[s] >= -0.25;
    const bool low = set.beta[s] > set.lo[s] && set.g[s] <= 0.75;
    if (up || low) expected.push_back(s);
  }
  CHECK(keep == expected);
  CHECK(keep.size() < static_cast<std::size_t>(set.size()));
}
