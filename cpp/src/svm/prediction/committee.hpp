// The Bayesian committee machine over the clusters' models: V. Tresp, A Bayesian Committee Machine, Neural Computation 12 (2000),
// 2719-2741, equations (4) and (5) for one query, as the DC-SVM paper's Table 1 compares.
//
// For a pair of classes let c = 1..M be the clusters with support vectors S_c of the pair. Each is read as a Gaussian process
// with mean 0 and noise 1/C:
//     E_c(x) = sum_{s in S_c} coef_s K(x, s)                              its mean: the cluster's decision value without its bias
//     v_c(x) = K(x,x) - k_c(x)' (K_cc + I/C)^-1 k_c(x)                    its variance, K_cc = K(S_c, S_c), k_c(x) = K(S_c, x)
//     1/v(x) = sum_c 1/v_c(x) - (M - 1) / K(x,x)                          the prior counted once
//     dec(x) = v(x) sum_c E_c(x) / v_c(x) - rho(x)                        rho that of the nearest cluster (bias.hpp), 0 without
//     bias
// A far cluster has E_c = 0 and v_c = K(x,x) and so no influence; with its own bias it would have some.
// v_c is kept within [1e-10, 1] K(x,x), which keeps v positive; K(x,x) within [1e-100, inf). When K_cc + I/C is not positive
// definite (sigmoid kernels) the noise grows by factors of 10 until it is.
// All in double, whatever the model's precision: 1/C can be far below float's rounding.
#pragma once

#include "base/thread_pool.hpp"
#include "data/output.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Decides every row of x with a clustered model. Factorises K_cc + I/C of each cluster and pair once per call: |S_c|^2 doubles
/// each, about 512 MB of them held at a time (more when one alone is larger). Throws ParameterError for the precomputed kernel.
void decide_committee(const ModelData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out);

}  // namespace dcsvm::svm
