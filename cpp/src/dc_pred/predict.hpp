// Decisions of a DC-Pred++ model: the tree walk, the kernel values, the expansion and the product, one row after another.
#pragma once

#include "base/thread_pool.hpp"
#include "data/output.hpp"
#include "dc_pred/model_data.hpp"

namespace dcsvm::dc_pred {

/// Floats of scratch that decide_row needs.
Index scratch_size(const DcPredData& model);
/// x: n_features floats; out: outputs. Allocates nothing.
void decide_row(const DcPredData& model, const float* x, float* scratch, float* out) noexcept;

/// Every row of x, which was checked. Throws DataError naming the row when a decision overflows, and what poll throws.
void decide(const DcPredData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out);

/// The label that decisions (outputs of them) stand for.
double answer(const DcPredData& model, const float* decisions);

}  // namespace dcsvm::dc_pred
