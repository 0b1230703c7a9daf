// What kernels/kernel_traits.hpp and kernel_functions say of each kernel, against values of the slow twin.
#include "kernels/kernel_traits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "kernel_functions/all.hpp"
#include "kernel_twin.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;

TEST_CASE("kernel traits: values of points with themselves, bounds and parameters of every kernel") {
  const Index n = 40, d = 3;
  twin::Matrix x = twin::random_matrix(n, d, 1);
  for (auto& row : x) {
    for (double& v : row) v = std::abs(v);  // some kernels are for these alone
  }
  const twin::Stored stored(x, d, twin::Layout::c, ScalarType::float64);
  base::ThreadPool pool(1);
  const data::Summary summary(stored.view());
  for (std::size_t i = 0; i < names_of(KernelType{}).size(); ++i) {
    const auto type = static_cast<KernelType>(i);
    if (type == KernelType::precomputed) continue;
    CAPTURE(name_of(type));
    const KernelParams kernel{type, 3, 0.7, 0.4};
    double largest = 0;
    for (const auto& a : x) {
      double norm2 = 0;
      for (const double v : a) norm2 += v * v;
      CHECK(kernels::of_itself(kernel, norm2) == doctest::Approx(twin::kernel(kernel, a, a)).epsilon(1e-12));
      CHECK(kernels::single_error_scale(kernel, norm2) >= 0);
      for (const auto& b : x) largest = std::max(largest, std::abs(twin::kernel(kernel, a, b)));
    }
    CHECK(kernels::largest_value(summary, kernel, pool) >= largest * (1 - 1e-9));
    // A parameter that the kernel does not use changes nothing; one that it uses does.
    const auto differs = [&](KernelParams other) { return twin::kernel(kernel, x[0], x[1]) != twin::kernel(other, x[0], x[1]); };
    const KernelTraits uses = traits_of(type);
    CHECK(differs({type, 3, 0.9, 0.4}) == uses.gamma);
    CHECK(differs({type, 3, 0.7, 0.6}) == uses.coef0);
    CHECK(differs({type, 2, 0.7, 0.4}) == uses.degree);
    // A shift of both points, and a common factor, which a ratio of squares does not notice.
    std::vector<double> moved[2] = {x[0], x[1]}, grown[2] = {x[0], x[1]};
    for (int side = 0; side < 2; ++side) {
      for (double& v : moved[side]) v += 0.5;
      for (double& v : grown[side]) v *= 2.0;
    }
    const double value = twin::kernel(kernel, x[0], x[1]);
    const bool shifts = kernels::with_distance(kernel, false, [](const auto& k) { return k.kShifts; });
    CHECK((std::abs(twin::kernel(kernel, moved[0], moved[1]) - value) < 1e-12) == shifts);
    CHECK((std::abs(twin::kernel(kernel, grown[0], grown[1]) - value) < 1e-12) == kernels::is_ratio(type));
  }
}

namespace {

// K of two points at a distance t: |x - y|^2, or a sum of the features' distances.
long double at_distance(KernelType type, long double gamma, long double t) {
  kernel_twin::Sums sums;
  sums.squares = sums.sizes = sums.chi2 = t;
  return kernel_twin::value(type, gamma, 0.0L, 1, sums);
}

}  // namespace

TEST_CASE("kernel traits: bounds of derivatives are the largest of the twin's, by differences") {
  constexpr long double kStep = 1e-4L, kGamma = 0.7L;
  for (const KernelType type : kernel_twin::all_types()) {
    if (!kernels::takes_distance(type)) continue;
    CAPTURE(name_of(type));
    const bool of_square = kernels::takes_squared_distance(type);
    double distance = 0, length = 0, log_gamma = 0;
    const auto check = [&](const auto& k) {
      for (long double t = 1e-6L; t < 1e3L; t *= 1.01L) {
        const long double by_log =
            (at_distance(type, kGamma, t * std::exp(kStep)) - at_distance(type, kGamma, t * std::exp(-kStep))) / (2 * kStep);
        const long double by_log_gamma =
            (at_distance(type, kGamma * std::exp(kStep), t) - at_distance(type, kGamma * std::exp(-kStep), t)) / (2 * kStep);
        const long double by_length = of_square ? 2 * by_log / std::sqrt(t) : by_log / t;
        distance = std::max(distance, static_cast<double>(std::abs(by_log)));
        length = std::max(length, static_cast<double>(std::abs(by_length)));
        log_gamma = std::max(log_gamma, static_cast<double>(std::abs(by_log_gamma)));
        const double r = static_cast<double>(of_square ? std::sqrt(t) : t);
        const double value = static_cast<double>(at_distance(type, kGamma, t));
        if (value > 1e-9)
          CHECK(k.slope(static_cast<double>(t)) == doctest::Approx(static_cast<double>(-by_log / t)).epsilon(1e-5));
        CHECK(k.path(r) >= std::sqrt(2.0 * (1.0 - value)) * (1.0 - 1e-9));
      }
      CHECK(k.of_distance() == doctest::Approx(distance).epsilon(1e-3));
      CHECK(k.of_length() == doctest::Approx(length).epsilon(2e-3));
      CHECK(k.of_log_gamma() == doctest::Approx(log_gamma).epsilon(1e-3));
      // gamma in float, which is off by 2.4e-8 of it for 0.7, and up to two more roundings.
      CHECK(k.template gamma_error<float>() > 1e-9);
      CHECK(k.template gamma_error<float>() < 4 * 0x1p-24);
      CHECK(k.relative(5.0) >= k.of_distance() * 5.0);
      CHECK(k.single_error(1.0) > 0);
      return true;
    };
    CHECK(kernels::with_distance(KernelParams{type, 3, static_cast<double>(kGamma), 0.0}, false, check));
  }
}
