#include "low_rank/verify.hpp"

#include <algorithm>
#include <cmath>

#include "base/vectors.hpp"
#include "data/read.hpp"
#include "low_rank/predict.hpp"
#include "simd/ops.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kTasks = 256;         // at most: each holds sums for all functions
constexpr Index kLeastTaskRows = 512;     // of a task
constexpr Index kLookedRows = 16;     // that an error of decisions is estimated from
constexpr Index kLookedVectors = 64;  // support vectors, for the error of the objective too: a sum over all of them
constexpr double kSafety = 4.0;       // times the largest error met on those: the others may have larger ones

Index rows_of_task(Index n) { return std::max(kLeastTaskRows, (n + kTasks - 1) / kTasks); }

/// At most `count` of n, evenly.
std::vector<Index> some_of(const std::vector<Index>& all, Index count) {
  const auto n = static_cast<Index>(all.size()), taken = std::min(n, count);
  std::vector<Index> some;
  some.reserve(taken);
  for (Index i = 0; i < taken; ++i) some.push_back(all[i * n / taken]);
  return some;
}

double dot(const double* a, const double* b, Index n) { return simd::ops<double>().dot(a, b, n); }

}  // namespace

Verification::Verification(const data::RowBlocks& source, Index cols, const KernelParams& kernel, const LowRankMap& map,
                           base::ThreadPool& pool)
    : source_(source),
      map_(map),
      pool_(pool),
      functions_(functions_of<double>(kernel, map.phases.empty(), map.points, map.used, cols)) {}

template <class Use>
void Verification::each_row(const DataView& x, Index first, Index begin, Index end, const Use& use) const {
  const Index k = functions_->size();
  std::vector<double> values(static_cast<std::size_t>(kernel_matrix::kQueries * k));
  for (Index at = begin; at < end; at += kernel_matrix::kQueries) {
    const Index m = std::min(kernel_matrix::kQueries, end - at);
    for (Index j = 0; j < k; j += kernel_matrix::kPoints) {
      functions_->block(x, at, m, j, std::min(k, j + kernel_matrix::kPoints), values.data() + j, k);
    }
    for (Index r = 0; r < m; ++r) {
      double* row = values.data() + r * k;
      if (!map_.phases.empty()) {
        for (Index j = 0; j < k; ++j) row[j] = std::cos(row[j] + map_.phases[j]);
      }
      use(first + at + r, row);
    }
  }
}

void Verification::weigh(const Labelled& data, bool with_bias, BlockState& state) const {
  const Index k = functions_->size(), problems = static_cast<Index>(state.problems.size());
  std::vector<double> total(static_cast<std::size_t>(problems * (k + 1)), 0.0);
  for (Index b = 0; b < source_.blocks(); ++b) {
    source_.visit(b, [&](const DataView& x) {
      const Index n = rows_of(x), step = rows_of_task(n), first = source_.first_row(b);
      std::vector<std::vector<double>> parts(static_cast<std::size_t>((n + step - 1) / step));
      pool_.for_range(n, step, [&](Index begin, Index end, int) {
        std::vector<double> sums(total.size(), 0.0);
        each_row(x, first, begin, end, [&](Index row, const double* values) {
          for (Index p = 0; p < problems; ++p) {
            const BinaryState& one = state.problems[p];
            if (one.alpha[row] == 0.0) continue;
            const double coef = one.alpha[row] * one.problem.sign(data.class_of[row]);
            double* sum = sums.data() + p * (k + 1);
            for (Index j = 0; j < k; ++j) sum[j] += coef * values[j];
            sum[k] += coef;
          }
        });
        parts[begin / step] = std::move(sums);
      });
      for (const std::vector<double>& part : parts) {
        for (std::size_t i = 0; i < part.size(); ++i) total[i] += part[i];
      }
    });
  }
  for (Index p = 0; p < problems; ++p) {
    std::vector<double>& w = state.problems[p].w;
    w = map_.features->features_of(total.data() + p * (k + 1));
    w.push_back(with_bias ? total[p * (k + 1) + k] : 0.0);
  }
}

