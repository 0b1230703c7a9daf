#include "kernel_matrix/folded_columns.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "data/read.hpp"

namespace dcsvm::kernel_matrix {

namespace {

constexpr std::size_t kFewValues = 4;
constexpr Index kGroupPoints = 64;  // mean size of a group: the last strip of each is half empty
constexpr Index kShare = 5;         // fold when that takes one column of so many

/// The place of each value among the different ones; empty when there are more than kFewValues.
std::vector<int> code(const double* values, Index n, Index stride) {
  std::vector<double> different;
  std::vector<int> codes;
  codes.reserve(n);
  for (Index i = 0; i < n; ++i) {
    const double v = values[i * stride];
    const auto found = std::find(different.begin(), different.end(), v);
    codes.push_back(static_cast<int>(found - different.begin()));
    if (found != different.end()) continue;
    if (different.size() == kFewValues) return {};
    different.push_back(v);
  }
  return codes;
}

/// Columns that may take few values: those that do in the first rows.
std::vector<Index> candidates(const DataView& x, const std::vector<Index>& all) {
  const auto d = static_cast<Index>(all.size()), n = std::min<Index>(rows_of(x), kGroupPoints);
  const std::vector<double> rows = copy_columns(x, nullptr, 0, n, all);
  std::vector<Index> few;
  for (const Index j : all) {
    if (!code(rows.data() + j, n, d).empty()) few.push_back(j);
  }
  return few;
}

/// Numbers for the pairs (group, code), by first appearance.
std::vector<Index> refine(const std::vector<Index>& group, const std::vector<int>& codes, Index* count) {
  std::map<std::pair<Index, int>, Index> numbers;
  std::vector<Index> refined;
  refined.reserve(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    refined.push_back(numbers.try_emplace({group[i], codes[i]}, static_cast<Index>(numbers.size())).first->second);
  }
  *count = static_cast<Index>(numbers.size());
  return refined;
}

}  // namespace

FoldedColumns fold_columns(const DataView& x) {
  const Index n = rows_of(x), d = cols_of(x);
  FoldedColumns out;
  out.kept.resize(d);
  std::iota(out.kept.begin(), out.kept.end(), Index{0});
  std::vector<Index> group(n, 0);
  Index n_groups = 1;
  const std::vector<Index> few = candidates(x, out.kept);
  const auto pays = [&](const std::vector<Index>& which) { return static_cast<Index>(which.size()) * kShare >= d; };
  if (pays(few)) {
    const auto width = static_cast<Index>(few.size());
    const std::vector<double> rows = copy_columns(x, nullptr, 0, n, few);
    for (Index c = 0; c < width && static_cast<Index>(out.folded.size()) + 1 < d; ++c) {
      const std::vector<int> codes = code(rows.data() + c, n, width);
      if (codes.empty()) continue;
      Index count = 0;
      std::vector<Index> refined = refine(group, codes, &count);
      if (count > n_groups && count * kGroupPoints > n) continue;
      out.folded.push_back(few[c]);
      group = std::move(refined);
      n_groups = count;
    }
  }
  if (!pays(out.folded)) {
    out.folded.clear();
    std::fill(group.begin(), group.end(), Index{0});
    n_groups = 1;
  }
  const auto is_folded = [&](Index j) { return std::binary_search(out.folded.begin(), out.folded.end(), j); };
  out.kept.erase(std::remove_if(out.kept.begin(), out.kept.end(), is_folded), out.kept.end());
  out.groups.resize(n_groups);
  for (Index i = 0; i < n; ++i) out.groups[group[i]].push_back(i);
  return out;
}

std::vector<double> copy_columns(const DataView& x, const Index* idx, Index first, Index n, const std::vector<Index>& which) {
  constexpr Index kRows = 64;
  const Index d = cols_of(x);
  std::vector<double> out, rows(static_cast<std::size_t>(std::min(n, kRows) * d));
  out.reserve(static_cast<std::size_t>(n) * which.size());
  for (Index begin = 0; begin < n; begin += kRows) {
    const Index m = std::min(kRows, n - begin);
    data::copy_rows(x, idx != nullptr ? idx + begin : nullptr, first + begin, m, rows.data(), d);
    for (const double* row = rows.data(); row != rows.data() + m * d; row += d) {
      for (const Index j : which) out.push_back(row[j]);
    }
  }
  return out;
}

}  // namespace dcsvm::kernel_matrix
