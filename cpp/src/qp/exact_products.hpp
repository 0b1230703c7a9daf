// Products with kernel values in double, added up in double by fours, with what the sums of these lose.
#pragma once

#include <cstddef>
#include <vector>

#include "base/thread_pool.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::qp {

/// out[k] = sum over j of coef[j] K(rows[k], column j), over all columns or, with `lower`, over j < k. With
/// Columns::region_size() > 0 values up to RowSource::negligible() are left out.
std::vector<double> exact_products(const kernel_matrix::Columns<double>& columns, const std::vector<double>& coef,
                                   const std::vector<Index>& rows, bool lower, base::ThreadPool& pool);

/// Coefficients of some variables of a source, ascending, and these as columns.
struct Support {
  const std::vector<Index>& idx;
  const std::vector<double>& coef;
  const kernel_matrix::Columns<double>& columns;
};

/// out[k] = sum over j of coef[j] K(rows[k], idx[j]) as above; rows ascend, one variable of each point. Of two rows that are in
/// the support, K(i, j) is computed once, as it is K(j, i). budget: bytes of columns beside those that are given, and once more
/// of sums that wait.
std::vector<double> exact_products(const kernel_matrix::RowSource<double>& source, const Support& support,
                                   const std::vector<Index>& rows, std::size_t budget, base::ThreadPool& pool);

}  // namespace dcsvm::qp
