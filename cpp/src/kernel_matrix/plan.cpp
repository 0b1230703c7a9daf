#include "kernel_matrix/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "kernel_functions/all.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernel_matrix {

namespace {

using kernels::Form;

// Error of a value from cancelled digits of |x - y|^2: what is tolerated, what is left where differences are used instead,
// and what is tolerated within a region. In double, coefficients of 10^8 make of it what is seen in a violation.
template <class T>
constexpr double kRounding = std::is_same_v<T, float> ? 2e-6 : 1e-15;
template <class T>
constexpr double kRoundingNear = std::is_same_v<T, float> ? 1e-8 : 2e-16;
template <class T>
constexpr double kRoundingInRegion = std::is_same_v<T, float> ? 2e-7 : 1e-15;
// Features up to which all distances are from differences. In float, with 22: 0.69 ns a value instead of 0.63, with 54: 1.41
// instead of 1.17 (avx512). In double as far as they cost nothing (kernel_rows.cpp).
template <class T>
constexpr Index kDifferencesTo = std::is_same_v<T, float> ? 32 : 8;
constexpr double kRoundedFeatures = 1e-14;  // in double: what rounding the shifted features may move a value by
constexpr double kMostlyZero = 0.25;   // mean^2 / variance; of a 0/1 column whose ones are a fifth
constexpr Index kRegionDifferencesTo = 8; // features; shifting a row to each region's centre costs as much as its values there
constexpr Index kRegionFeatures = 64;   // with more, byte products save more than leaving out far columns

// Error of an rbf value from |x|^2 + |y|^2 - 2xy, which loses about 2 |x|^2 half-ulps, per |x|^2 and K.
template <class T>
double lost_digits(double gamma) {
  return gamma * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class T>
T near_below(double lost, double tolerated, double gamma) {
  return lost > tolerated ? static_cast<T>(std::log(lost / kRoundingNear<T>) / gamma) : T(0);
}

// Twice what |x|^2 + |y|^2 - 2xy of norms up to `norm` and of so many terms may be off by: a pair that seems to be beyond this is
// no nearer than half of it. All roundings at their worst, as equal terms have them. The kernel may be so local that nearly all
// of its values are 0 there.
template <class T>
double rounding_of_distance(double norm, Index terms) {
  return (3.0 * (1.0 + static_cast<double>(terms)) + 2.0) * static_cast<double>(std::numeric_limits<T>::epsilon()) * norm;
}

template <class T>
T above_rounding(T near, double norm, Index terms) {
  const double rounding = rounding_of_distance<T>(norm, terms);
  return near > T(0) && std::isfinite(rounding) ? std::max(near, static_cast<T>(rounding)) : near;
}

// Whether a kernel is so local that it sees what the rounding of rows of this length to double moves.
bool sees_rounding(const KernelParams& kernel, Index d, double length) {
  const double of_sum = kernels::takes_squared_distance(kernel.type) ? 1.0 : std::sqrt(static_cast<double>(d));
  const double u = 0.5 * std::numeric_limits<double>::epsilon();
  return std::isfinite(length) && kernels::with_distance(kernel, false, [&](const auto& k) {
           return u * k.of_length() * of_sum * length > kRoundedFeatures;
         });
}

// A shift rounds the features of double data, and so does a grid with an offset. A difference of two given features does not.
bool sees_shift(const KernelParams& kernel, const data::Summary& x, const Centre& centre, base::ThreadPool& pool) {
  const double shift2 = std::inner_product(centre.point.begin(), centre.point.end(), centre.point.begin(), 0.0);
  return sees_rounding(kernel, cols_of(x), std::sqrt(x.largest_norm2(pool)) + std::sqrt(shift2));
}
bool sees_offset(const KernelParams& kernel, Index d, const kernels::ByteGrid& grid) {
  return sees_rounding(kernel, d, 2.0 * std::sqrt(static_cast<double>(d)) * std::abs(grid.offset));
}
}  // namespace

template <class T>
T near_below(const KernelParams& kernel, double norm) {
  if (kernel.type == KernelType::rbf) return near_below<T>(lost_digits<T>(kernel.gamma) * norm, kRounding<T>, kernel.gamma);
  return kernels::with_distance(kernel, T(0), [&](const auto& k) {
    const double digits = static_cast<double>(std::numeric_limits<T>::epsilon()) * norm;
    const bool smooth = std::isfinite(k.slope(0.0));
    if (!(norm > 0) || (smooth && digits * k.slope(0.0) <= kRounding<T>)) return T(0);
    // Where the slope is so small that what is lost is as much as in a region of an rbf kernel. It falls with the distance.
    double low = 0.0, high = norm;
    while (digits * k.slope(high) > kRoundingInRegion<T>) low = high, high *= 4.0;
    for (int step = 0; step < 50; ++step) {
      const double middle = 0.5 * (low + high);
      (digits * k.slope(middle) > kRoundingInRegion<T> ? low : high) = middle;
    }
    return static_cast<T>(high);
  });
}
template <class T>
T near_below_in_region(double gamma, double norm) {
  const T near = near_below<T>(lost_digits<T>(gamma) * norm, kRoundingInRegion<T>, gamma);
  return above_rounding(near, norm, kRegionFeatures);
}

template <class T>
double lost_in_region() {
  return kRoundingInRegion<T> / static_cast<double>(std::numeric_limits<T>::epsilon());
}

Centre centre_of(const data::Moments& moments) {
  Centre centre{moments.mean, 0.0};
  for (std::size_t k = 0; k < moments.mean.size(); ++k) {
    const double mean2 = moments.mean[k] * moments.mean[k];
    const bool stays = mean2 <= kMostlyZero * moments.variance[k];
    if (stays) centre.point[k] = 0.0;
    centre.norm += moments.variance[k] + (stays ? mean2 : 0.0);
  }
  return centre;
}

template <class T>
Plan<T> make_plan(const data::Summary& x, const Index* idx, Index n, const KernelParams& kernel, double negligible,
                  base::ThreadPool& pool, bool bytes) {
  Plan<T> plan;
  plan.map = kernels::map_params<T>(kernel);
  const bool of_square = kernels::takes_squared_distance(kernel.type), of_distance = kernels::takes_distance(plan.map.kind);
  if (bytes && kernels::byte_products_serve(plan.map.kind) && (negligible <= 0.0 || cols_of(x) > kRegionFeatures)) {
    plan.grid = idx == nullptr ? x.byte_grid(of_square, pool) : data::find_byte_grid(x, idx, n, of_square, pool);
    if (plan.grid.step > 0 && (std::is_same_v<T, float> || (plan.grid.exact && !sees_offset(kernel, cols_of(x), plan.grid)))) {
      plan.off_grid = !plan.grid.exact;
      if (std::is_same_v<T, float>) plan.grid.exact = false;  // later points may be rounded to float
      plan.form = Form::bytes;
      return plan;
    }
    plan.grid = {};
  }
  plan.form = kernels::choose_form(x);
  if (!of_distance || n == 0) return plan;
  if (plan.form != Form::dense && cols_of(x) > kernels::kExpandedFeatures) {  // stay as given: a shift would fill their zeros
    const double norm = of_square ? x.largest_norm2(pool) : x.largest_sum(pool);
    plan.map.near_below = above_rounding(near_below<T>(kernel, norm), norm, std::min(cols_of(x), 2 * x.most_nonzeros(pool)));
    return plan;
  }
  const data::Moments moments = idx == nullptr ? x.moments(pool) : data::column_moments(x, idx, n, pool);
  Centre centre = centre_of(moments);
  // A sum of the features' distances is at most as large as sqrt(d) |x - y|.
  plan.map.near_below = near_below<T>(kernel, of_square ? centre.norm : std::sqrt(static_cast<double>(cols_of(x)) * centre.norm));
  if (plan.map.near_below > T(0)) plan.form = Form::dense;  // subtracts faster
  if (plan.form != Form::dense) return plan;
  const bool as_given = std::is_same_v<T, double> && sees_shift(kernel, x, centre, pool);
  if (!of_square || as_given) plan.map.near_below = std::numeric_limits<T>::infinity();
  const bool shifts = !as_given && kernels::with_distance(kernel, false, [](const auto& k) { return k.kShifts; });
  if (shifts) plan.shift = std::move(centre.point);
  if (plan.map.near_below > T(0) && std::isfinite(plan.map.near_below)) {
    plan.largest_norm2 = shifts ? largest_shifted_norm2(x, idx, n, plan.shift, pool) : x.largest_norm2(pool);
    plan.map.near_below = above_rounding(plan.map.near_below, plan.largest_norm2, cols_of(x));
  }
  if (negligible <= 0.0 || kernel.type != KernelType::rbf) return plan;
  plan.reach.limit2 = static_cast<T>(-std::log(negligible) / kernel.gamma * (1.0 + 1e-4));  // the margin covers rounding
  plan.reach.differences = as_given || cols_of(x) <= kRegionDifferencesTo;  // else points are shifted to centres
  plan.reach.dims.resize(moments.variance.size());
  std::iota(plan.reach.dims.begin(), plan.reach.dims.end(), Index{0});
  std::sort(plan.reach.dims.begin(), plan.reach.dims.end(), [&](Index a, Index b) {
    const double u = moments.variance[a], v = moments.variance[b];
    return u != v ? u > v : a < b;
  });
  return plan;
}

template <class T>
void take_differences(Plan<T>& plan, Index d) {
  if (kernels::takes_squared_distance(plan.map.kind) && plan.form == Form::dense && d <= kDifferencesTo<T>) {
    plan.map.near_below = std::numeric_limits<T>::infinity();
  }
}

#define DCSVM_INSTANTIATE(T)                             \
  template void take_differences<T>(Plan<T>&, Index);    \
  template T near_below<T>(const KernelParams&, double); \
  template T near_below_in_region<T>(double, double);    \
  template double lost_in_region<T>();                   \
  template Plan<T> make_plan<T>(const data::Summary&, const Index*, Index, const KernelParams&, double, base::ThreadPool&, bool);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::kernel_matrix
