// What kernels/kernel_traits.hpp and kernel_functions say of each kernel, against values of the slow twin.
#include "kernels/kernel_traits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "kernel_functions/all.hpp"
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
