// Line searches and conjugate gradients on functions and systems made by hand.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "optimise/conjugate_gradients.hpp"
#include "optimise/line_search.hpp"

using namespace dcsvm;

namespace {

struct Plain {
  std::size_t size;
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  }
  template <class Fn>
  void each(const Fn& fn) const {
    for (std::size_t j = 0; j < size; ++j) fn(j);
  }
};

/// A random symmetric matrix, positive definite: V V' + shift I.
struct Symmetric {
  std::size_t size;
  std::vector<double> values;

  Symmetric(std::size_t n, double shift, std::uint64_t seed) : size(n), values(n * n, 0.0) {
    base::Random random(seed);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<double> v(n);
      for (double& x : v) x = 2.0 * random.uniform() - 1.0;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) values[i * n + j] += v[i] * v[j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) values[i * n + i] += shift;
  }
  std::vector<double> times(const std::vector<double>& v) const {
    std::vector<double> out(size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) out[i] += values[i * size + j] * v[j];
    }
    return out;
  }
};

}  // namespace

TEST_CASE("Armijo's rule takes the first step length that gains enough, and none that gains nothing") {
  const auto bowl = [](double t) { return (t - 0.3) * (t - 0.3); };  // derivative -0.6 at 0
  const optimise::LineStep found = optimise::armijo(bowl, bowl(0.0), -0.6, 1.0);
  CHECK(found.t == 0.5);  // at 1 it is higher than at 0
  CHECK(found.value == bowl(0.5));
  CHECK(optimise::armijo(bowl, bowl(0.0), -0.6, 0.25).t == 0.25);
  const optimise::LineStep none = optimise::armijo([](double t) { return 1.0 + t; }, 1.0, -1.0, 1.0);
  CHECK(none.t == 0);
  CHECK(none.value == 1.0);
  // Values that are not finite are no gain.
  const auto wall = [](double t) { return t > 0.1 ? std::numeric_limits<double>::quiet_NaN() : -t; };
  CHECK(optimise::armijo(wall, 0.0, -1.0, 1.0).t == 0.0625);
}

TEST_CASE("false position ends where the derivative is a tenth of that at 0, or at 1 where it still falls") {
  CHECK(optimise::false_position([](double t) { return t - 2.0; }, -2.0) == 1.0);
  CHECK(optimise::false_position([](double) { return std::numeric_limits<double>::quiet_NaN(); }, -1.0) == 1.0);
  for (const double root : {0.5, 0.02, 0.9, 1e-4}) {
    CAPTURE(root);
    const auto line = [root](double t) { return t - root; };
    CHECK(std::abs(line(optimise::false_position(line, -root))) <= 0.1 * root);
    // Nearly flat before the root, steep behind it, where plain false position creeps.
    const auto corner = [root](double t) { return t < root ? t - root : 1e4 * (t - root); };
    CHECK(std::abs(corner(optimise::false_position(corner, -root))) <= 0.1 * root);
  }
  // A jump, at which no derivative is small: the bracket closes on it.
  const auto jump = [](double t) { return t < 0.37 ? -1.0 : 1.0; };
  CHECK(optimise::false_position(jump, -1.0) == doctest::Approx(0.37).epsilon(1e-2));
}

TEST_CASE("conjugate gradients solve a system of n unknowns in n steps, and count what each gains") {
  constexpr std::size_t kSize = 12;
  const Symmetric h(kSize, 1.0, 3);
  base::Random random(4);
  std::vector<double> b(kSize);
  for (double& v : b) v = 2.0 * random.uniform() - 1.0;
  for (const bool diagonal : {false, true}) {
    CAPTURE(diagonal);
    const Plain sums{kSize};
    optimise::ConjugateGradients<> cg;
    const auto turn = [&] {
      for (std::size_t j = 0; j < kSize; ++j) cg.preconditioned[j] = cg.residual[j] / (diagonal ? h.values[j * kSize + j] : 1.0);
      return cg.turn(sums);
    };
    cg.begin(b, sums);
    double gained = 0;
    for (turn(); cg.square > 1e-24 * cg.first_square && cg.steps < 2 * static_cast<int>(kSize); turn()) {
      cg.image = h.times(cg.direction);
      CHECK(cg.advance(sums) > 0);
      CHECK(cg.gain > 0);
      gained += cg.gain;
    }
    CHECK(cg.steps <= static_cast<int>(kSize) + 2);
    const std::vector<double> product = h.times(cg.solution);
    for (std::size_t j = 0; j < kSize; ++j) CHECK(product[j] == doctest::Approx(b[j]).epsilon(1e-9));
    CHECK(gained == doctest::Approx(0.5 * Plain::dot(b, cg.solution)).epsilon(1e-9));  // b's - 1/2 s'Hs at the solution
  }
}

TEST_CASE("conjugate gradients do not move along a direction without curvature") {
  constexpr std::size_t kSize = 5;
  const Plain sums{kSize};
  optimise::ConjugateGradients<> cg;
  cg.begin(std::vector<double>(kSize, 1.0), sums);
  cg.preconditioned = cg.residual;
  CHECK(cg.turn(sums) == 5.0);
  cg.image.assign(kSize, -1.0);
  CHECK(cg.advance(sums) == -5.0);
  CHECK(cg.steps == 0);
  CHECK(cg.solution == std::vector<double>(kSize, 0.0));
  cg.image.assign(kSize, 1.0);
  CHECK(cg.advance(sums, 10.0) == 5.0);  // too little
  CHECK(cg.steps == 0);
  CHECK(cg.advance(sums) == 5.0);
  CHECK(cg.solution == std::vector<double>(kSize, 1.0));
}
