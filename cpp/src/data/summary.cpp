#include "data/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/check.hpp"
#include "data/read.hpp"

namespace dcsvm::data {

namespace {

// Sparse data of more columns is never shifted by its mean (kernel_matrix/plan.cpp), and sums of all columns might not fit.
constexpr Index kMostSparseColumns = 512;

Index pieces_of(Index n) { return (n + kPieceRows - 1) / kPieceRows; }

// partial: for each piece of rows the sum of each column, then of its squares.
Moments moments_of(const std::vector<double>& partial, Index d, Index n) {
  const Index pieces = pieces_of(n);
  const auto count = static_cast<double>(n);
  Moments m{std::vector<double>(d), std::vector<double>(d)};
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

double total(const std::vector<double>& parts) {
  double sum = 0;
  for (const double p : parts) sum += p;
  return sum;
}

}  // namespace

Moments column_moments(const DataView& x, const Index* idx, Index n, base::ThreadPool& pool) {
  const Index d = cols_of(x);
  std::vector<double> partial(pieces_of(n) * 2 * d, 0.0);
  pool.for_range(n, kPieceRows, [&](Index begin, Index end, int) {
    double* sums = partial.data() + begin / kPieceRows * 2 * d;
    if (idx == nullptr) return column_sums(x, begin, end, sums, sums + d);
    for (Index i = begin; i < end; ++i) column_sums(x, idx[i], idx[i] + 1, sums, sums + d);
  });
  return moments_of(partial, d, n);
}

struct Summary::Sums {
  explicit Sums(const DataView& view)
      : x(view),
        d(std::holds_alternative<CsrView>(view) && cols_of(view) > kMostSparseColumns ? 0 : cols_of(view)),
        entries(pieces_of(rows_of(view)), 0.0),
        columns(entries.size() * 2 * static_cast<std::size_t>(d), 0.0) {}
  // Rows [begin, end) of one piece, after those before them.
  void add(Index begin, Index end) {
    const Index piece = begin / kPieceRows;
    double* sums = columns.data() + piece * 2 * d;
    if (d > 0) column_sums(x, begin, end, sums, sums + d);
    entries[piece] = add_entries(x, begin, end, entries[piece]);
  }
  const DataView& x;
  Index d;  // columns that are summed, 0: none
  std::vector<double> entries, columns;  // by piece
};

void Summary::keep(const Sums& sums) const {
  mean_ = total(sums.entries) / (static_cast<double>(rows_of(x_)) * static_cast<double>(cols_of(x_)));
  if (sums.d > 0) moments_ = moments_of(sums.columns, sums.d, rows_of(x_));
}

void Summary::check(base::ThreadPool& pool, bool points) const {
  if (checked_) return;
  if (!points || rows_of(x_) <= 0 || cols_of(x_) <= 0) {
    check_data(x_, pool);
  } else {
    Sums sums(x_);
    check_data(x_, pool, "X", [&](Index begin, Index end) { sums.add(begin, end); });
    keep(sums);
  }
  checked_ = true;
}

void Summary::read_sums(base::ThreadPool& pool) const {
  Sums sums(x_);
  pool.for_range(rows_of(x_), kPieceRows, [&](Index begin, Index end, int) { sums.add(begin, end); });
  keep(sums);
}

const Moments& Summary::moments(base::ThreadPool& pool) const {
  if (!mean_) read_sums(pool);
  if (!moments_) moments_ = column_moments(x_, nullptr, rows_of(x_), pool);
  return *moments_;
}

namespace {

// Of the values that it has seen, a power of two that divides all of them.
class Unit {
 public:
  void see(double v) {
    while (inverse_ > 0 && !is_whole(v * inverse_))
      inverse_ = std::abs(v) * inverse_ < kMost && inverse_ < kFinest ? 2 * inverse_ : 0;
  }
  double value() const { return inverse_ > 0 ? 1.0 / inverse_ : 0.0; }

