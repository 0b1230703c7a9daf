#include "svm/choose_solver.hpp"

#include <iomanip>
#include <sstream>

#include "clustering/clustering_kernel.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::svm {

namespace {
constexpr Index kDcFrom = 20000;   // rows, and
constexpr double kDcBelow = 1e-3;  // typical cosine, from which the divide step pays
}  // namespace

const char* name_of(SolverType solver) {
  switch (solver) {
    case SolverType::dc: return "dc";
    case SolverType::rand: return "rand";
    case SolverType::cascade: return "cascade";
    default: return "smo";
  }
}

template <class T>
Choice choose_solver(const TrainingProblem& problem, const TrainParams& params, const kernel_matrix::RowSource<T>& rows,
                     base::Context& context) {
  constexpr SolverType smo = SolverType::smo, dc = SolverType::dc;
  if (params.early_level) return {dc, "early_level needs the divide step"};
  if (params.solver != SolverType::automatic) return {params.solver, "asked for"};
  if (params.formulation != Formulation::c_svc) return {smo, "only c_svc is divided without being asked"};
  if (problem.kernel.type != KernelType::rbf) return {smo, "only an rbf kernel gains from clusters"};
  if (!problem.start.empty()) return {smo, "warm_start_alpha is given"};
  if (problem.n < kDcFrom) return {smo, "fewer than " + std::to_string(kDcFrom) + " samples"};
  if (rows.work_per_value() <= kernel_matrix::kRecomputeWork)
    return {smo, "kernel values of so few features cost less than clusters"};
  std::ostringstream reason;
  const double cosine = clustering::typical_cosine(rows, context);
  const bool local = cosine < kDcBelow;
  reason << "at least " << kDcFrom << " samples and a " << (local ? "" : "not very ")
         << "local kernel (median K = " << std::setprecision(2) << cosine << (local ? " < " : " >= ") << kDcBelow << ")";
  return {local ? dc : smo, reason.str()};
}

template Choice choose_solver<float>(const TrainingProblem&, const TrainParams&, const kernel_matrix::RowSource<float>&,
                                     base::Context&);
template Choice choose_solver<double>(const TrainingProblem&, const TrainParams&, const kernel_matrix::RowSource<double>&,
                                      base::Context&);

}  // namespace dcsvm::svm
