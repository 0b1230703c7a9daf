#include "svm/folds/fold_solver.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "data/labels.hpp"
#include "data/one_vs_one.hpp"
#include "kernel_matrix/kept_rows.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "qp/path.hpp"
#include "qp/repair.hpp"
#include "qp/saved_solve.hpp"
#include "qp/scaled_solve.hpp"
#include "svm/folds/folds.hpp"
#include "svm/problems/nu_svc.hpp"

namespace dcsvm::svm {

namespace {

// A class-by-class view of one fold's training rows.
void add_fold(const TrainParams& params, const std::vector<char>& trains, FoldedClasses& folded) {
  std::vector<int> class_of(folded.class_of.size(), -1);
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    if (trains[i] != 0) class_of[i] = folded.class_of[i];
  }
  const auto factor = data::class_factors(params.class_weight, params.balanced, folded.classes, class_of);
  std::vector<std::vector<Index>> members(folded.classes.size());
  for (const Index i : folded.order) {
    if (class_of[i] < 0) continue;
    const auto c = static_cast<std::size_t>(class_of[i]);
    if (data::row_weight(factor[c], folded.weight, i) > 0) members[c].push_back(i);
  }
  folded.members.push_back(std::move(members));
  folded.factor.push_back(factor);
}

// A pair with C = 1. start: coefficients to begin with, in the layout of data::coef_row, or null for zeros.
BinaryProblem unit_problem(const FoldedClasses& folded, const FoldPair& which, const double* start) {
  BinaryProblem pair;
  const auto n = static_cast<Index>(folded.class_of.size());
  for (const Index c : {which.a, which.b}) {
    const double factor = folded.factor[which.fold][c];
    const double* from = start == nullptr ? nullptr : start + data::coef_row(c, c == which.a ? which.b : which.a) * n;
    for (const Index i : folded.rows_of_class(which.fold, c)) {
      pair.add(i, c == which.a ? 1.0 : -1.0, data::row_weight(factor, folded.weight, i), from == nullptr ? 0.0 : from[i]);
    }
  }
  return pair;
}

}  // namespace

FoldedClasses fold_classes(std::vector<double> classes, std::vector<int> class_of, const TrainParams& class_factor,
                           const double* weight, const std::vector<Fold>& folds) {
  FoldedClasses folded;
  folded.folds = &folds;
  folded.weight = weight;
  folded.classes = std::move(classes);
  folded.class_of = std::move(class_of);
  folded.order = order_by_fold(folded.class_of, folds);
  for (const Fold& fold : folds) {
    std::vector<char> trains(folded.class_of.size(), 0);
    for (const Index i : fold.train) trains[i] = 1;
    add_fold(class_factor, trains, folded);
  }
  return folded;
}

std::vector<FoldPair> fold_pairs(const FoldedClasses& folded) {
  std::vector<FoldPair> pairs;
  const auto n_folds = static_cast<Index>(folded.folds->size());
  pairs.reserve(folded.n_pairs() * n_folds);
  for (Index a = 0; a < folded.n_classes(); ++a) {
    for (Index b = a + 1; b < folded.n_classes(); ++b) {
      for (Index f = 0; f < n_folds; ++f) pairs.push_back({f, a, b});
    }
  }
  return pairs;
}

base::Job job_of(const FoldedClasses& folded, const FoldPair& pair, std::size_t value_bytes, std::size_t cap_bytes) {
  const std::size_t n = folded.rows_of_class(pair.fold, pair.a).size() + folded.rows_of_class(pair.fold, pair.b).size();
  return base::solve_job(static_cast<Index>(n), value_bytes, cap_bytes);
}

