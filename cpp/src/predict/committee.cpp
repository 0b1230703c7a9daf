#include "predict/committee.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include "dcsvm/errors.hpp"
#include "models/pairs.hpp"
#include "predict/decide.hpp"
#include "predict/kernel_values.hpp"
#include "predict/sums.hpp"

namespace dcsvm::prediction {

namespace {

using Eigen::MatrixXd;
using models::Expansion;
using models::ModelData;

constexpr double kLeastPrior = 1e-100;  // K(x,x) can be 0 (linear) or negative (sigmoid)
constexpr std::size_t kFactorBytes = std::size_t{512} << 20;
std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// One pair of classes in one cluster.
struct Member {
  std::size_t cluster = 0;
  Index pair = 0;               ///< among the pairs of all classes
  double rho = 0;
  std::vector<Index> columns;   ///< its support vectors, counted from the cluster's first
  std::vector<double> coef;
  MatrixXd factor;              ///< lower triangle: Cholesky factor of K_cc + I/C

  std::size_t bytes() const { return columns.size() * columns.size() * sizeof(double); }
};

/// Running sums over clusters for each query and pair.
struct Tally {
  double precision = 0;  ///< sum 1/v_c
  double mean = 0;       ///< sum E_c/v_c
  int members = 0;       ///< M
};

Index size_of(const Expansion& e) {
  Index n = 0;
  for (const Index sv : e.n_sv) n += sv;
  return n;
}

void add_columns(const ModelData& model, const Expansion& e, std::size_t own, int other, Member& member) {
  const Index n_sv = static_cast<Index>(model.support.size());
  Index first = 0;
  for (std::size_t c = 0; c < own; ++c) first += e.n_sv[c];
  const double* row = model.sv_coef.data() + models::coef_row(e.classes[own], other) * n_sv + e.first_sv;
  for (Index j = first; j < first + e.n_sv[own]; ++j) {
    if (row[j] == 0.0) continue;
    member.columns.push_back(j);
    member.coef.push_back(row[j]);
  }
}

std::vector<Member> members_of(const ModelData& model) {
  const Index k = static_cast<Index>(model.classes.size());
  std::vector<Member> members;
  for (std::size_t c = 0; c < model.expansions.size(); ++c) {
    const Expansion& e = model.expansions[c];
    std::size_t next = 0;
    for (std::size_t a = 0; a < e.classes.size(); ++a) {
      for (std::size_t b = a + 1; b < e.classes.size(); ++b) {
        Member m;
        m.cluster = c;
        m.pair = models::pair_index(e.classes[a], e.classes[b], k);
        m.rho = e.rho[next++];
        add_columns(model, e, a, e.classes[b], m);
        add_columns(model, e, b, e.classes[a], m);
        members.push_back(std::move(m));
      }
    }
  }
  return members;
}

/// Replaces the lower triangle of k by the factor of k + noise I; works in place, the upper triangle keeps k for another try.
void cholesky(MatrixXd& k, double noise) {
  const Eigen::VectorXd diagonal = k.diagonal();
  for (; std::isfinite(noise); noise *= 10.0) {
    k.diagonal() = diagonal.array() + noise;
    if (Eigen::LLT<Eigen::Ref<MatrixXd>>(k).info() == Eigen::Success) return;
    for (Index j = 0; j < k.cols(); ++j) {
      for (Index i = j + 1; i < k.rows(); ++i) k(i, j) = k(j, i);
    }
  }
}

void factorise(const ModelData& model, Member& m) {
  const Index n = static_cast<Index>(m.columns.size());
  if (n == 0) return;
  std::vector<Index> rows(m.columns);
  for (Index& r : rows) r += model.expansions[m.cluster].first_sv;
  const models::PointStore points = models::copy_points(model.points.view(), rows);
  const auto kernel = points_kernel<double>(points.view(), model.kernel);
  m.factor.resize(n, n);
  for (Index first = 0; first < n; first += kQueries) {
    // Symmetric, so that row-major rows may be written as Eigen's columns.
    kernel->block(points.view(), first, std::min(kQueries, n - first), 0, n, m.factor.data() + first * n, n);
  }
  cholesky(m.factor, 1.0 / model.C);
}

/// Adds one cluster's opinion on one pair about m queries. kernel: row r holds K(query r, the cluster's support vectors).
void consult(const Member& member, const double* kernel, Index ld, Index m, const double* self, Index n_pairs, Tally* tally) {
  const Index n = static_cast<Index>(member.columns.size());
  MatrixXd k(n, m);
  for (Index r = 0; r < m; ++r) {
    for (Index j = 0; j < n; ++j) k(j, r) = kernel[r * ld + member.columns[at(j)]];
  }
  const Eigen::Map<const Eigen::VectorXd> coef(member.coef.data(), n);
  const Eigen::VectorXd mean = k.transpose() * coef;
  if (n > 0) member.factor.triangularView<Eigen::Lower>().solveInPlace(k);
  for (Index r = 0; r < m; ++r) {
    const double prior = std::max(self[r], kLeastPrior);
    double v = prior - k.col(r).squaredNorm();
    if (!(v >= 1e-10 * prior)) v = 1e-10 * prior;
    v = std::min(v, prior);
    Tally& t = tally[r * n_pairs + member.pair];
    t.precision += 1.0 / v;
    t.mean += (mean[r] - member.rho) / v;
    ++t.members;
  }
}

/// Members [first, last) about all queries, whole clusters at a time; each worker keeps one tile.
void consult_all(const ModelData& model, const std::vector<Member>& members, std::size_t first, std::size_t last,
                 const DataView& x, base::ThreadPool& pool, std::vector<Tally>& tallies) {
  const Index n_pairs = static_cast<Index>(model.classes.size() * (model.classes.size() - 1) / 2);
  std::vector<std::vector<double>> tiles(at(pool.size()));
  for (std::size_t a = first, b; a < last; a = b) {
    for (b = a; b < last && members[b].cluster == members[a].cluster;) ++b;
    const Expansion& e = model.expansions[members[a].cluster];
    const Index n = size_of(e);
    const auto kernel = n > 0 ? support_kernel<double>(model, e.first_sv, n) : nullptr;
    pool.for_range(rows_of(x), query_grain(rows_of(x)), [&](Index begin, Index end, int worker) {
      auto& tile = tiles[at(worker)];
      tile.resize(std::max(tile.size(), at(kQueries * n)));
      if (kernel) kernel->block(x, begin, end - begin, 0, n, tile.data(), n);
      std::vector<double> self(at(end - begin));
      self_kernel(x, begin, end - begin, model.kernel, self.data());
      for (std::size_t i = a; i < b; ++i) {
        consult(members[i], tile.data(), n, end - begin, self.data(), n_pairs, tallies.data() + begin * n_pairs);
      }
    });
  }
}

double combine(const Tally& t, double self) {
  if (t.members == 0) return 0.0;
  return t.mean / (t.precision - (t.members - 1) / std::max(self, kLeastPrior));
}

}  // namespace

void decide_committee(const ModelData& model, const DataView& x, base::ThreadPool& pool, const Output& out) {
  if (model.kernel.type == KernelType::precomputed) {
    throw ParameterError("prediction: 'bcm' needs kernel values between support vectors, which a precomputed kernel does not keep");
  }
  const std::size_t n_pairs = model.classes.size() * (model.classes.size() - 1) / 2;
  std::vector<Member> members = members_of(model);
  std::vector<Tally> tallies(at(rows_of(x)) * n_pairs);
  for (std::size_t first = 0, last; first < members.size(); first = last) {
    std::size_t bytes = 0;
    for (last = first; last < members.size() && (last == first || bytes + members[last].bytes() <= kFactorBytes); ++last) {
      bytes += members[last].bytes();
    }
    pool.for_each(static_cast<Index>(last - first), [&](Index i, int) { factorise(model, members[first + at(i)]); });
    consult_all(model, members, first, last, x, pool, tallies);
    for (std::size_t i = first; i < last; ++i) members[i].factor.resize(0, 0);
  }
  pool.for_range(rows_of(x), kQueries, [&](Index begin, Index end, int) {
    std::vector<double> self(at(end - begin)), dec(n_pairs);
    std::vector<int> votes;
    self_kernel(x, begin, end - begin, model.kernel, self.data());
    for (Index r = begin; r < end; ++r) {
      for (std::size_t p = 0; p < n_pairs; ++p) dec[p] = combine(tallies[at(r) * n_pairs + p], self[at(r - begin)]);
      emit(out, model.classes, r, dec, votes);
    }
  });
}

}  // namespace dcsvm::prediction