 private:
  static constexpr double kMost = 1 << 12;  // of larger numbers, float rounds the squares
  static constexpr double kFinest = 0x1p60;
  static bool is_whole(double v) { return std::abs(v) <= kMost && static_cast<double>(static_cast<int>(v)) == v; }
  double inverse_ = 1;  // 0: there is none
};

}  // namespace

const Summary::Spread& Summary::spread(base::ThreadPool& pool) const {
  if (spread_) return *spread_;
  if (!mean_) read_sums(pool);
  const Index n = rows_of(x_), d = cols_of(x_);
  const auto* csr = std::get_if<CsrView>(&x_);
  const double mean = mean_.value_or(0.0);  // read_sums() found it
  std::vector<double> squares(pieces_of(n)), plain(squares), centred(squares), sums(squares), nonzeros(squares);
  std::vector<double> units(squares.size(), 1.0);
  std::vector<double> least(squares.size(), std::numeric_limits<double>::infinity());
  pool.for_range(n, kPieceRows, [&](Index begin, Index end, int) {
    const Index piece = begin / kPieceRows;
    std::vector<double> row(csr != nullptr ? 0 : d);
    double sum = 0;
    Unit unit;
    for (Index i = begin; i < end; ++i) {
      double norm = 0, centred_norm = 0, sizes = 0;
      Index nonzero = 0;
      if (csr != nullptr) {
        for (Index t = row_begin(*csr, i), last = row_begin(*csr, i + 1); t < last; ++t) {
          const double v = value_at(*csr, t);
          sum += (v - mean) * (v - mean);
          norm += v * v;
          sizes += std::abs(v);
          nonzero += v != 0.0 ? 1 : 0;
          unit.see(v);
        }
        centred_norm = norm;
      } else {
        copy_rows(x_, nullptr, i, 1, row.data(), d);
        for (Index k = 0; k < d; ++k) {
          const double v = row[k], c = v - moments_->mean[k];
          sum += (v - mean) * (v - mean);
          norm += v * v;
          sizes += std::abs(v);
          nonzero += v != 0.0 ? 1 : 0;
          unit.see(v);
          centred_norm += c * c;
        }
      }
      nonzeros[piece] = std::max(nonzeros[piece], static_cast<double>(nonzero));
      plain[piece] = std::max(plain[piece], norm);
      sums[piece] = std::max(sums[piece], sizes);
      if (norm > 0) least[piece] = std::min(least[piece], norm);
      centred[piece] = std::max(centred[piece], centred_norm);
    }
    squares[piece] = sum;
    units[piece] = unit.value();
  });
  const double count = static_cast<double>(n) * static_cast<double>(d);
  const auto stored = static_cast<double>(stored_values(x_));
  const auto largest = [](const std::vector<double>& v) { return v.empty() ? 0.0 : *std::max_element(v.begin(), v.end()); };
  spread_ = Spread{(total(squares) + (count - stored) * mean * mean) / count,
                   largest(plain),
                   largest(centred),
                   *std::min_element(least.begin(), least.end()),
                   largest(sums),
                   *std::min_element(units.begin(), units.end()),
                   static_cast<Index>(largest(nonzeros))};
  return *spread_;
}

double Summary::variance(base::ThreadPool& pool) const { return spread(pool).variance; }
double Summary::largest_norm2(base::ThreadPool& pool) const { return spread(pool).largest_norm2; }
double Summary::smallest_norm2(base::ThreadPool& pool) const { return spread(pool).smallest_norm2; }
double Summary::largest_sum(base::ThreadPool& pool) const { return spread(pool).largest_sum; }
Index Summary::most_nonzeros(base::ThreadPool& pool) const { return spread(pool).most_nonzeros; }
double Summary::unit(base::ThreadPool& pool) const { return spread(pool).unit; }
double Summary::largest_centred_norm2(base::ThreadPool& pool) const { return spread(pool).largest_centred_norm2; }

const ByteGrid& Summary::byte_grid(bool rbf, base::ThreadPool& pool) const {
  auto& grid = grid_[rbf ? 1 : 0];
  if (!grid) grid = find_byte_grid(x_, nullptr, rows_of(x_), rbf, pool);
  return *grid;
}

}  // namespace dcsvm::data
