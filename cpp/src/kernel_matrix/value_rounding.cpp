// Bounds of the rounding errors of kernel values, by kernel and by how the points are packed. u is half a unit in the last place
// of 1. Constants are those of the operations in simd/map_impl.hpp, exp_impl.hpp, tile_impl.hpp and bytes_impl.hpp; the tests
// compare them with values in long double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "data/byte_grid.hpp"
#include "data/read.hpp"
#include "dcsvm/data.hpp"
#include "kernel_functions/all.hpp"
#include "kernel_matrix/plan.hpp"
#include "kernels/kernel_traits.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernel_matrix {

namespace {

using kernels::Form;
using kernels::Rounding;

template <class T>
bool by_region(const Plan<T>& plan) {
  return plan.reach.limit2 > T(0) && !plan.reach.differences;
}
// Whether values depend on what is computed with them: a tile's points are shifted to their centre, regions to theirs
// (kernel_rows.cpp, kernels/regions.hpp).
template <class T>
bool moves_columns(const Plan<T>& plan) {
  const bool near = plan.map.near_below > T(0) && !std::isinf(plan.map.near_below);
  return by_region(plan) || (plan.map.kind == KernelType::rbf && plan.form == Form::dense && near);
}

// Inner products and squared distances: how many of their terms are not 0, and whether they are exact. They are where every
// product and every partial sum is a multiple of unit^2, below 2^digits times that, as with 0/1 features: T rounds none of them,
// in whatever order they are added.
struct Products {
  Index terms;
  bool exact;
  // In half-ulps of |x| |y|.
  double deviation() const { return exact ? 0.0 : of_inner_product(terms); }
  // Roundings of equal products have one sign for long stretches; no partial sum is above |x| |y|, so that they come to at most
  // as many times that as there are terms.
  double largest() const { return exact ? 0.0 : 1.0 + static_cast<double>(terms); }
};
template <class T>
Products products_of(const Plan<T>& plan, const data::Summary& x, base::ThreadPool& pool) {
  if (!plan.shift.empty() || moves_columns(plan)) return {cols_of(x), false};
  const double unit = x.unit(pool), whole = std::ldexp(1.0, std::numeric_limits<T>::digits);
  return {std::min(cols_of(x), 2 * x.most_nonzeros(pool)), unit > 0 && 4.0 * x.largest_norm2(pool) <= unit * unit * whole};
}

// What rounding the features moves a value by, of the largest there can be: its root mean square over clusters of near points in
// 2 to 54 dimensions is 0.01 to 0.17 of that where the kernel sees it, 1e-3 and less elsewhere.
constexpr double kTypicalOfFeatures = 1.0 / 32.0;

constexpr double kOfExponent = 3.0;  // of the exponent: its product with gamma and, of bytes, its conversion and its scale

// Roundings of the sum of a strip's products, one of each of its `rows` (Ops::tile_sum), in u max|K| |d|_2 of their coefficients
// d. The partial sum of k products is at most max|K| sqrt(k) |d|_2, so that the squares of its roundings add up to 2 + 3 + ... +
// rows = rows (rows + 1) / 2 - 1 times u^2 (max|K| |d|_2)^2; those of products and of rounded coefficients add 1 each. The rest
// is for terms in u^2.
template <class T>
double of_strip(const Plan<T>& plan) {
  constexpr double kSecondOrder = 1.02;
  const auto rows = static_cast<double>(plan.form == Form::bytes ? simd::byte_ops()->mr : simd::ops<T>().mr);
  return kSecondOrder * std::sqrt(0.5 * rows * (rows + 1.0) + 1.0);
}

// A point's features are rounded where they are read, where X is shifted, and where a tile has a centre of its own.
constexpr double kFeatureRoundings = 3.0;

// Sum of |x_k| of the rows, less the shift: at most sqrt(d) |x|.
double largest_sum(const std::vector<double>& shift, const data::Summary& x, base::ThreadPool& pool) {
  if (shift.empty()) return x.largest_sum(pool);
  return std::sqrt(static_cast<double>(cols_of(x)) * largest_shifted_norm2(x, nullptr, rows_of(x), shift, pool));
}

// What is rounded of a distance t, besides its exponent: relative to the norms where it is the difference of norms and terms (not
// where it is formed from differences), and by a feature's own distance and its derivative.
struct OfDistance {
  double norm;      // largest |x|^2 (kernels of |x - y|), largest sum of |x_k|
  double features;  // what the rounding of a point's features, times u, moves r
  double term;      // roundings of a feature's term
};
template <class T, class K>
OfDistance of_distance(const K& k, const Plan<T>& plan, const data::Summary& x, base::ThreadPool& pool) {
  if constexpr (K::kTerm == kernels::Term::product) {
    const double norm2 =
        plan.shift.empty() ? x.largest_norm2(pool) : largest_shifted_norm2(x, nullptr, rows_of(x), plan.shift, pool);
    return {norm2, std::sqrt(norm2), 0.0};
  } else {
    const double sum = largest_sum(plan.shift, x, pool);
    return {sum, k.kOfFeature * sum, k.kOfTerm};
  }
}

// What byte products move: a feature to its level on the grid, by 2^-23 of its size and the offset's (2^-51 on exact grids), and
// by 2^-12 of a step, at most (simd/bytes.hpp).
struct ToGrid {
  double feature = 0, row = 0;  // the largest move of a feature, and of a row's length
};
template <class T>
ToGrid to_grid(const Plan<T>& plan, const data::Summary& x, base::ThreadPool& pool) {
  const double u = plan.off_grid ? 0x1p-24 : 0x1p-52;
  const double offset = std::abs(plan.grid.offset), d = static_cast<double>(cols_of(x)), of_step = 0x1p-12 * plan.grid.step;
  return {std::min(2.0 * u * (2.0 * offset + 255.0 * plan.grid.step), of_step),
          std::min(2.0 * u * (std::sqrt(x.largest_norm2(pool)) + std::sqrt(d) * offset), std::sqrt(d) * of_step)};
}
// The same of inner products, whose grids have no offset, relative to |x| |y|, times u.
template <class T>
double to_grid_of_product(const Plan<T>& plan) {
  if (plan.form != Form::bytes) return 0.0;
  return plan.off_grid ? 2.0 : std::is_same_v<T, double> ? 8.0 : 0.0;  // of double, 2^-51 in both features
}

template <class T, class K>
Rounding of_kernel_of_distance(const K& k, const Plan<T>& plan, const data::Summary& x, double u, base::ThreadPool& pool) {
  constexpr bool of_square = K::kTerm == kernels::Term::product;
  const auto d = static_cast<double>(cols_of(x));
  const double of_gamma = k.template gamma_error<T>();
  Rounding r;
  r.typical = u;
  r.gamma = of_gamma;
  r.shared = of_gamma * k.of_log_gamma();
  r.shared_norm = of_gamma * k.log_gamma_norm(d);
  if (plan.form == Form::bytes) {
    const ToGrid moved = to_grid(plan, x, pool);  // x_j's own, and x_i's in all values of the row
    r.deviation = std::hypot(u * k.relative(kOfExponent), moved.feature * k.of_length());
    r.largest = u * k.relative(kOfExponent) + moved.row * k.of_length();
    r.typical = std::max(u, moved.feature * k.of_length());
    r.shared += u * k.of_distance() + moved.row * k.of_length();  // the first: the grid's step, squared
    r.shared_norm += u * k.log_gamma_norm(d) + k.path(moved.row);
    r.gamma += u;  // it has the step's effect: on all distances alike
    return r;
  }
  const OfDistance t = of_distance(k, plan, x, pool);
  const Products products = products_of(plan, x, pool);
  const bool exact = of_square && products.exact;
  const double inner = exact ? 0.0 : products.deviation() + t.term, worst = exact ? 0.0 : products.largest() + t.term;
  // From norms and terms (|x|^2 + |y|^2 - 2xy): |x|^2 is shared, the rest is of this value. Beyond near_below the slope is less.
  const double near = static_cast<double>(plan.map.near_below);
  const bool cancels = of_square ? !std::isinf(near) : plan.form != Form::dense;
  // Distances that seem to be beyond it may be this much nearer.
  const double seems = u * t.norm * (3.0 * worst + 2.0);
  const double slope = cancels ? k.slope(std::max(0.0, near - seems)) : 0.0;
  const double lost = exact ? 0.0 : std::max(t.norm > 0 ? t.norm * slope : 0.0, by_region(plan) ? lost_in_region<T>() : 0.0);
  // Of so many roundings. A root's slope at 0 has no bound, but |sqrt(t + e) - sqrt(t)| <= sqrt(e).
  const auto moved = [&](double roundings) {
    return std::isfinite(lost) ? u * lost * roundings : k.of_length() * std::sqrt(u * t.norm * roundings);
  };
  if (!(near > 0)) r.typical = std::max(r.typical, moved(2.0));
  // Double has features as given.
  const double moved_to = !exact && (std::is_same_v<T, float> || !plan.shift.empty()) ? u * t.features : 0.0;
  const double features = moved_to * k.of_length();
  r.typical = std::max(r.typical, std::min(1.0, kTypicalOfFeatures * features));
  r.deviation = std::hypot(moved(std::sqrt(5.0 * inner * inner + 4.0)), u * k.relative(kOfExponent + inner), features);
  r.largest = moved(3.0 * worst + 2.0) + u * k.relative(kOfExponent + worst) + features;
  r.shared += kFeatureRoundings * features;
  r.shared_norm += kFeatureRoundings * k.path(moved_to);
  r.of_row = moved(inner);
  r.of_row_largest = moved(worst);
  r.of_row_is_factor = K::kFactors || !cancels;  // as exp(-gamma |x|^2) of rbf
  r.by_columns = moves_columns(plan);
  return r;
}

template <class T>
Rounding of_values(const Plan<T>& plan, const data::Summary& x, const KernelParams& kernel, double u, base::ThreadPool& pool) {
  return kernels::with_kernel(kernel, [&](const auto& k) {
    if constexpr (std::decay_t<decltype(k)>::kDistance) {
      return of_kernel_of_distance(k, plan, x, u, pool);
    } else {
      const Products products = products_of(plan, x, pool);
      const double largest = kernels::largest_value(x, kernel, pool), moved = to_grid_of_product(plan);
      const bool bytes = plan.form == Form::bytes;
      return k.rounding({u, x.largest_norm2(pool), largest, products.deviation(), products.largest(), bytes, moved});
    }
  });
}

}  // namespace

