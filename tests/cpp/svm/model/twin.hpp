// The slow, obvious twin of models and prediction: dense double matrices, one formula per function.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/predict.hpp"
#include "kernel_twin.hpp"
#include "svm/model/build_model.hpp"

namespace twin {

using dcsvm::Index;
using Matrix = std::vector<std::vector<double>>;

inline double kernel(const dcsvm::KernelParams& p, const std::vector<double>& a, const std::vector<double>& b) {
  return static_cast<double>(kernel_twin::value(p, a, b, static_cast<Index>(a.size())));
}

/// n x d values in [-1, 1), a share of them zero; rounded to floats so that every storage holds the same numbers.
inline Matrix random_matrix(Index n, Index d, std::uint64_t seed, double zeros = 0.0, double offset = 0.0) {
  dcsvm::base::Random random(seed);
  Matrix x(static_cast<std::size_t>(n), std::vector<double>(d));
  for (auto& row : x) {
    for (auto& v : row) {
      const bool zero = random.uniform() < zeros;
      v = zero ? 0.0 : static_cast<double>(static_cast<float>(offset + 2 * random.uniform() - 1));
    }
  }
  return x;
}

enum class Layout { c, fortran, csr };

/// The same matrix in one of the library's storages.
class Stored {
 public:
  Stored(const Matrix& x, Index cols, Layout layout, dcsvm::ScalarType scalar, bool wide = false)
      : layout_(layout), scalar_(scalar), wide_(wide), rows_(static_cast<Index>(x.size())), cols_(cols) {
    indptr_.push_back(0);
    for (const auto& row : x) {
      for (Index j = 0; j < cols; ++j) {
        if (layout == Layout::csr && row[j] == 0.0) continue;
        values_.push_back(row[j]);
        indices_.push_back(j);
      }
      indptr_.push_back(static_cast<std::int64_t>(values_.size()));
    }
    if (layout == Layout::fortran) {
      for (Index j = 0; j < cols; ++j) {
        for (Index i = 0; i < rows_; ++i) values_[j * rows_ + i] = x[i][j];
      }
    }
    floats_.assign(values_.size(), 0.0F);
    for (std::size_t e = 0; e < values_.size(); ++e) floats_[e] = static_cast<float>(values_[e]);
    indices32_.assign(indices_.begin(), indices_.end());
    indptr32_.assign(indptr_.begin(), indptr_.end());
  }
  dcsvm::DataView view() const {
    const void* values = scalar_ == dcsvm::ScalarType::float32 ? static_cast<const void*>(floats_.data()) : values_.data();
    if (layout_ != Layout::csr) {
      const bool c = layout_ == Layout::c;
      return dcsvm::DenseView{values, scalar_, rows_, cols_, c ? cols_ : 1, c ? 1 : rows_};
    }
    const void* indices = wide_ ? static_cast<const void*>(indices_.data()) : indices32_.data();
    const void* indptr = wide_ ? static_cast<const void*>(indptr_.data()) : indptr32_.data();
    const auto type = wide_ ? dcsvm::IndexType::int64 : dcsvm::IndexType::int32;
    return dcsvm::CsrView{values, scalar_, indices, indptr, type, type, rows_, cols_};
  }

 private:
  Layout layout_;
  dcsvm::ScalarType scalar_;
  bool wide_;
  Index rows_, cols_;
  std::vector<double> values_;
  std::vector<float> floats_;
  std::vector<std::int64_t> indices_, indptr_;
  std::vector<std::int32_t> indices32_, indptr32_;
};

/// A made-up one-vs-one solution: alpha[pair][row], zero for rows outside the pair and for about half of the others.
struct Fake {
  Index n = 0, k = 0;
  std::vector<double> classes;
  std::vector<int> class_of;
  Matrix alpha;
  std::vector<double> rho;
  std::vector<double> coef;  ///< (k - 1) x n, LIBSVM's layout, written out by its definition

  Fake(Index rows, Index n_classes, std::uint64_t seed)
      : n(rows), k(n_classes), coef(static_cast<std::size_t>((n_classes - 1) * rows), 0.0) {
    dcsvm::base::Random random(seed);
    for (Index c = 0; c < k; ++c) classes.push_back(10.0 * static_cast<double>(c) - 5.0);
    for (Index i = 0; i < n; ++i) class_of.push_back(static_cast<int>(i < k ? i : random.below(k)));
    for (int i = 0; i < k; ++i) {
      for (int j = i + 1; j < k; ++j) {
        std::vector<double> a(n, 0.0);
        for (Index r = 0; r < n; ++r) {
          const int c = class_of[r];
          if ((c != i && c != j) || random.uniform() < 0.5) continue;
          a[r] = random.uniform() + 0.01;
          // Row of class i: its coefficient against j sits in row j - 1; row of class j: in row i.
          coef[(c == i ? j - 1 : i) * n + r] = c == i ? a[r] : -a[r];
        }
        alpha.push_back(a);
        rho.push_back(random.uniform() - 0.5);
      }
    }
  }
  dcsvm::svm::OneVsOneSolution solution(const dcsvm::DataView& x, bool precomputed = false) const {
    return {x, precomputed, classes, class_of, coef};
  }
  Index pairs() const { return k * (k - 1) / 2; }
  double y(Index pair_first, Index row) const { return class_of[row] == pair_first ? 1.0 : -1.0; }
};

/// Label from decision values by LIBSVM's vote.
inline double vote(const std::vector<double>& dec, const std::vector<double>& classes) {
  std::vector<int> votes(classes.size(), 0);
  std::size_t p = 0, best = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t j = i + 1; j < classes.size(); ++j) ++votes[dec[p++] > 0 ? i : j];
  }
  for (std::size_t c = 1; c < classes.size(); ++c) {
    if (votes[c] > votes[best]) best = c;
  }
  return classes[best];
}

/// What decision_function writes, over a value that it never writes.
inline std::vector<double> decisions(const dcsvm::Model& model, const dcsvm::DataView& x, int threads = 1) {
  std::vector<double> out(dcsvm::rows_of(x) * dcsvm::decision_columns(model), -77.0);
  dcsvm::PredictOptions options;
  options.n_threads = threads;
  dcsvm::decision_function(model, x, out.data(), options);
  return out;
}

}  // namespace twin
