// Each loss against finite differences of itself, and against its conjugate.
#include "linear_fit/loss.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "linear_fit/losses.hpp"

using namespace dcsvm;
using linear_fit::Loss;

namespace {

/// Rows of each loss, for labels or targets on both sides.
std::vector<linear_fit::RowLoss> rows(Loss loss) {
  const bool tube = linear_fit::of_targets(loss);
  std::vector<linear_fit::RowLoss> out;
  for (const double y : {-1.0, 1.0}) {
    for (const double C : {0.3, 3.0}) out.push_back({loss, {tube ? 0.7 * y : y, C, tube ? 0.1 : 0.0, 0.2 * y, 5.0, 0.2}});
  }
  return out;
}

}  // namespace

TEST_CASE("losses: slope and curvature are the derivatives of the value, but at corners") {
  constexpr double kStep = 1e-6;
  for (const Loss loss : test::all_losses(true)) {
    CAPTURE(static_cast<int>(loss));
    for (const linear_fit::RowLoss& row : rows(loss)) {
      for (double z = -2.51; z < 2.6; z += 0.173) {
        CAPTURE(z);
        CHECK(row.value(z) >= 0.0);
        const double numeric = (row.value(z + kStep) - row.value(z - kStep)) / (2.0 * kStep);
        CHECK(row.slope(z) == doctest::Approx(numeric).epsilon(1e-6));
        CHECK(row.curvature(z) >= 0.0);
        if (linear_fit::has_kink(loss)) continue;
        const double of_slope = (row.slope(z + kStep) - row.slope(z - kStep)) / (2.0 * kStep);
        CHECK(row.curvature(z) == doctest::Approx(of_slope).epsilon(1e-5));
        CHECK(row.curvature(z) <= row.row.C * linear_fit::traits_of(loss).most_curved);
      }
    }
  }
}

TEST_CASE(
    "losses: the dual term is the smallest of value + alpha z (Fenchel and Young), attained where alpha is minus the slope") {
  for (const Loss loss : test::all_losses()) {
    CAPTURE(static_cast<int>(loss));
    for (const linear_fit::RowLoss& row : rows(loss)) {
      for (double share = -1.5; share < 1.6; share += 0.25) {
        const double alpha = share * row.row.C, term = row.dual_term(alpha);
        CAPTURE(alpha);
        for (double z = -4.0; z < 4.1; z += 0.125) {
          CHECK(row.value(z) + alpha * z >= term - 1e-12 * (1.0 + std::abs(term)));
          CHECK(row.gap(z, alpha) >= 0.0);
          CHECK(std::isinf(row.gap(z, alpha)) == std::isinf(term));  // alpha is not feasible
        }
      }
      for (double z = -2.51; z < 2.6; z += 0.173) {
        const double alpha = -row.slope(z);
        CHECK(row.value(z) + alpha * z == doctest::Approx(row.dual_term(alpha)).epsilon(1e-12));
        CHECK(row.gap(z, alpha) <= 1e-12 * row.row.C);
      }
    }
  }
}

TEST_CASE("losses: upper() bounds the dual variables that are feasible, and dual_curve() the curvature of their term") {
  for (const Loss loss : test::all_losses()) {
    CAPTURE(static_cast<int>(loss));
    for (const linear_fit::RowLoss& row : rows(loss)) {
      const double side = row.row.y > 0 ? 1.0 : -1.0, most = std::min(row.upper(), 10.0 * row.row.C), h = 1e-3 * most;
      CHECK(std::isfinite(row.dual_term(side * most)));
      if (std::isfinite(row.upper())) CHECK(std::isinf(row.dual_term(side * 1.001 * row.upper())));
      if (!linear_fit::of_targets(loss)) CHECK(std::isinf(row.dual_term(-side * h)));
      for (double a = 0.05 * most; a < 0.96 * most; a += 0.1 * most) {
        const double bend = row.dual_term(side * (a + h)) - 2.0 * row.dual_term(side * a) + row.dual_term(side * (a - h));
        if (linear_fit::dual_form(loss) == linear_fit::DualForm::shares) {
          CHECK(-bend > h * h * row.dual_curve());
        } else {
          CHECK(-bend / (h * h) == doctest::Approx(row.dual_curve()).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("losses: the envelopes lie below what they stand in for, by at most C^2 / (2 sigma), where nothing is shifted") {
  for (const Loss kink : test::all_losses()) {
    if (!linear_fit::has_kink(kink)) continue;
    for (linear_fit::RowLoss row : rows(kink)) {
      linear_fit::RowLoss envelope = row;
      envelope.loss = linear_fit::traits_of(kink).envelope;
      envelope.row.shift = 0.0;
      for (double z = -2.5; z < 2.6; z += 0.125) {
        CHECK(envelope.value(z) <= row.value(z));
        CHECK(envelope.value(z) >= row.value(z) - 0.5 * row.row.C * row.row.C / envelope.row.sigma - 1e-15);
      }
    }
  }
}

TEST_CASE("losses: a row's part of the gap is the difference that it stands for, and keeps its digits") {
  for (const Loss loss : test::all_losses()) {
    const bool tube = linear_fit::of_targets(loss);
    for (const double y : {-1.0, 1.0}) {
      const linear_fit::RowLoss row{loss, {tube ? 0.7 * y : y, 3.0, 0.1}};
      for (double z = -2.5; z < 2.6; z += 0.25) {
        for (const double share : {0.0, 0.1, 0.6, 1.0}) {
          const double alpha = share * 3.0 * y, gap = row.gap(z, alpha);
          CHECK(gap == doctest::Approx(row.value(z) + alpha * z - row.dual_term(alpha)).epsilon(1e-12));
          CHECK(gap >= 0.0);
        }
        if (!linear_fit::has_kink(loss)) CHECK(row.gap(z, -row.slope(z)) <= 1e-30);
      }
    }
  }
  // Second order: half of curvature times z^2, far below the rounding of the loss.
  const linear_fit::RowLoss row{Loss::logistic, {1.0, 1.0}};
  CHECK(row.gap(1e-9, -row.slope(0.0)) == doctest::Approx(0.125e-18).epsilon(1e-6));
  for (const Loss loss : test::all_losses(true)) {
    if (linear_fit::dual_form(loss) != linear_fit::DualForm::none) continue;
    const linear_fit::RowLoss smooth{loss, {1.0, 3.0, linear_fit::of_targets(loss) ? 0.1 : 0.0, 0.4, 5.0, 0.2}};
    for (double z = -1.5; z < 2.0; z += 0.125) {
      const double at_z = -smooth.slope(z);
      CHECK(smooth.gap(z, at_z) == doctest::Approx(0.0).epsilon(1e-14));
      for (double v = -1.5; v < 2.0; v += 0.25) {  // dual_term(at_z) = value(z) + at_z z
        CHECK(smooth.gap(v, at_z) == doctest::Approx(smooth.value(v) - smooth.value(z) + at_z * (v - z)).epsilon(1e-12));
      }
    }
  }
}
