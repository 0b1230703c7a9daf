#include "svm/problems/solve_binary.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "svm/problems/nu_svc.hpp"
#include "svm/problems/one_class.hpp"
#include "svm/problems/regression.hpp"

namespace dcsvm::svm {

template <class T>
Solution solve_binary(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, const FormulationParams& params,
                      const qp::Options& options, base::Context& context, const Progress& progress) {
  switch (params.formulation) {  // without default: the compiler names a formulation that is missing
    case Formulation::epsilon_svr:
      if (params.epsilon > 0)
        return solve_epsilon_svr(rows, problem, params.epsilon, params.fit_intercept, options, context, progress);
      // Without a tube a_i and a*_i have the same gradient, so that one variable is enough: c_svc's, with targets for labels.
      [[fallthrough]];
    case Formulation::c_svc: {
      std::vector<double> gradient = problem.start_gradient(problem.y);
      qp::Options own = options;
      own.gradient_given = !gradient.empty();
      double* given = own.gradient_given ? gradient.data() : nullptr;
      return solve_c_svc(rows, problem, params.fit_intercept, own, context, progress, given);
    }
    case Formulation::nu_svc: return solve_nu_svc(rows, problem, params.nu, options, context, progress);
    case Formulation::one_class:
      if (std::all_of(problem.beta.begin(), problem.beta.end(), [](double b) { return b == 0.0; }))
        reach_sum(problem.hi.data(), problem.size(), params.nu, problem.beta.data());
      return solve_one_class(rows, problem, options, context, progress);
    case Formulation::nu_svr: return solve_nu_svr(rows, problem, params.nu, options, context, progress);
    case Formulation::kernel_ridge: break;  // a linear system: least_squares/ridge.hpp
  }
  throw ParameterError(std::string("formulation \"") + name_of(params.formulation) + "\" is no problem of pairs");
}

template Solution solve_binary<float>(const kernel_matrix::RowSource<float>&, BinaryProblem&, const FormulationParams&,
                                      const qp::Options&, base::Context&, const Progress&);
template Solution solve_binary<double>(const kernel_matrix::RowSource<double>&, BinaryProblem&, const FormulationParams&,
                                       const qp::Options&, base::Context&, const Progress&);

}  // namespace dcsvm::svm
