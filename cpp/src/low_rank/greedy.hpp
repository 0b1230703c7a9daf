// Landmarks chosen one at a time by what they do for the training loss: SpSVM.
// Keerthi, Chapelle, DeCoste: Building Support Vector Machines with Reduced Classifier Complexity (JMLR 7, 2006).
//
//   f(u) = 1/2 u'K_zz u + sum_i C_i max(0, 1 - y_i o_i)^2,  o_i = sum_j u_j K(x_i, z_j) + b
//
// Each step draws kCandidates rows. The one that lowers f most when its coefficient alone is optimised, the others fixed, becomes
// a landmark. All coefficients are optimised anew each time the number of landmarks has grown by a fifth. Several problems
// (classes) share the landmarks: their gains are added. The bias is b^2 / 2 in f, as everywhere in this folder, and moves only
// when all coefficients do.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "dcsvm/low_rank.hpp"
#include "low_rank/labels.hpp"

namespace dcsvm::low_rank {

/// The best of 59 random rows is among the best 5 % of all rows with probability 1 - 0.95^59 = 0.95.
constexpr Index kCandidates = 59;

/// Bytes that the choice of k landmarks holds for each row of the sample.
std::size_t greedy_bytes_per_row(Index k, Index problems);

/// At most k rows of x, in the order in which they were chosen: fewer when x has fewer rows or no row lowers f. labels: of the
/// rows of x, all of which take part. Progress phase "landmarks"; cancelled: the landmarks so far, at least one. Throws CapError
/// when the features of x do not fit the cap, DataError when kernel values overflow or no row lowers f.
std::vector<Index> greedy_rows(const DataView& x, const LowRankLabels& labels, const KernelParams& kernel, Index k,
                               const LowRankParams& params, base::Context& context);

/// The best coefficient of one candidate, and by how much it lowers f.
struct GreedyStep {
  double length = 0, gain = 0;
};

/// The rows of one problem: 1 - y_i o_i, C_i and y_i.
struct GreedyRows {
  std::vector<Index> rows;  ///< numbers in the sample
  std::vector<double> slack, C, sign;
};

/// min over v of cross v + diagonal v^2 / 2 + sum C_i max(0, slack_i - v y_i k_i)^2, by Newton's method between bounds. kernel:
/// k_i for all rows of the sample; cross: sum_j u_j K(candidate, z_j); diagonal: K(candidate, candidate).
GreedyStep greedy_step(const GreedyRows& problem, const float* kernel, double cross, double diagonal);

}  // namespace dcsvm::low_rank
