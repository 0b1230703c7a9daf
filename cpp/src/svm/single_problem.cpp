#include "svm/single_problem.hpp"

#include <algorithm>

#include "kernel_matrix/kernel_rows.hpp"
#include "svm/problems/class_pairs.hpp"
#include "svm/problems/one_class.hpp"
#include "svm/problems/regression.hpp"

namespace dcsvm::svm {

namespace {

std::vector<double> gather(const double* from, const std::vector<Index>& idx) {
  std::vector<double> to(idx.size());
  std::transform(idx.begin(), idx.end(), to.begin(), [from](Index i) { return from[i]; });
  return to;
}

}  // namespace

template <class T>
Solution solve_one_problem(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const TrainParams& params,
                           const std::vector<Index>* order, const qp::Options& options, std::vector<double>& coef,
                           base::Context& context, const Progress& progress) {
  const std::vector<Index> idx = std::move(members_of(problem.class_of, 1, order).front());
  const bool all = static_cast<Index>(idx.size()) == rows.size() && std::is_sorted(idx.begin(), idx.end());
  const auto subset = all ? nullptr : kernel_matrix::make_subset(rows, idx);
  const kernel_matrix::RowSource<T>& own = all ? rows : *subset;
  const auto upper = gather(problem.upper.data(), idx);
  auto beta = gather(coef.data(), idx);
  Solution solution;
  if (params.formulation == Formulation::one_class) {
    if (std::all_of(beta.begin(), beta.end(), [](double b) { return b == 0.0; }))
      reach_sum(upper.data(), own.size(), params.nu, beta.data());
    solution = solve_one_class(own, upper.data(), options, beta.data(), context, progress);
  } else {
    const auto y = gather(problem.y, idx);
    const Regression what{y.data(), upper.data(), params.epsilon, params.fit_intercept};
    solution = params.formulation == Formulation::epsilon_svr
                   ? solve_epsilon_svr(own, what, options, beta.data(), context, progress)
                   : solve_nu_svr(own, what, params.nu, options, beta.data(), context, progress);
  }
  for (std::size_t p = 0; p < idx.size(); ++p) coef[idx[p]] = beta[p];
  return solution;
}

template Solution solve_one_problem<float>(const kernel_matrix::RowSource<float>&, const TrainingProblem&, const TrainParams&,
                                           const std::vector<Index>*, const qp::Options&, std::vector<double>&, base::Context&,
                                           const Progress&);
template Solution solve_one_problem<double>(const kernel_matrix::RowSource<double>&, const TrainingProblem&, const TrainParams&,
                                            const std::vector<Index>*, const qp::Options&, std::vector<double>&, base::Context&,
                                            const Progress&);

}  // namespace dcsvm::svm
