#include "svm/choose_solver.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

#include "clustering/clustering_kernel.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/params.hpp"
#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

namespace {
constexpr Index kDcFrom = 20000;   // rows, and
constexpr double kDcBelow = 1e-3;  // typical cosine, from which the divide step pays
// KKT violation of a given start, above which it saves less than the divide step: on covtype (gamma 32) the start at half of C or
// at nine tenths of the rows, with a violation near 1, takes twice as long as the divide step, and one of 0.01 three quarters.
constexpr double kNearStart = 0.03;
constexpr Index kLookedAt = 512;  // points of each pair

// The KKT violation of the given start over some points of each pair: the largest.
template <class T>
double start_violation(const TrainingProblem& problem, const TrainParams& params, const kernel_matrix::RowSource<T>& rows,
                       base::Context& context) {
  const int n_classes = static_cast<int>(problem.n_classes());
  const auto of_class = points_by_class(problem.class_of, n_classes);
  double largest = 0;
  for (int a = 0; a < n_classes; ++a) {
    for (int b = a + 1; b < n_classes; ++b) {
      if (context.monitor != nullptr) context.monitor->poll();
      const BinaryProblem pair = make_pair_problem(a, of_class[a], b, of_class[b], problem.upper, problem.start.data());
      const Index n = pair.size(), m = std::min(n, kLookedAt);
      std::vector<Index> looked(m), support;
      std::vector<double> gradient(m), minus;
      for (Index t = 0; t < m; ++t) {
        looked[t] = pair.points[t * n / m];
        gradient[t] = pair.y[t * n / m];
      }
      for (Index i = 0; i < n; ++i) {
        if (pair.beta[i] == 0.0) continue;
        support.push_back(pair.points[i]);
        minus.push_back(-pair.beta[i]);
      }
      rows.multiply(looked.data(), m, support.data(), minus.data(), static_cast<Index>(support.size()), gradient.data(),
                    context.cap_bytes / 4, *context.pool);
      double up = -std::numeric_limits<double>::infinity(), low = -up;
      for (Index t = 0; t < m; ++t) {
        const Index i = t * n / m;
        if (pair.beta[i] < pair.hi[i]) up = std::max(up, gradient[t]);
        if (pair.beta[i] > pair.lo[i]) low = std::min(low, gradient[t]);
      }
      largest = std::max(largest, params.fit_intercept ? up - low : std::max(up, -low));
    }
  }
  return largest;
}

}  // namespace

const char* name_of(SolverType solver) { return solver == SolverType::automatic ? "smo" : dcsvm::name_of(solver); }

template <class T>
Choice choose_solver(const TrainingProblem& problem, const TrainParams& params, const kernel_matrix::RowSource<T>& rows,
                     base::Context& context) {
  constexpr SolverType smo = SolverType::smo, dc = SolverType::dc;
  if (params.early_level) return {dc, "early_level needs the divide step"};
  if (params.solver != SolverType::automatic) return {params.solver, "asked for"};
  if (problem.fixed_sums != nullptr) return {smo, "rows are held fixed"};
  if (params.formulation != Formulation::c_svc) return {smo, "only c_svc is divided without being asked"};
  if (problem.kernel.type != KernelType::rbf) return {smo, "only an rbf kernel gains from clusters"};
  if (problem.n < kDcFrom) return {smo, "fewer than " + std::to_string(kDcFrom) + " samples"};
  if (rows.work_per_value() <= kernel_matrix::kRecomputeWork)
    return {smo, "kernel values of so few features cost less than clusters"};
  std::ostringstream reason;
  const double cosine = clustering::typical_cosine(rows, context);
  const bool local = cosine < kDcBelow;
  if (local && !problem.start.empty() && start_violation(problem, params, rows, context) < kNearStart)
    return {smo, "warm_start_alpha is near the solution"};
  reason << "at least " << kDcFrom << " samples and a " << (local ? "" : "not very ")
         << "local kernel (median K = " << std::setprecision(2) << cosine << (local ? " < " : " >= ") << kDcBelow << ")";
  return {local ? dc : smo, reason.str()};
}

template Choice choose_solver<float>(const TrainingProblem&, const TrainParams&, const kernel_matrix::RowSource<float>&,
                                     base::Context&);
template Choice choose_solver<double>(const TrainingProblem&, const TrainParams&, const kernel_matrix::RowSource<double>&,
                                      base::Context&);

}  // namespace dcsvm::svm
