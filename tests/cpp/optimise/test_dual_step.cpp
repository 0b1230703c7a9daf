// The dual step of a hinge against grids, and against the losses that the linear solvers know.
#include "optimise/dual_step.hpp"

#include <cmath>
#include <limits>

#include "doctest/doctest.h"
#include "linear_fit/loss.hpp"

using namespace dcsvm;

namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("dual step: no other value within the bounds has a smaller quadratic, also where that is a line") {
  for (const double q : {0.0, 0.5, 4.0}) {
    for (const double upper : {0.0, 0.7, 2.0}) {
      for (const double slope : {-3.0, -0.2, 0.2, 3.0}) {
        for (double b = 0; b <= upper; b += 0.1) {
          const double to = optimise::dual_minimum(b, slope, q, upper);
          CHECK(to >= 0.0);
          CHECK(to <= upper);
          const auto change = [&](double at) { return slope * (at - b) + 0.5 * q * (at - b) * (at - b); };
          for (double other = 0; other <= upper; other += 0.05) CHECK(change(to) <= change(other) + 1e-12);
        }
      }
    }
  }
  CHECK(optimise::dual_minimum(1.0, -4.0, 2.0, kNoBound) == 3.0);
}

TEST_CASE("dual step: the projected derivative is 0 where the step moves nothing, and only there") {
  for (const double upper : {0.7, 2.0, kNoBound}) {
    for (const double slope : {-3.0, -0.2, 0.0, 0.2, 3.0}) {
      for (const double b : {0.0, 0.3, 0.7, 2.0}) {
        if (b > upper) continue;
        CAPTURE(upper);
        CAPTURE(slope);
        CAPTURE(b);
        CHECK((optimise::projected(b, slope, upper) == 0.0) == (optimise::dual_minimum(b, slope, 1.0, upper) == b));
      }
    }
  }
}

TEST_CASE("dual step: bounds and curvature are those of the losses, and minus the term is their conjugate") {
  for (const double C : {0.0, 0.3, 5.0}) {
    linear_fit::HingeLoss hinge;
    linear_fit::SquaredHingeLoss squared;
    static_cast<linear_fit::LossRow&>(hinge) = static_cast<linear_fit::LossRow&>(squared) = {-1.0, C};
    const optimise::HingeDual of_hinge(false, C), of_squared(true, C);
    CHECK(of_hinge.upper == hinge.upper());
    CHECK(of_hinge.curve == hinge.dual_curve());
    CHECK(of_squared.upper == squared.upper());
    CHECK(of_squared.curve == squared.dual_curve());
    if (C == 0) continue;
    for (double b = 0; b <= C; b += 0.1 * C) {
      CHECK(of_hinge.term(b) == doctest::Approx(-hinge.dual_term(-b)));
      CHECK(of_squared.term(b) == doctest::Approx(-squared.dual_term(-b)));
    }
  }
}

TEST_CASE("dual step: a variable leaves the active set only at a bound, and beyond what the pass before has seen") {
  optimise::Shrinking shrinking;
  CHECK(!shrinking.leaves(0.0, 1e9, 1.0));  // nothing has been seen
  for (const double pg : {0.5, -0.25, 0.1}) shrinking.see(pg);
  CHECK(shrinking.largest() == 0.5);
  CHECK(shrinking.smallest() == -0.25);
  shrinking.next_pass();
  CHECK(shrinking.leaves(0.0, 0.6, 1.0));
  CHECK(!shrinking.leaves(0.0, 0.4, 1.0));
  CHECK(!shrinking.leaves(0.5, 0.6, 1.0));
  CHECK(shrinking.leaves(1.0, -0.3, 1.0));
  CHECK(!shrinking.leaves(1.0, -0.2, 1.0));
  shrinking.see(-0.1);  // a pass in which no derivative is positive says nothing of the upper side
  shrinking.next_pass();
  CHECK(!shrinking.leaves(0.0, 1e9, 1.0));
  CHECK(shrinking.leaves(1.0, -0.2, 1.0));
}
