#include "linear/stop_detail.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "base/stop_reason.hpp"

namespace dcsvm::linear {

namespace {

/// What LinearProblemReport::n_iter counts.
const char* steps_of(Method method) {
  switch (method) {
    case Method::newton:
    case Method::augmented_lagrangian:
    case Method::l1_newton: return "Newton steps";
    case Method::dual_descent:
    case Method::sequential_dual:
    case Method::greedy_pairs: break;
  }
  return "passes";
}

double distance(const LinearProblemReport& p) { return p.limit > 0 ? p.violation / p.limit : p.violation; }

bool is_worse(const LinearProblemReport& a, const LinearProblemReport& b) {
  const int of_a = base::severity(a.stop_reason), of_b = base::severity(b.stop_reason);
  return of_a != of_b ? of_a > of_b : distance(a) > distance(b);
}

}  // namespace

std::string stop_detail(const LinearData& model, Method method) {
  const std::vector<LinearProblemReport>& problems = model.report.problems;
  if (problems.empty()) return "";
  const auto worst = std::min_element(problems.begin(), problems.end(), is_worse);
  std::ostringstream text;
  if (problems.size() > 1) text << "class " << model.classes[static_cast<std::size_t>(worst - problems.begin())] << ": ";
  text << worst->n_iter << ' ' << steps_of(method) << std::scientific << std::setprecision(0) << ", violation "
       << worst->violation;
  if (worst->limit == 0) return text.str();
  const bool met = worst->violation <= worst->limit;
  text << (met ? ", not above " : ", above ") << worst->limit;
  if (met && worst->stop_reason == StopReason::stagnated) text << ", but rounding hides how far the optimum is";
  if (met && worst->stop_reason == StopReason::max_iter) text << ", but no step was left to confirm it";
  return text.str();
}

}  // namespace dcsvm::linear
