#include "low_rank/verify.hpp"

#include <algorithm>
#include <cmath>

#include "base/vectors.hpp"
#include "data/point_store.hpp"
#include "low_rank/predict.hpp"
#include "simd/ops.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kTasks = 256;          // at most: each holds sums for all functions
constexpr Index kLeastTaskRows = 512;  // of a task

Index rows_of_task(Index n) { return std::max(kLeastTaskRows, (n + kTasks - 1) / kTasks); }

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
        std::vector<Index> support;
        for (Index i = first + begin; i < first + end; ++i) {
          if (std::any_of(state.problems.begin(), state.problems.end(), [i](const BinaryState& p) { return p.alpha[i] != 0.0; }))
            support.push_back(i - first);
        }
        if (support.empty()) return;
        std::vector<double> sums(total.size(), 0.0);
        const data::PointStore points = data::copy_points(x, support);
        each_row(points.view(), 0, 0, points.rows, [&](Index at, const double* values) {
          const Index row = first + support[at];
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

}  // namespace dcsvm::low_rank
