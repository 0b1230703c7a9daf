#include "svm/prediction/committee.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "base/array_size.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "kernels/cholesky.hpp"
#include "svm/prediction/bias.hpp"
#include "svm/prediction/decide.hpp"
#include "svm/prediction/emit.hpp"
#include "svm/prediction/sums.hpp"
#include "svm/prediction/support_kernel.hpp"

namespace dcsvm::svm {

namespace {

using Eigen::MatrixXd;

constexpr double kLeastPrior = 1e-100;  // K(x,x) can be 0 (linear) or negative (sigmoid)
constexpr std::size_t kFactorBytes = std::size_t{512} << 20;
constexpr Index kSideBySide = 1000;  // support vectors below which one thread computes a factor in a moment

/// One pair of classes in one cluster.
struct Member {
  std::size_t cluster = 0;
  Index pair = 0;               ///< among the pairs of all classes
  std::vector<Index> columns;   ///< its support vectors, counted from the cluster's first
  std::vector<double> coef;
  MatrixXd factor;              ///< lower triangle: Cholesky factor of K_cc + I/C

  std::size_t bytes() const { return columns.size() * columns.size() * sizeof(double); }
};

/// Sums over clusters for one query and pair.
struct MemberSums {
  double precision = 0;  ///< sum 1/v_c
  double mean = 0;       ///< sum E_c/v_c
  int members = 0;       ///< M
};

/// The cluster's support vectors of the pair (i, j).
Member member_of(const ModelData& model, std::size_t cluster, Index i, Index j) {
  const Expansion& e = model.expansions[cluster];
  const Index k = model.n_classes(), n_sv = static_cast<Index>(model.support.size());
  Member member;
  member.cluster = cluster;
  member.pair = data::pair_index(i, j, k);
  Index column = 0;
  for (std::size_t c = 0; c < e.classes.size(); ++c) {
    const Index own = e.classes[c], end = column + e.n_sv[c];
    if (own != i && own != j) {
      column = end;
      continue;
    }
    const double* coef = model.sv_coef.data() + data::coef_row(own, own == i ? j : i) * n_sv + e.first_sv;
    for (; column < end; ++column) {
      if (coef[column] == 0.0) continue;
      member.columns.push_back(column);
      member.coef.push_back(coef[column]);
    }
  }
  return member;
}

std::vector<Member> members_of(const ModelData& model) {
  const Index k = model.n_classes();
  std::vector<Member> members;
  for (std::size_t c = 0; c < model.expansions.size(); ++c) {
    if (n_support(model.expansions[c]) == 0) continue;
    const Presence presence(model.expansions[c].classes, k);
    for (Index i = 0; i < k; ++i) {
      for (Index j = i + 1; j < k; ++j) {
        if (!presence.both(i, j) && presence.sign(i, j) == 0.0) continue;  // support vectors of neither
        Member m = member_of(model, c, i, j);
        if (!m.columns.empty()) members.push_back(std::move(m));
      }
    }
  }
  return members;
}

/// Replaces the lower triangle of k by the Cholesky factor of k + noise I. The upper triangle keeps k for a further try with more
/// noise.
void factorise(MatrixXd& k, double noise, base::ThreadPool& pool) {
  const Eigen::VectorXd diagonal = k.diagonal();
  for (; std::isfinite(noise); noise *= 10.0) {
    k.diagonal() = diagonal.array() + noise;
    if (kernels::cholesky(k.data(), k.rows(), pool)) return;
    pool.for_range(k.cols(), kernel_matrix::kQueries, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) {
        for (Index i = j + 1; i < k.rows(); ++i) k(i, j) = k(j, i);
      }
    });
  }
}

void factorise(const ModelData& model, Member& m, base::ThreadPool& pool) {
  const Index n = static_cast<Index>(m.columns.size());
  std::vector<Index> rows(m.columns);
  for (Index& r : rows) r += model.expansions[m.cluster].first_sv;
  const data::PointStore points = data::copy_points(model.points.view(), rows);
  const auto kernel = kernel_matrix::points_kernel<double>(points.view(), model.kernel);
  m.factor.resize(n, n);
  pool.for_range(n, kernel_matrix::kQueries, [&](Index begin, Index end, int) {
    // Symmetric, so that row-major rows may be written as Eigen's columns.
    kernel->block(points.view(), begin, end - begin, 0, n, m.factor.data() + begin * n, n);
  });
  factorise(m.factor, 1.0 / model.C, pool);
}

/// Small members side by side, each on one thread; large ones one after another, each on all. Which is which depends on the
/// member alone.
void factorise_all(const ModelData& model, Member* members, std::size_t n, base::ThreadPool& pool) {
  std::vector<std::size_t> small;
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<Index>(members[i].columns.size()) < kSideBySide) small.push_back(i);
  }
  pool.for_each(static_cast<Index>(small.size()), [&](Index i, int) {
    base::ThreadPool serial(1);
    factorise(model, members[small[i]], serial);
  });
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<Index>(members[i].columns.size()) >= kSideBySide) factorise(model, members[i], pool);
  }
}

/// reduction: K(x,x) - v_c.
void add(MemberSums& s, double mean, double prior, double reduction) {
  double v = prior - reduction;
  if (!(v >= 1e-10 * prior)) v = 1e-10 * prior;
  v = std::min(v, prior);
  s.precision += 1.0 / v;
  s.mean += mean / v;
  ++s.members;
}

