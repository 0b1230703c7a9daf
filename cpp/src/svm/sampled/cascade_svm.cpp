#include "svm/sampled/cascade_svm.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/jobs.hpp"
#include "base/stop_reason.hpp"

namespace dcsvm::sampled {

namespace {

constexpr double kSlow = 0.5;   // a pass that leaves more of the violation than this share is slow
constexpr Index kPatience = 3;  // slow passes in a row, after which the exact solver goes on
constexpr Index kLargest = 2;  // a pass solves all support vectors in each part: more rows than this many times all do not pay

/// Points (ascending) with values that are feasible for their own problem.
struct Part {
  std::vector<Index> idx;
  std::vector<double> beta;
  svm::Solution solution;
};

/// The points with values other than 0.
void keep_support(Part& part) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < part.idx.size(); ++t) {
    if (part.beta[t] == 0.0) continue;
    part.idx[kept] = part.idx[t];
    part.beta[kept++] = part.beta[t];
  }
  part.idx.resize(kept);
  part.beta.resize(kept);
}

/// Both parts' points. Disjoint parts keep their values; else those of the part with the lower objective stay, the others start
/// from 0.
Part merge(Part a, Part b) {
  std::vector<Index> common;
  std::set_intersection(a.idx.begin(), a.idx.end(), b.idx.begin(), b.idx.end(), std::back_inserter(common));
  if (b.solution.objective < a.solution.objective) std::swap(a, b);
  Part all;
  all.idx = union_of(a.idx, b.idx);
  all.beta.assign(all.idx.size(), 0.0);
  const auto place = [&all](const Part& part) {
    auto position = all.idx.begin();
    for (std::size_t t = 0; t < part.idx.size(); ++t) {
      position = std::lower_bound(position, all.idx.end(), part.idx[t]);
      all.beta[position - all.idx.begin()] = part.beta[t];
    }
  };
  place(a);
  if (common.empty()) place(b);
  return all;
}

template <class T>
class Cascade {
 public:
  Cascade(const WholeProblem<T>& problem, const CascadeOptions& options, const std::vector<double>& beta, base::Context& context,
          const Progress& progress)
      : options_(options), run_(problem, options, beta, context, progress) {}

  SampledSolution run(std::vector<double>& beta) {
    double lowest_violation = std::numeric_limits<double>::infinity();
    Index slow_passes = 0;
    for (Index pass = 1; run_pass(lowest_violation); ++pass) {
      slow_passes = run_.total.violation <= kSlow * lowest_violation ? 0 : slow_passes + 1;
      lowest_violation = std::min(lowest_violation, run_.total.violation);
      if (pass == options_.passes) run_.total.stop_reason = StopReason::max_iter;
      if (slow_passes == kPatience || options_.n_parts * run_.total.n_support > kLargest * run_.whole.size()) break;
      if (run_.total.stop_reason != StopReason::converged) break;
    }
    return run_.finish(options_, beta);
  }

 private:
  /// One pass. True: points violate its solution, and the next pass may start.
  bool run_pass(double lowest_violation) {
    const auto start = base::Clock::now();
    const std::int64_t before = run_.total.n_iter;
    run_.progress.level = static_cast<int>(run_.total.rounds.size()) + 1;
    Part last = join_down(deal());
    // Every part starts from the whole's solution, so a finished pass cannot have a higher objective: it is taken without a
    // comparison, which float rounding could decide wrongly.
    const bool finished = run_.total.stop_reason != StopReason::cancelled;
    if (finished || last.solution.objective < run_.whole.objective()) run_.whole.set_beta(last.idx, last.beta);
    std::vector<Index> outside = violators(last.solution.bias);
    const auto goes_on = [&] {
      return !outside.empty() && run_.whole.violation() > options_.tol && run_.total.stop_reason == StopReason::converged;
    };
    if (goes_on() && run_.whole.violation() > kSlow * lowest_violation) {
      last = solve_together(outside);
      outside = violators(last.solution.bias);
    }
    // Without free points a part's bias is not unique; the whole problem's is used once that has converged.
    run_.total.bias = !outside.empty() && run_.whole.violation() <= options_.tol ? run_.whole.bias() : last.solution.bias;
    run_.total.n_bounded = last.solution.n_bounded;
    run_.total.n_support = static_cast<Index>(run_.whole.support().size());
    run_.total.objective = run_.whole.objective();
    run_.total.violation = run_.whole.violation();
    run_.total.add_round(options_.n_parts, static_cast<Index>(last.idx.size()), run_.total.n_iter - before, start);
    return goes_on();
  }

