// The outcome of one binary problem of any formulation.
#pragma once

#include "qp/solver.hpp"

namespace dcsvm::svm {

/// `bias` is LIBSVM's -rho and `objective` its "obj"; n_support and n_bounded count points.
struct Solution : qp::Result {
  double r = 0;  ///< nu_svc: the margin that coefficients were divided by; nu_svr: minus the half width of the tube
};

}  // namespace dcsvm::svm
