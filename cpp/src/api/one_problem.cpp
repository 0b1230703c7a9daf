#include "api/one_problem.hpp"

#include <algorithm>

#include "formulations/one_class.hpp"
#include "formulations/one_vs_one.hpp"
#include "formulations/regression.hpp"
#include "rows/kernel_rows.hpp"

namespace dcsvm::api {

namespace {

std::vector<double> gather(const double* from, const std::vector<Index>& idx) {
  std::vector<double> to(idx.size());
  std::transform(idx.begin(), idx.end(), to.begin(), [from](Index i) { return from[i]; });
  return to;
}

}  // namespace

template <class T>
formulations::Solution solve_one_problem(const rows::RowSource<T>& rows, const TrainingProblem& problem,
                                         const TrainParams& params, const std::vector<Index>* order,
                                         const solver::Options& options, std::vector<double>& coef, base::Context& context,
                                         const Progress& progress) {
  const std::vector<Index> idx = std::move(formulations::members_of(problem.class_of, 1, order).front());
  const bool all = static_cast<Index>(idx.size()) == rows.size() && std::is_sorted(idx.begin(), idx.end());
  const auto subset = all ? nullptr : rows::make_subset(rows, idx);
  const rows::RowSource<T>& own = all ? rows : *subset;
  const auto upper = gather(problem.upper.data(), idx);
  auto beta = gather(coef.data(), idx);
  formulations::Solution solution;
  if (params.formulation == Formulation::one_class) {
    if (std::all_of(beta.begin(), beta.end(), [](double b) { return b == 0.0; }))
      formulations::reach_sum(upper.data(), own.size(), params.nu, beta.data());
    solution = formulations::solve_one_class(own, upper.data(), options, beta.data(), context, progress);
  } else {
    const auto y = gather(problem.y, idx);
    const formulations::Regression what{y.data(), upper.data(), params.epsilon, params.fit_intercept};
    solution = params.formulation == Formulation::epsilon_svr
                   ? formulations::solve_epsilon_svr(own, what, options, beta.data(), context, progress)
                   : formulations::solve_nu_svr(own, what, params.nu, options, beta.data(), context, progress);
  }
  for (std::size_t p = 0; p < idx.size(); ++p) coef[static_cast<std::size_t>(idx[p])] = beta[p];
  return solution;
}

template formulations::Solution solve_one_problem<float>(const rows::RowSource<float>&, const TrainingProblem&,
                                                         const TrainParams&, const std::vector<Index>*, const solver::Options&,
                                                         std::vector<double>&, base::Context&, const Progress&);
template formulations::Solution solve_one_problem<double>(const rows::RowSource<double>&, const TrainingProblem&,
                                                          const TrainParams&, const std::vector<Index>*, const solver::Options&,
                                                          std::vector<double>&, base::Context&, const Progress&);

}  // namespace dcsvm::api