namespace {

// Up to this relative change a coefficient is as it was: at a bound, it is C times a constant but for rounding.
constexpr double kUnchanged = 1e-14;

// Decision values of some held-out rows from the coefficients of a pair. From one C to the next most coefficients stay at their
// bounds or at 0, which grow with C, so the sums of the last C are multiplied, and only the rows of the others are added.
template <class T>
class HeldOutSums {
 public:
  HeldOutSums(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& idx, const std::vector<Index>& test,
              base::Context& context)
      : idx_(idx), pool_(*context.pool), last_(idx.size(), 0.0), sums_(test.size(), 0.0) {
    if (!test.empty()) columns_ = rows.columns(test.data(), static_cast<Index>(test.size()), context.cap_bytes / 8, pool_);
  }
  // beta: by position in idx, a solution for C = scale.
  void sum(const double* beta, double bias, double scale, std::vector<double>& decisions) {
    double growth = scale / last_scale_;
    if (2 * list_changes(beta, growth) > list_changes(beta, 0.0)) growth = 0.0;
    list_changes(beta, growth);
    for (double& sum : sums_) sum *= growth;
    if (columns_) columns_->multiply(changed_.data(), change_.data(), static_cast<Index>(changed_.size()), sums_.data(), pool_);
    std::copy(beta, beta + idx_.size(), last_.begin());
    last_scale_ = scale;
    std::transform(sums_.begin(), sums_.end(), decisions.begin(), [bias](double sum) { return sum + bias; });
  }

 private:
  // The points whose coefficients are other than `growth` times the last ones. Returns how many.
  std::size_t list_changes(const double* beta, double growth) {
    changed_.clear();
    change_.clear();
    for (std::size_t i = 0; i < idx_.size(); ++i) {
      const double step = beta[i] - growth * last_[i];
      if (std::abs(step) <= kUnchanged * std::abs(beta[i])) continue;
      changed_.push_back(idx_[i]);
      change_.push_back(step);
    }
    return changed_.size();
  }

  const std::vector<Index>& idx_;
  base::ThreadPool& pool_;
  std::unique_ptr<kernel_matrix::Columns<T>> columns_;
  std::vector<double> last_, sums_;  // coefficients, and what they give
  double last_scale_ = 1.0;
  std::vector<Index> changed_;
  std::vector<double> change_;
};

}  // namespace

