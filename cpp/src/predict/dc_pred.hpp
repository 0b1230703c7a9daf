// Decisions of a DC-Pred++ model: the tree walk, the kernel values, the expansion and the product, one row after another.
#pragma once

#include "base/thread_pool.hpp"
#include "models/dc_pred_data.hpp"
#include "predict/output.hpp"

namespace dcsvm::prediction {

/// Floats of scratch that decide_row needs.
Index scratch_size(const models::DcPredData& model);
/// x: n_features floats; out: outputs. Allocates nothing.
void decide_row(const models::DcPredData& model, const float* x, float* scratch, float* out) noexcept;

/// Every row of x, which was checked. Throws DataError naming the row when a decision overflows, and what poll throws.
void decide(const models::DcPredData& model, const DataView& x, base::ThreadPool& pool, const Output& out);

/// The label that decisions (outputs of them) stand for.
double answer(const models::DcPredData& model, const float* decisions);

}  // namespace dcsvm::prediction