/// Adds one cluster's mean and variance for one pair and m queries. kernel: row r holds K(query r, the cluster's support
/// vectors). between: called now and then while solving. An RBF's (K_cc + I/C)^-1 is at most C I: queries so far that v_c is
/// K(x,x) to 1e-12 are not solved for.
void add_member(const Member& member, const ModelData& model, const double* kernel, Index ld, Index m, const double* self,
                MemberSums* sums, const std::function<void()>& between) {
  const Index n = static_cast<Index>(member.columns.size());
  const Index n_pairs = model.n_pairs();
  const double negligible = model.kernel.type == KernelType::rbf ? 1e-12 / model.C : -1.0;
  const Eigen::Map<const Eigen::VectorXd> coef(member.coef.data(), n);
  MatrixXd k(n, m);
  std::vector<std::pair<Index, double>> near;  // query, mean
  for (Index r = 0; r < m; ++r) {
    auto column = k.col(static_cast<Index>(near.size()));
    for (Index j = 0; j < n; ++j) column[j] = kernel[r * ld + member.columns[j]];
    const double mean = column.dot(coef), prior = std::max(self[r], kLeastPrior);
    if (column.squaredNorm() > negligible * prior) {
      near.emplace_back(r, mean);
    } else {
      add(sums[r * n_pairs + member.pair], mean, prior, 0.0);
    }
  }
  if (near.empty()) return;
  kernels::solve_lower(member.factor.data(), n, k.data(), static_cast<Index>(near.size()), between);
  for (std::size_t q = 0; q < near.size(); ++q) {
    const auto [r, mean] = near[q];
    add(sums[r * n_pairs + member.pair], mean, std::max(self[r], kLeastPrior), k.col(static_cast<Index>(q)).squaredNorm());
  }
}

/// Adds members [first, last) for all queries, whole clusters at a time; each worker keeps one tile.
void add_members(const ModelData& model, const std::vector<Member>& members, std::size_t first, std::size_t last,
                 const DataView& x, base::ThreadPool& pool, std::vector<MemberSums>& sums) {
  const Index n_pairs = model.n_pairs();
  std::vector<std::vector<double>> tiles(pool.size());
  for (std::size_t a = first, b; a < last; a = b) {
    for (b = a; b < last && members[b].cluster == members[a].cluster;) ++b;
    const Expansion& e = model.expansions[members[a].cluster];
    const Index n = n_support(e);
    const auto kernel = support_kernel<double>(model, members[a].cluster);
    pool.for_range(rows_of(x), query_grain(rows_of(x)), [&](Index begin, Index end, int worker) {
      auto& tile = tiles[worker];
      tile.resize(std::max(tile.size(), static_cast<std::size_t>((end - begin) * n)));
      kernel->block(x, begin, end - begin, 0, n, tile.data(), n);
      std::vector<double> self(end - begin);
      kernel_matrix::self_kernel(x, begin, end - begin, model.kernel, self.data());
      const auto between = [&] {
        if (worker == 0) pool.poll();
        if (pool.failed()) throw Interrupted();  // the pool rethrows what came first
      };
      for (std::size_t i = a; i < b; ++i) {
        add_member(members[i], model, tile.data(), n, end - begin, self.data(), sums.data() + begin * n_pairs, between);
      }
    });
  }
}

double combine(const MemberSums& s, double self) {
  if (s.members == 0) return 0.0;
  return s.mean / (s.precision - (s.members - 1) / std::max(self, kLeastPrior));
}

}  // namespace

void decide_committee(const ModelData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  if (model.kernel.type == KernelType::precomputed) {
    throw ParameterError(
        "prediction: 'bcm' needs kernel values between support vectors, which a precomputed kernel does not keep");
  }
  const std::size_t n_pairs = static_cast<std::size_t>(model.n_pairs());
  const Bias bias(model, x, pool);
  std::vector<Member> members = members_of(model);
  std::vector<MemberSums> sums(base::array_size(rows_of(x), model.n_pairs()));
  for (std::size_t first = 0, last; first < members.size(); first = last) {
    std::size_t bytes = 0;
    for (last = first; last < members.size() && (last == first || bytes + members[last].bytes() <= kFactorBytes); ++last) {
      bytes += members[last].bytes();
    }
    factorise_all(model, members.data() + first, last - first, pool);
    add_members(model, members, first, last, x, pool, sums);
    for (std::size_t i = first; i < last; ++i) members[i].factor.resize(0, 0);
  }
  pool.for_range(rows_of(x), kernel_matrix::kQueries, [&](Index begin, Index end, int) {
    std::vector<double> self(end - begin), dec(n_pairs);
    std::vector<int> votes;
    kernel_matrix::self_kernel(x, begin, end - begin, model.kernel, self.data());
    for (Index r = begin; r < end; ++r) {
      for (std::size_t p = 0; p < n_pairs; ++p) {
        dec[p] = combine(sums[static_cast<std::size_t>(r) * n_pairs + p], self[r - begin]);
      }
      bias.subtract(r, dec.data());
      emit(out, model, r, dec, votes);
    }
  });
}

}  // namespace dcsvm::svm
