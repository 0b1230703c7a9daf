// Decision values and labels of any model.
//
// With K rows of support vectors s of class i (coefficients c_s^{ij}), the pair (i, j) of LIBSVM's one-vs-one scheme decides by
//     dec_ij(x) = sum_{s of class i or j} c_s^{ij} K(x, s) - rho_ij,        positive for class i.
// A clustered model (Hsieh, Si, Dhillon 2014) has one such expansion dec^c with its own rho^c per cluster c:
//     early (Eq. 6)   dec(x) = dec^c(x) of the cluster c nearest to x. A pair with one class absent from c is decided for the
//                     other, +1 or -1; with both absent it is 0. So the label is one of c's classes.
//     naive (Eq. 5)   dec(x) = sum over all clusters' support vectors - rho, rho that of the nearest cluster (bias.hpp); without
//                     bias the paper's formula as it is.
#pragma once

#include "base/thread_pool.hpp"
#include "data/output.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Decides every row of x, which was checked (finite, right number of columns). The same result for any size of the pool.
/// Throws ModelError when no cluster has a class, and what poll throws.
void decide(const ModelData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out);

/// Queries per task for n queries: kQueries, fewer when n is small so that every thread has some. Depends on n alone.
Index query_grain(Index n);

}  // namespace dcsvm::svm