namespace {

// A pair that an earlier call solved: result and decisions for each scale, behind each other. False: nothing was kept.
bool replay(const std::vector<double>& kept, std::size_t n_scales, std::size_t n_tests, const FoldPairDone& done) {
  const std::size_t numbers = qp::count_of_numbers(), each = numbers + n_tests;
  if (kept.size() != n_scales * each) return false;
  std::vector<qp::Result> results;
  results.reserve(n_scales);
  for (std::size_t s = 0; s < n_scales; ++s) {
    const auto result = qp::result_of(kept.data() + s * each, numbers);
    if (!result) return false;
    results.push_back(*result);
  }
  for (std::size_t s = 0; s < n_scales; ++s) done(s, kept.data() + s * each + numbers, results[s]);
  return true;
}

constexpr std::size_t kDoubleShare = 4;  // one part of so many of the memory is for rows in double

// Along C certificates ask for mostly the same rows in double. Where their values are costly they are kept, and own.cap_bytes is
// what is left; else null.
template <class T>
std::unique_ptr<kernel_matrix::RowSource<T>> with_kept_double_rows(const kernel_matrix::RowSource<T>& rows,
                                                                   const kernel_matrix::RowSource<T>& subset,
                                                                   std::size_t n_scales, base::Context& own) {
  if (n_scales < 2 || rows.linear_rows()) return nullptr;
  const auto exact = rows.in_double(*own.pool);
  if (!exact || exact->work_per_value() < kernel_matrix::kShareWork) return nullptr;
  const std::size_t bytes = own.cap_bytes / kDoubleShare;
  own.cap_bytes -= bytes;
  return kernel_matrix::make_kept_in_double(subset, bytes);
}

template <class T>
void solve_scales(const kernel_matrix::RowSource<T>& rows, const FoldedClasses& folded, const FoldPair& which,
                  const std::vector<double>& scales, const TrainParams& params, const std::vector<Index>& test,
                  const qp::Options& options, base::Context& context, const Progress& progress, const FoldPairDone& done,
                  const double* start) {
  const bool has_a = !folded.rows_of_class(which.fold, which.a).empty();
  const bool has_b = !folded.rows_of_class(which.fold, which.b).empty();
  std::vector<double> decisions(test.size(), has_a == has_b ? 0.0 : has_a ? 1.0 : -1.0);
  if (!has_a || !has_b) {
    for (std::size_t s = 0; s < scales.size(); ++s) done(s, decisions.data(), qp::Result());
    return;
  }
  BinaryProblem pair = unit_problem(folded, which, start);
  const auto subset = kernel_matrix::make_subset(rows, pair.points);
  HeldOutSums<T> held_out(rows, pair.points, test, context);
  std::shared_ptr<const kernel_matrix::RowSource<double>> exact;  // decides where the solve was finished in double
  const auto decide = [&](const double* beta, const qp::Result& result, double scale) {
    if (result.in_double && !exact) exact = rows.in_double(*context.pool);
    if (!result.in_double || !exact) return held_out.sum(beta, result.bias, scale, decisions);
    HeldOutSums<double>(*exact, pair.points, test, context).sum(beta, result.bias, scale, decisions);
  };
  // Of formulations that pairs of classes have; no default, so that the compiler names a new one.
  switch (params.formulation) {
    case Formulation::nu_svc: {
      const auto result = solve_nu_svc(*subset, pair, params.nu, options, context, progress);
      decide(pair.beta.data(), result, 1.0);
      for (std::size_t s = 0; s < scales.size(); ++s) done(s, decisions.data(), result);
      return;
    }
    case Formulation::c_svc: {
      if (start != nullptr) {
        if (params.fit_intercept) qp::balance_sum(pair.beta.data(), pair.lo.data(), pair.hi.data(), pair.size());
        const qp::Problem dual = pair.qp(params.fit_intercept);
        const auto result = qp::solve_to_scale(*subset, dual, options, pair.beta.data(), nullptr, context, progress);
        decide(pair.beta.data(), result, 1.0);
        return done(0, decisions.data(), result);
      }
      base::Context own = context;
      const auto judged = with_kept_double_rows(rows, *subset, scales.size(), own);
      qp::solve_path(judged ? *judged : *subset, pair.qp(params.fit_intercept), scales, options, own, progress,
                     [&](std::size_t s, const double* beta, const qp::Result& result) {
                       decide(beta, result, scales[s]);
                       done(s, decisions.data(), result);
                     });
      return;
    }
    case Formulation::one_class:
    case Formulation::epsilon_svr:
    case Formulation::nu_svr:
    case Formulation::kernel_ridge: break;
  }
  throw std::logic_error("only classifiers have pairs of classes");
}

}  // namespace

template <class T>
void solve_fold_pair(const kernel_matrix::RowSource<T>& rows, const FoldedClasses& folded, const FoldPair& pair,
                     const std::vector<double>& scales, const TrainParams& params, const std::vector<Index>& test,
                     const qp::Options& options_given, base::Context& context, const Progress& progress, const FoldPairDone& done,
                     const double* start) {
  if (finds_margin(params.formulation)) start = nullptr;  // its coefficients are scaled
  qp::Options options = options_given;
  options.verify = qp::Verify::violation;  // a fold has decisions and no report
  if (context.place == nullptr)
    return solve_scales(rows, folded, pair, scales, params, test, options, context, progress, done, start);
  base::Place place = context.place->next();
  if (replay(place.find(), scales.size(), test.size(), done)) return;
  base::Context own = context;
  own.place = &place;
  bool ended = true;
  std::vector<double> all;
  solve_scales(
      rows, folded, pair, scales, params, test, options, own, progress,
      [&](std::size_t s, const double* decisions, const qp::Result& result) {
        done(s, decisions, result);
        ended = ended && result.stop_reason != StopReason::cancelled;
        const auto numbers = qp::numbers_of(result);
        all.insert(all.end(), numbers.begin(), numbers.end());
        all.insert(all.end(), decisions, decisions + test.size());
      },
      start);
  if (ended) place.put(std::move(all));
}

#define DCSVM_INSTANTIATE(T)                                                                                  \
  template void solve_fold_pair<T>(const kernel_matrix::RowSource<T>&, const FoldedClasses&, const FoldPair&, \
                                   const std::vector<double>&, const TrainParams&, const std::vector<Index>&, \
                                   const qp::Options&, base::Context&, const Progress&, const FoldPairDone&, const double*);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::svm
