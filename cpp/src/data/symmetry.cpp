#include "data/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "data/first_bad.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::data {

namespace {

constexpr Index kBlock = 64;  // rows and columns that are compared together: they and their mirror image stay in L1

class Dense {
 public:
  explicit Dense(const DenseView& x) : x_(x) {}
  double operator()(Index i, Index j) const {
    const Index at = i * x_.row_stride + j * x_.col_stride;
    return x_.scalar == ScalarType::float32 ? static_cast<double>(static_cast<const float*>(x_.data)[at])
                                            : static_cast<const double*>(x_.data)[at];
  }
  /// Calls visit(i, j) for the columns j != i of row i in [begin, end) that must be compared, until it returns true.
  template <class Visit>
  bool any(Index i, Index begin, Index end, const Visit& visit) const {
    for (Index j = std::max(begin, i + 1); j < end; ++j) {
      if (visit(i, j)) return true;
    }
    return false;
  }

 private:
  const DenseView& x_;
};

class Sparse {
 public:
  explicit Sparse(const CsrView& x) : x_(x) {}
  double operator()(Index i, Index j) const {
    const Index end = row_begin(x_, i + 1), at = find(i, j);
    return at < end && column_at(x_, at) == j ? value_at(x_, at) : 0.0;
  }
  /// Stored values on both sides of the diagonal: the mirror image of one may be absent.
  template <class Visit>
  bool any(Index i, Index begin, Index end, const Visit& visit) const {
    for (Index t = find(i, begin), last = row_begin(x_, i + 1); t < last && column_at(x_, t) < end; ++t) {
      if (column_at(x_, t) != i && visit(i, column_at(x_, t))) return true;
    }
    return false;
  }

 private:
  Index find(Index i, Index j) const {
    Index begin = row_begin(x_, i), end = row_begin(x_, i + 1);
    while (begin < end) {
      const Index middle = begin + (end - begin) / 2;
      if (column_at(x_, middle) < j) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
  const CsrView& x_;
};

[[noreturn]] void refuse(Index i, Index j, double a, double b) {
  std::ostringstream text;
  text << "X: a precomputed kernel matrix must be symmetric, but its value at row " << i << ", column " << j << " is " << a
       << " and at row " << j << ", column " << i << " is " << b;
  throw DataError(text.str());
}

template <class Matrix>
void check(const Matrix& k, Index n, base::ThreadPool& pool) {
  std::vector<double> root(n);
  for (Index i = 0; i < n; ++i) root[i] = std::sqrt(std::abs(k(i, i)));
  const auto differ = [&](Index i, Index j) {
    const double a = k(i, j), b = k(j, i), scale = root[i] * root[j];
    return std::abs(a - b) > kAsymmetry * std::max({std::abs(a), std::abs(b), scale});
  };
  const Index bad = first_bad(n, kBlock, pool, [&](Index first, Index last) {
    for (Index begin = 0; begin < n; begin += kBlock) {
      for (Index i = first; i < last; ++i) {
        if (k.any(i, begin, std::min(n, begin + kBlock), differ)) return false;
      }
    }
    return true;
  });
  for (Index i = bad; i < n; ++i) {
    k.any(i, 0, n, [&](Index r, Index c) {
      if (differ(r, c)) refuse(r, c, k(r, c), k(c, r));
      return false;
    });
  }
}

}  // namespace

void check_symmetric(const DataView& x, base::ThreadPool& pool) {
  if (const auto* dense = std::get_if<DenseView>(&x)) {
    check(Dense(*dense), dense->rows, pool);
  } else {
    check(Sparse(std::get<CsrView>(x)), std::get<CsrView>(x).rows, pool);
  }
}

}  // namespace dcsvm::data