// An inner product of d terms is a sum of d fused operations, each rounded by at most u times the partial sum. Of partial sums
// that grow evenly to |x| |y| the root of the sum of the squares is sqrt(d / 3) of that. Sums that grow unevenly reach 1.7 times
// as much.
double of_inner_product(Index d) { return 1.0 + std::sqrt(static_cast<double>(d) / 3.0); }

double largest_shifted_norm2(const DataView& x, const Index* idx, Index n, const std::vector<double>& shift,
                             base::ThreadPool& pool) {
  constexpr Index kRows = 64;
  const Index d = cols_of(x);
  std::vector<double> largest((n + kRows - 1) / kRows, 0.0);
  pool.for_each(static_cast<Index>(largest.size()), [&](Index task, int) {
    const Index first = task * kRows, m = std::min(kRows, n - first);
    std::vector<double> rows(m * d);
    data::copy_rows(x, idx, first, m, rows.data(), d, shift.data());
    for (Index i = 0; i < m; ++i) {
      const double* row = rows.data() + i * d;
      largest[task] = std::max(largest[task], simd::ops<double>().dot(row, row, d));
    }
  });
  return largest.empty() ? 0.0 : *std::max_element(largest.begin(), largest.end());
}

template <class T>
Rounding rounding_of(const Plan<T>& plan, const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool) {
  const double u = 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon());
  Rounding r = of_values(plan, x, kernel, u, pool);
  if (plan.form != Form::sparse) {
    r.sums = of_strip(plan) * u * r.value;
    r.of_step = std::is_same_v<T, float> ? u * r.value : 0.0;
  }
  r.alike = plan.form == Form::bytes || products_of(plan, x, pool).exact || data::has_few_levels(x, pool);
  return r;
}

template Rounding rounding_of<float>(const Plan<float>&, const data::Summary&, const KernelParams&, base::ThreadPool&);
template Rounding rounding_of<double>(const Plan<double>&, const data::Summary&, const KernelParams&, base::ThreadPool&);

}  // namespace dcsvm::kernel_matrix