Certificate Verification::certify(const Labelled& data, const LinearOptions& options, BlockState& state,
                                  const LowRankSolver* correct) const {
  weigh(data, options.fit_intercept, state);
  std::vector<std::vector<double>> u;
  for (BinaryState& p : state.problems) {
    u.push_back(map_.features->fold(p.w.data()));
    p.correction.assign(correct != nullptr ? p.alpha.size() : 0, 0.0);
  }
  const Index k = functions_->size();
  Certificate found;
  for (Index b = 0; b < source_.blocks(); ++b) {
    source_.visit(b, [&](const DataView& x) {
      const Index n = rows_of(x), step = rows_of_task(n), first = source_.first_row(b);
      std::vector<Certificate> parts(static_cast<std::size_t>((n + step - 1) / step));
      pool_.for_range(n, step, [&](Index begin, Index end, int) {
        Certificate& part = parts[begin / step];
        each_row(x, first, begin, end, [&](Index row, const double* values) {
          for (std::size_t p = 0; p < u.size(); ++p) {
            BinaryState& one = state.problems[p];
            const double decision = dot(u[p].data(), values, k) + one.w.back();
            if (correct != nullptr) one.correction[row] = decision - correct->decision(one, row);
            const RowState judged = row_state(data, options, one, row, decision);
            part.violation = std::max(part.violation, std::abs(judged.gradient));
            part.loss += judged.loss;
          }
        });
      });
      for (const Certificate& part : parts) {
        found.violation = std::max(found.violation, part.violation);
        found.loss += part.loss;
      }
    });
  }
  return found;
}

Verification::Features Verification::features_of(const std::vector<Index>& rows, const LowRankSolver& solver) const {
  const Index cols = map_.features->cols();
  Features found;
  found.exact.resize(rows.size() * static_cast<std::size_t>(cols));
  found.lacking.resize(found.exact.size());
  for (Index b = 0; b < source_.blocks(); ++b) {
    const Index first = source_.first_row(b), end = source_.first_row(b + 1);
    const auto from = std::lower_bound(rows.begin(), rows.end(), first), to = std::lower_bound(from, rows.end(), end);
    if (from == to) continue;
    const auto task = [&](const DataView& x, Index at) {
      const Index row = rows[at];
      each_row(x, first, row - first, row - first + 1, [&](Index, const double* values) {
        const std::vector<double> f = map_.features->features_of(values);
        const float* single = solver.features(row);
        for (Index j = 0; j < cols; ++j) {
          found.exact[at * cols + j] = f[j];
          found.lacking[at * cols + j] = f[j] - static_cast<double>(single[j]);
        }
      });
    };
    source_.visit(b, [&](const DataView& x) {
      pool_.for_range(to - from, 1, [&](Index begin, Index past, int) {
        for (Index t = begin; t < past; ++t) task(x, from - rows.begin() + t);
      });
    });
  }
  return found;
}

FloatError Verification::error(const Labelled& data, const BlockState& state, const LowRankSolver& solver) const {
  std::vector<Index> taking, support;
  for (Index i = 0; i < source_.rows(); ++i) {
    if (data.class_of[i] < 0 || !(data.C[i] > 0)) continue;
    taking.push_back(i);
    if (std::any_of(state.problems.begin(), state.problems.end(), [&](const BinaryState& p) { return p.alpha[i] > 0; }))
      support.push_back(i);
  }
  const std::vector<Index> some = some_of(taking, kLookedRows), vectors = some_of(support, kLookedVectors);
  const Features of_rows = features_of(some, solver), of_vectors = features_of(vectors, solver);
  const Index cols = map_.features->cols();
  double product = 0;  // of what a support vector lacks and a row: what the error of its share in w does to a decision
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    for (std::size_t r = 0; r < some.size(); ++r)
      product = std::max(product, std::abs(dot(of_vectors.lacking.data() + v * cols, of_rows.exact.data() + r * cols, cols)));
  }
  const auto n_support = static_cast<double>(support.size());
  FloatError found;
  for (const BinaryState& p : state.problems) {
    double norm2 = 0, own = 0;  // of alpha, because errors of support vectors are independent; of the rows' own features
    for (const Index i : support) norm2 += p.alpha[i] * p.alpha[i];
    for (std::size_t r = 0; r < some.size(); ++r)
      own = std::max(own, std::abs(dot(p.w.data(), of_rows.lacking.data() + r * cols, cols)));
    found.violation = std::max(found.violation, kSafety * (own + std::sqrt(norm2) * product));
    // 1/2 |w|^2 changes by w times what w lacks: the sum over all support vectors, from the mean and the spread of the sample.
    double sum = 0, squares = 0;
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      const Index i = vectors[v];
      const double share =
          p.problem.sign(data.class_of[i]) * p.alpha[i] * dot(p.w.data(), of_vectors.lacking.data() + v * cols, cols);
      sum += share;
      squares += share * share;
    }
    const double n_vectors = std::max(1.0, static_cast<double>(vectors.size()));
    found.objective += n_support / n_vectors * std::abs(sum) + 2.0 * std::sqrt(n_support * squares / n_vectors);
  }
  return found;
}

}  // namespace dcsvm::low_rank
