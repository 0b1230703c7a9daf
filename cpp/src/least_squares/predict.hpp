// Decisions of LS-SVMs: sums over all training rows.
#pragma once

#include "base/thread_pool.hpp"
#include "least_squares/model_data.hpp"

namespace dcsvm::least_squares {

/// Training rows up to which kernel values are computed in double: weights of few rows may be exact (method exact) and large.
constexpr Index kDoubleRows = 10000;

/// out: rows x n_outputs row-major, for x that was checked. DataError when values overflow.
void decide(const LsSvmData& model, const DataView& x, base::ThreadPool& pool, double* out);

/// Decisions (n x k row-major) become probabilities, in place (Eq. 7).
void softmax(double* decisions, Index n, Index k);

}  // namespace dcsvm::least_squares
