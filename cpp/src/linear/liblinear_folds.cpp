// The folds of LIBLINEAR's first cross-validation in a process.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/linear_path.hpp"

namespace dcsvm {

namespace {

/// The numbers of glibc's rand() in a process that never called srand(): r_i = r_(i-3) + r_(i-31) modulo 2^32, without its lowest
/// bit, after a start from a linear congruential generator and 310 discarded numbers.
class UnseededRand {
 public:
  UnseededRand() {
    // NOLINTNEXTLINE(bugprone-random-generator-seed): LIBLINEAR's folds are those of this seed
    std::minstd_rand0 words(1);
    state_[0] = 1;
    for (std::size_t k = 1; k < state_.size(); ++k) state_[k] = static_cast<std::uint32_t>(words());
    for (int k = 0; k < 310; ++k) next();
  }
  std::uint32_t next() {
    const std::uint32_t sum = state_[place_] += state_[(place_ + 28) % 31];
    place_ = (place_ + 1) % 31;
    return sum >> 1;
  }

 private:
  std::array<std::uint32_t, 31> state_{};  // the last 31 numbers; the oldest stands at place_
  std::size_t place_ = 3;
};

}  // namespace

LinearFolds liblinear_folds(Index n, int n_folds) {
  if (n_folds < 2 || n_folds > n) {
    throw ParameterError("n_folds must be 2 to " + std::to_string(n) + ", the number of rows, got " + std::to_string(n_folds));
  }
  UnseededRand random;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = 0; i < n; ++i) std::swap(order[i], order[i + static_cast<Index>(random.next()) % (n - i)]);
  std::vector<int> fold(static_cast<std::size_t>(n));
  for (int f = 0; f < n_folds; ++f) {
    for (Index i = f * n / n_folds; i < (f + 1) * n / n_folds; ++i) fold[order[i]] = f;
  }
  return {std::move(fold), std::move(order)};
}

}  // namespace dcsvm
