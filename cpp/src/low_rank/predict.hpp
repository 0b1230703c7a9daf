// Decisions of low-rank models: sums over landmarks or random directions.
#pragma once

#include "base/thread_pool.hpp"
#include "data/output.hpp"
#include "low_rank/model_data.hpp"

namespace dcsvm::low_rank {

/// Decides all rows of x, which were checked. Output::decisions: rows x n_problems. DataError when values overflow.
void decide(const LowRankData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out);

/// Position of the class that n_problems decisions name. votes: scratch.
Index winner(const double* dec, Index n_classes, MultiClass multi_class, std::vector<int>& votes);

}  // namespace dcsvm::low_rank
