// What predictions pack from a model's points, kept for the next prediction.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::kernel_matrix {
template <class T>
class KernelValues;
}  // namespace dcsvm::kernel_matrix

namespace dcsvm::svm {

/// Safe from several threads at once. A copy of the model begins with nothing: it may get other points.
class PackedSupport {
 public:
  template <class T>
  using Values = std::shared_ptr<const kernel_matrix::KernelValues<T>>;
  static constexpr Index kWhole = -1;   ///< all support vectors
  static constexpr Index kRouter = -2;  ///< the router's sample

  PackedSupport() = default;
  PackedSupport(const PackedSupport& /*other*/) noexcept {}
  PackedSupport& operator=(const PackedSupport& other) {
    if (this == &other) return *this;
    floats_.clear();
    doubles_.clear();
    coefficients_.reset();
    return *this;
  }
  ~PackedSupport() = default;

  /// What `make` gave for this part of the model, the first time: a cluster, kWhole or kRouter. Two threads may both make it.
  template <class T, class Make>
  Values<T> get(Index part, const Make& make) const {
    return kept<Values<T>>([&]() -> Values<T>& { return of<T>()[part]; }, make);
  }
  /// Likewise sv_coef with the coefficients of each support vector side by side.
  using Coefficients = std::shared_ptr<const std::vector<double>>;
  template <class Make>
  Coefficients coefficients(const Make& make) const {
    return kept<Coefficients>([&]() -> Coefficients& { return coefficients_; },
                              [&] { return std::make_shared<const std::vector<double>>(make()); });
  }

 private:
  template <class Kept, class Place, class Make>
  Kept kept(const Place& place, const Make& make) const {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const Kept& found = place()) return found;
    }
    Kept made = make();
    const std::lock_guard<std::mutex> lock(mutex_);
    Kept& first = place();
    if (!first) first = std::move(made);
    return first;
  }
  template <class T>
  std::map<Index, Values<T>>& of() const {
    if constexpr (std::is_same_v<T, float>) {
      return floats_;
    } else {
      return doubles_;
    }
  }

  mutable std::mutex mutex_;
  mutable std::map<Index, Values<float>> floats_;
  mutable std::map<Index, Values<double>> doubles_;
  mutable Coefficients coefficients_;
};

}  // namespace dcsvm::svm