  /// Points that violate the decision with this bias, after a look at all.
  std::vector<Index> violators(double bias) {
    run_.whole.update_all(*run_.context.pool);
    return run_.whole.violators(bias, kOutside * options_.tol, run_.whole.size(), *run_.context.pool).idx;
  }

  /// These points (ascending), from the whole's values.
  Part make_part(std::vector<Index> idx) const {
    Part part;
    part.idx = std::move(idx);
    if (run_.problem.fit_intercept) add_missing_sign(run_.problem.binary, part.idx);
    for (const Index i : part.idx) part.beta.push_back(run_.whole.beta()[i]);
    return part;
  }

  /// The points dealt to parts at random, each with the whole's support vectors.
  std::vector<Part> deal() {
    const Index n = run_.problem.rows.size(), n_parts = options_.n_parts;
    std::vector<Index> order(n);
    for (Index i = 0; i < n; ++i) order[i] = i;
    for (Index i = n - 1; i > 0; --i) std::swap(order[i], order[run_.random.below(i + 1)]);
    const std::vector<Index> support = run_.whole.support();
    std::vector<Part> parts;
    parts.reserve(n_parts);
    for (Index p = 0; p < n_parts; ++p) {
      std::vector<Index> own(order.begin() + n * p / n_parts, order.begin() + n * (p + 1) / n_parts);
      std::sort(own.begin(), own.end());
      parts.push_back(make_part(union_of(own, support)));
    }
    return parts;
  }

  /// Solves all parts and joins neighbours, until one is left and solved.
  Part join_down(std::vector<Part> parts) {
    while (solve_all(parts) && parts.size() > 1) {
      for (Part& part : parts) keep_support(part);
      std::vector<Part> next;
      next.reserve(parts.size() / 2);
      for (std::size_t p = 0; p < parts.size(); p += 2) next.push_back(merge(std::move(parts[p]), std::move(parts[p + 1])));
      parts = std::move(next);
    }
    return std::move(parts[0]);
  }

  /// Side by side. False: the host cancelled.
  bool solve_all(std::vector<Part>& parts) {
    std::vector<base::Job> jobs;
    jobs.reserve(parts.size());
    for (Part& part : parts) {
      if (part.idx.empty()) {
        add_missing_sign(run_.problem.binary, part.idx);
        part.beta.assign(part.idx.size(), 0.0);
      }
      jobs.push_back(base::solve_job(static_cast<Index>(part.idx.size()), sizeof(T), run_.context.cap_bytes));
    }
    const bool finished =
        base::run_jobs(jobs, run_.progress, run_.context, [&](Index p, base::Context& own, const Progress& now) {
          parts[p].solution = solve_on(run_.problem, parts[p].idx, parts[p].beta, {}, run_.solver, own, now);
        });
    for (const Part& part : parts) note(part.solution);
    if (!finished) run_.total.stop_reason = StopReason::cancelled;
    return finished;
  }

  void note(const svm::Solution& solution) {
    run_.total.add_costs(solution);
    run_.total.stop_reason = base::worse(run_.total.stop_reason, solution.stop_reason);
  }

  /// Points that violate are in different parts again and again: solves the support vectors, all points outside that violate, and
  /// the worst violators in one problem.
  Part solve_together(const std::vector<Index>& outside) {
    Part part = make_part(union_of(union_of(run_.whole.support(), outside), run_.whole.worst_violators()));
    part.solution = solve_on(run_.problem, part.idx, part.beta, {}, run_.solver, run_.context, run_.progress);
    note(part.solution);
    run_.whole.set_beta(part.idx, part.beta);
    return part;
  }

  const CascadeOptions& options_;
  SampledRun<T> run_;
};

}  // namespace

template <class T>
SampledSolution cascade_svm(const WholeProblem<T>& problem, const CascadeOptions& options, std::vector<double>& beta,
                            base::Context& context, const Progress& progress) {
  return Cascade<T>(problem, options, beta, context, progress).run(beta);
}

template SampledSolution cascade_svm<float>(const WholeProblem<float>&, const CascadeOptions&, std::vector<double>&,
                                            base::Context&, const Progress&);
template SampledSolution cascade_svm<double>(const WholeProblem<double>&, const CascadeOptions&, std::vector<double>&,
                                             base::Context&, const Progress&);

}  // namespace dcsvm::sampled
