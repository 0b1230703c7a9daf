// Preconditioned conjugate gradients for H s = b, H symmetric, in reverse communication: the caller multiplies with H and solves
// with the preconditioner M, and decides after each step whether it is enough.
// [1] Nocedal, Wright: Numerical Optimization (2006), algorithms 5.3 and 7.1.
//
//   ConjugateGradients<> cg;
//   cg.begin(b, sums);
//   for (;;) {
//     ... cg.preconditioned = M^-1 cg.residual ...
//     if (cg.turn(sums) <= enough) break;
//     ... cg.image = H cg.direction ...
//     if (!(cg.advance(sums) > 0)) break;
//   }
//
// `sums` has dot(a, b), and each(fn), which calls fn(j) for all entries: side by side, or in the order whose bits are wanted.
#pragma once

#include <utility>
#include <vector>

namespace dcsvm::optimise {

template <class Vector = std::vector<double>>
struct ConjugateGradients {
  Vector solution, residual, preconditioned, direction, image;
  double square = 0;  ///< residual'preconditioned
  double first_square = 0;  ///< before the first step
  double gain = 0;  ///< by how much the last step has lowered 1/2 s'Hs - b's
  int steps = 0;

  /// From s = 0.
  template <class Sums>
  void begin(Vector b, const Sums& sums) {
    residual = std::move(b);
    for (Vector* v : {&solution, &preconditioned, &direction, &image}) v->resize(residual.size());
    sums.each([&](auto j) { solution[j] = direction[j] = 0; });
    steps = 0;
  }

  /// The next direction, conjugate to those before. Returns the square of the residual's length in the norm of M^-1.
  template <class Sums>
  double turn(const Sums& sums) {
    const double next = sums.dot(residual, preconditioned);
    if (steps == 0) {
      first_square = next;
      sums.each([&](auto j) { direction[j] = preconditioned[j]; });
    } else {
      const double part = next / square;
      sums.each([&](auto j) { direction[j] = preconditioned[j] + part * direction[j]; });
    }
    return square = next;
  }

  /// Moves to the minimum along the direction. Returns the curvature d'Hd there: where it is not above `least` nothing has moved,
  /// because H is not positive definite, or rounding leaves no more.
  template <class Sums>
  double advance(const Sums& sums, double least = 0) {
    const double curvature = sums.dot(direction, image);
    if (!(curvature > least)) return curvature;
    const double length = square / curvature;
    sums.each([&](auto j) {
      solution[j] += length * direction[j];
      residual[j] -= length * image[j];
    });
    gain = 0.5 * length * square;
    ++steps;
    return curvature;
  }
};

}  // namespace dcsvm::optimise
