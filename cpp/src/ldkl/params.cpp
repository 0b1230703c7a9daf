#include "ldkl/params.hpp"

#include <cmath>
#include <sstream>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "ldkl/model_data.hpp"

namespace dcsvm::ldkl {

namespace {

constexpr Index kLeafRows = 32;  // as in DC-Pred++'s trees

}  // namespace

void check_params(const LdklParams& p) {
  base::check_ranges(p);
  base::check_class_weight(p.class_weight, p.balanced);
}

Index depth_for(const LdklParams& params, Index n, Index d, Index problems) {
  if (!params.budget) return params.depth;
  const double limit = *params.budget * (1 + 1e-9), least = cost_of(0, d, problems);
  if (least > limit) {
    std::ostringstream text;
    text << "budget must allow a tree of one node: at least " << std::ceil(10 * least) / 10 << ", got " << *params.budget;
    throw ParameterError(text.str());
  }
  Index depth = 0;
  while (depth < kMostDepth && cost_of(depth + 1, d, problems) <= limit && n >> (depth + 1) >= kLeafRows) ++depth;
  return depth;
}

}  // namespace dcsvm::ldkl
