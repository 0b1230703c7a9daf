#include "data/statistics.hpp"

#include <algorithm>
#include <functional>

#include "data/read.hpp"

namespace dcsvm::data {

namespace {

constexpr Index kPiece = 4096;

// fn(begin, end) -> one number per piece of rows, in order.
std::vector<double> by_piece(Index n, base::ThreadPool& pool, const std::function<double(Index, Index)>& fn) {
  std::vector<double> results((n + kPiece - 1) / kPiece);
  pool.for_range(n, kPiece, [&](Index begin, Index end, int) { results[begin / kPiece] = fn(begin, end); });
  return results;
}

// fn(value) summed over the stored entries of rows [begin, end).
template <class Fn>
double sum_entries(const DataView& x, Index begin, Index end, Fn&& fn) {
  double sum = 0;
  if (const auto* csr = std::get_if<CsrView>(&x)) {
    for (Index t = row_begin(*csr, begin), last = row_begin(*csr, end); t < last; ++t) sum += fn(value_at(*csr, t));
    return sum;
  }
  const Index d = cols_of(x);
  std::vector<double> row(d);
  for (Index i = begin; i < end; ++i) {
    copy_rows(x, nullptr, i, 1, row.data(), d);
    for (const double v : row) sum += fn(v);
  }
  return sum;
}

double total(const std::vector<double>& parts) {
  double sum = 0;
  for (const double p : parts) sum += p;
  return sum;
}

}  // namespace

std::vector<double> column_means(const DataView& x, base::ThreadPool& pool) {
  const Index n = rows_of(x), d = cols_of(x), pieces = (n + kPiece - 1) / kPiece;
  std::vector<double> partial(pieces * d, 0.0), mean(static_cast<std::size_t>(d), 0.0);
  pool.for_range(n, kPiece,
                 [&](Index begin, Index end, int) { column_sums(x, begin, end, partial.data() + begin / kPiece * d, nullptr); });
  for (Index p = 0; p < pieces; ++p) {
    for (Index k = 0; k < d; ++k) mean[k] += partial[p * d + k];
  }
  for (auto& v : mean) v /= static_cast<double>(n);
  return mean;
}

Moments column_moments(const DataView& x, const Index* idx, Index n, base::ThreadPool& pool) {
  const Index d = cols_of(x), pieces = (n + kPiece - 1) / kPiece;
  std::vector<double> partial(pieces * 2 * d, 0.0);
  pool.for_range(n, kPiece, [&](Index begin, Index end, int) {
    double* sums = partial.data() + begin / kPiece * 2 * d;
    if (idx == nullptr) return column_sums(x, begin, end, sums, sums + d);
    for (Index i = begin; i < end; ++i) column_sums(x, idx[i], idx[i] + 1, sums, sums + d);
  });
  Moments m{std::vector<double>(d), std::vector<double>(d)};
  const auto count = static_cast<double>(n);
  for (Index k = 0; k < d; ++k) {
    double sum = 0, squares = 0;
    for (Index p = 0; p < pieces; ++p) {
      sum += partial[(2 * p) * d + k];
      squares += partial[(2 * p + 1) * d + k];
    }
    const double mean = sum / count;
    m.mean[k] = mean;
    m.variance[k] = std::max(0.0, squares / count - mean * mean);
  }
  return m;
}

double variance(const DataView& x, base::ThreadPool& pool) {
  const double count = static_cast<double>(rows_of(x)) * static_cast<double>(cols_of(x));
  const auto stored = static_cast<double>(stored_values(x));
  const double mean =
      total(by_piece(rows_of(x), pool, [&](Index b, Index e) { return sum_entries(x, b, e, [](double v) { return v; }); })) /
      count;
  const double squares = total(by_piece(rows_of(x), pool, [&](Index b, Index e) {
    return sum_entries(x, b, e, [&](double v) { return (v - mean) * (v - mean); });
  }));
  return (squares + (count - stored) * mean * mean) / count;
}

double largest_norm2(const DataView& x, base::ThreadPool& pool, bool centred) {
  const bool sparse = std::holds_alternative<CsrView>(x);
  const std::vector<double> mean = sparse || !centred ? std::vector<double>{} : column_means(x, pool);
  const Index d = cols_of(x);
  const auto parts = by_piece(rows_of(x), pool, [&](Index begin, Index end) {
    double largest = 0;
    std::vector<double> row(sparse ? 0 : d);
    for (Index i = begin; i < end; ++i) {
      double norm = 0;
      if (sparse) {
        norm = sum_entries(x, i, i + 1, [](double v) { return v * v; });
      } else {
        copy_rows(x, nullptr, i, 1, row.data(), d, mean.empty() ? nullptr : mean.data());
        for (const double v : row) norm += v * v;
      }
      largest = std::max(largest, norm);
    }
    return largest;
  });
  return parts.empty() ? 0.0 : *std::max_element(parts.begin(), parts.end());
}

}  // namespace dcsvm::data
