#include "linear_fit/problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/block_sums.hpp"
#include "products/pieces.hpp"
#include "simd/ops.hpp"

namespace dcsvm::linear_fit {

namespace {

using products::kOnStack;
using products::kRowPiece;

/// visit(i, loss of row i) for rows [begin, end).
template <class L, class Visit>
void each_row(const Problem& p, Index begin, Index end, const Visit& visit) {
  const double *const y = p.y.data(), *const C = p.C.data(), *const shift = p.shift.empty() ? nullptr : p.shift.data();
  const double width = p.width, sigma = p.sigma, inverse_sigma = 1.0 / sigma;
  for (Index i = begin; i < end; ++i) {
    L row;
    static_cast<LossRow&>(row) = {y[i], C[i], width, shift != nullptr ? shift[i] : 0.0, sigma, inverse_sigma};
    visit(i, row);
  }
}

/// visit(first, number, margins y z, exp(-|margin|)) for rows [begin, end) in pieces, of which products of as many numbers
/// between 1 and 2 are finite; z_of(i) is the decision value.
template <class Decision, class Visit>
void each_piece(const Problem& p, Index begin, Index end, const Decision& z_of, const Visit& visit) {
  const auto& op = simd::ops<double>();
  simd::MapParams<double> map;  // exp(-d2) of the "squared distances" |margin|
  map.kind = KernelType::rbf;
  double margin[kOnStack], size[kOnStack], e[kOnStack];
  for (Index first = begin; first < end; first += kOnStack) {
    const Index number = std::min(kOnStack, end - first);
    for (Index k = 0; k < number; ++k) {
      margin[k] = p.y[first + k] * z_of(first + k);
      size[k] = std::abs(margin[k]);
      e[k] = 0;
    }
    op.map_row(map, 0.0, size, e, number);
    visit(first, number, margin, e);
  }
}

double logistic_slope(const Problem& p, Index i, double margin, double e) {
  return -p.C[i] * p.y[i] * (margin >= 0 ? e : 1.0) / (1.0 + e);
}

/// Sum of C log(1 + exp(-margin)). Factors 1 + e of equal C are multiplied, so that one logarithm serves many rows; for small e
/// the series keeps the digits that 1 + e would lose.
template <class Decision>
double logistic_losses(const Problem& p, Index begin, Index end, const Decision& z_of) {
  double sum = 0;
  each_piece(p, begin, end, z_of, [&](Index first, Index number, const double* margin, const double* e) {
    double product = 1.0, of_product = p.C[first];
    for (Index k = 0; k < number; ++k) {
      const double C = p.C[first + k], v = e[k];
      if (C != of_product) {
        sum += of_product * std::log(product);
        product = 1.0;
        of_product = C;
      }
      const bool small = v < 0x1.0p-10;
      const double series = v * (1.0 - v * (0.5 - v * (1.0 / 3.0 - v * (0.25 - v * 0.2))));
      product *= small ? 1.0 : 1.0 + v;
      sum += C * ((small ? series : 0.0) + std::max(0.0, -margin[k]));
    }
    sum += of_product * std::log(product);
  });
  return sum;
}

/// Sum of term(i, loss of row i).
template <class Term>
double sum_rows(const Problem& p, base::ThreadPool& pool, const Term& term) {
  return base::sum_blocks(p.rows(), kRowPiece, pool, [&](Index begin, Index end) {
    double sum = 0;
    with_loss(p.loss, [&](auto type) {
      each_row<typename decltype(type)::Type>(p, begin, end, [&](Index i, const auto& row) { sum += term(i, row); });
    });
    return sum;
  });
}

}  // namespace

double Problem::losses(const std::vector<double>& z, double t, const std::vector<double>& s, base::ThreadPool& pool) const {
  if (loss == Loss::logistic) {
    return base::sum_blocks(rows(), kRowPiece, pool, [&](Index begin, Index end) {
      return logistic_losses(*this, begin, end, [&](Index i) { return z[i] + t * s[i]; });
    });
  }
  return sum_rows(*this, pool, [&](Index i, const auto& row) { return row.value(z[i] + t * s[i]); });
}

double Problem::slope_along(const std::vector<double>& z, double t, const std::vector<double>& s, base::ThreadPool& pool) const {
  if (loss == Loss::logistic) {
    return base::sum_blocks(rows(), kRowPiece, pool, [&](Index begin, Index end) {
      double sum = 0;
      each_piece(
          *this, begin, end, [&](Index i) { return z[i] + t * s[i]; },
          [&](Index first, Index number, const double* margin, const double* e) {
            for (Index k = 0; k < number; ++k) sum += s[first + k] * logistic_slope(*this, first + k, margin[k], e[k]);
          });
      return sum;
    });
  }
  return sum_rows(*this, pool, [&](Index i, const auto& row) { return s[i] * row.slope(z[i] + t * s[i]); });
}

void Problem::derivatives(const std::vector<double>& z, std::vector<double>& slope, std::vector<double>& curvature,
                          base::ThreadPool& pool) const {
  pool.for_range(rows(), kRowPiece, [&](Index begin, Index end, int) {
    if (loss == Loss::logistic) {
      each_piece(
          *this, begin, end, [&](Index i) { return z[i]; },
          [&](Index first, Index number, const double* margin, const double* e) {
            for (Index k = 0; k < number; ++k) {
              const double share = 1.0 / (1.0 + e[k]);
              slope[first + k] = logistic_slope(*this, first + k, margin[k], e[k]);
              curvature[first + k] = C[first + k] * e[k] * share * share;
            }
          });
      return;
    }
    with_loss(loss, [&](auto type) {
      const double* decisions = z.data();
      double *const first = slope.data(), *const second = curvature.data();
      each_row<typename decltype(type)::Type>(*this, begin, end, [=](Index i, const auto& row) {
        first[i] = row.slope(decisions[i]);
        second[i] = row.curvature(decisions[i]);
      });
    });
  });
}

Quality Problem::quality(double objective, const std::vector<double>& w, const std::vector<double>& z,
                         const std::vector<double>& alpha, const std::vector<double>& u, base::ThreadPool& pool) const {
  Quality q;
  q.objective = objective;
  q.gap = sum_rows(*this, pool, [&](Index i, const auto& row) { return gap_of(row, z[i], alpha[i]); });
  q.decrease = sum_rows(*this, pool, [&](Index i, const auto& row) { return gap_of(row, 0.0, alpha[i]); });
  for (Index j = 0; j < cols(); ++j) {
    if (l1()) {
      const double conjugate = of(j).conjugate(u[j]);
      q.gap += of(j).value(w[j]) + conjugate - u[j] * w[j];
      q.decrease += conjugate;
    } else if (!regularized(j)) {
      q.gap += 0.5 * u[j] * u[j];
      q.decrease += w[j] * u[j] + 0.5 * u[j] * u[j];
    } else {
      const double left = w[j] - u[j];
      q.gap += 0.5 * left * left;
      q.decrease += 0.5 * u[j] * u[j];
    }
  }
  return q;
}

double Problem::regularized_product(const std::vector<double>& a, const std::vector<double>& b) const {
  return simd::ops<double>().dot(a.data(), b.data(), penalty.l2 == 0 ? 0 : regularized(cols() - 1) ? cols() : cols() - 1);
}

FreeBias Problem::free_bias(double all, double others, const std::vector<double>& slope) const {
  if (!has_free_bias()) return {};
  double sum = 0;
  for (const double s : slope) sum += std::abs(s);
  return {others > 0 ? all / others : 0.0, sum > 0 ? all / sum : 0.0};
}

double class_balance(const Problem& p) {
  if (of_targets(p.loss)) return 1.0;
  Index pos = 0, all = 0;
  for (Index i = 0; i < p.rows(); ++i) {
    if (p.C[i] == 0) continue;
    ++all;
    if (p.y[i] > 0) ++pos;
  }
  if (all == 0) return 1.0;
  return static_cast<double>(std::max<Index>(std::min(pos, all - pos), 1)) / static_cast<double>(all);
}

}  // namespace dcsvm::linear_fit
