#include "multilevel/pair_problem.hpp"

#include "multilevel/repair.hpp"
#include "multilevel/schedule.hpp"
#include "rows/kernel_rows.hpp"

namespace dcsvm::multilevel {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Where the problem's variables live in the coefficient matrix.
class Slots {
 public:
  Slots(const PairProblem& problem, Index n) : problem_(problem), n_(n) {}

  double read(const std::vector<double>& coef, Index i) const {
    const Index point = problem_.points[at(i)];
    if (problem_.negative >= 0) return coef[at(row(i) * n_ + point)];
    const int partner = problem_.partners.front();
    return sign(partner) * coef[at(coef_row(problem_.positive, partner) * n_ + point)];
  }
  void write(std::vector<double>& coef, Index i, double value) const {
    const Index point = problem_.points[at(i)];
    if (problem_.negative >= 0) {
      coef[at(row(i) * n_ + point)] = value;
      return;
    }
    for (const int partner : problem_.partners) {
      coef[at(coef_row(problem_.positive, partner) * n_ + point)] = value == 0.0 ? 0.0 : sign(partner) * value;
    }
  }

 private:
  Index row(Index i) const {
    return i < problem_.n_positive ? coef_row(problem_.positive, problem_.negative) : coef_row(problem_.negative, problem_.positive);
  }
  double sign(int partner) const { return problem_.positive < partner ? 1.0 : -1.0; }

  const PairProblem& problem_;
  Index n_;
};

struct Variables {
  std::vector<double> q, lo, hi, beta;
};

Variables gather(const Input& input, const PairProblem& problem, const Slots& slots, const std::vector<double>& coef) {
  const std::size_t m = problem.points.size();
  Variables v{std::vector<double>(m), std::vector<double>(m), std::vector<double>(m), std::vector<double>(m)};
  for (std::size_t i = 0; i < m; ++i) {
    const bool positive = static_cast<Index>(i) < problem.n_positive;
    const double c = (*input.upper)[at(problem.points[i])];
    v.q[i] = positive ? 1.0 : -1.0;
    v.lo[i] = positive ? 0.0 : -c;
    v.hi[i] = positive ? c : 0.0;
    v.beta[i] = slots.read(coef, static_cast<Index>(i));
  }
  return v;
}

void scatter(const std::vector<double>& beta, const Slots& slots, std::vector<double>& coef) {
  for (std::size_t i = 0; i < beta.size(); ++i) slots.write(coef, static_cast<Index>(i), beta[i]);
}

}  // namespace

void balance_start(const Input& input, const PairProblem& problem, std::vector<double>& coef) {
  const Slots slots(problem, static_cast<Index>(input.class_of->size()));
  Variables v = gather(input, problem, slots, coef);
  balance_sum(v.beta.data(), v.lo.data(), v.hi.data(), static_cast<Index>(v.beta.size()));
  scatter(v.beta, slots, coef);
}

template <class T>
solver::Result solve_pair_problem(const Input& input, const rows::RowSource<T>& rows, const PairProblem& problem,
                                  const TrainParams& params, double tol, std::vector<double>& coef, base::Context& context,
                                  const Progress& progress) {
  if (params.fit_intercept) balance_start(input, problem, coef);
  const Slots slots(problem, rows.size());
  Variables v = gather(input, problem, slots, coef);
  solver::Problem qp;
  qp.n = static_cast<Index>(v.beta.size());
  qp.q = v.q.data();
  qp.lo = v.lo.data();
  qp.hi = v.hi.data();
  qp.equality = params.fit_intercept;
  solver::Options options;
  options.tol = tol;
  options.max_iter = params.max_iter;
  options.shrinking = params.shrinking;
  const auto subset = rows::make_subset(rows, problem.points);
  const solver::Result result = solver::solve(*subset, qp, options, v.beta.data(), nullptr, context, progress);
  scatter(v.beta, slots, coef);
  return result;
}

template solver::Result solve_pair_problem<float>(const Input&, const rows::RowSource<float>&, const PairProblem&, const TrainParams&,
                                                  double, std::vector<double>&, base::Context&, const Progress&);
template solver::Result solve_pair_problem<double>(const Input&, const rows::RowSource<double>&, const PairProblem&,
                                                   const TrainParams&, double, std::vector<double>&, base::Context&, const Progress&);

}  // namespace dcsvm::multilevel
