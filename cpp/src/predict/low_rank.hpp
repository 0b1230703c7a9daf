// Decisions of low-rank models: sums over landmarks or random directions.
#pragma once

#include "base/thread_pool.hpp"
#include "models/low_rank_data.hpp"
#include "predict/output.hpp"

namespace dcsvm::prediction {

/// Decides all rows of x, which were checked. Output::decisions: rows x n_problems. DataError when values overflow.
void decide(const models::LowRankData& model, const DataView& x, base::ThreadPool& pool, const Output& out);

/// Position of the class that n_problems decisions name. votes: scratch.
Index winner(const double* dec, Index n_classes, MultiClass multi_class, std::vector<int>& votes);

}  // namespace dcsvm::prediction
