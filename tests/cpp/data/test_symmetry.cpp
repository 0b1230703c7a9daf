// check_symmetric names the first pair that differs, for every storage, and lets rounding pass.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "data/symmetry.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using twin::Layout;

namespace {

twin::Matrix gram(Index n, double zeros = 0.0) {
  base::Random random(9);
  twin::Matrix k(static_cast<std::size_t>(n), std::vector<double>(n, 0.0));
  for (Index i = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j) {
      if (i != j && random.uniform() < zeros) continue;
      k[i][j] = k[j][i] = static_cast<double>(static_cast<float>(random.uniform() + (i == j)));
    }
  }
  return k;
}

std::string error(const twin::Matrix& k, Layout layout, ScalarType scalar, int threads = 2) {
  base::ThreadPool pool(threads);
  const twin::Stored x(k, static_cast<Index>(k.size()), layout, scalar);
  try {
    data::check_symmetric(x.view(), pool);
  } catch (const DataError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("symmetry: the first pair that differs is named, wherever it is") {
  for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
    for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
      for (const Index n : {1, 2, 64, 65, 200}) CHECK(error(gram(n), layout, scalar) == "");
      CHECK(error(gram(200, 0.9), layout, scalar) == "");
      for (const auto& [row, column] : {std::pair<Index, Index>{0, 1}, {63, 64}, {3, 199}, {198, 199}, {100, 40}}) {
        auto k = gram(200, 0.5);
        k[row][column] = 7;
        if (layout != Layout::csr) k[199][197] = 7;  // a later one
        const std::string text = error(k, layout, scalar);
        CHECK(text == error(k, layout, scalar, 1));
        const auto names = [&](Index i, Index j) {
          const auto place = [](Index r, Index c) { return "at row " + std::to_string(r) + ", column " + std::to_string(c); };
          return text.find("value " + place(i, j)) != std::string::npos && text.find("and " + place(j, i)) != std::string::npos;
        };
        const Index low = std::min(row, column), high = std::max(row, column);
        const bool first = low < 197 || layout == Layout::csr;
        const Index i = first ? low : 197, j = first ? high : 199;
        CHECK((names(i, j) || (layout == Layout::csr && names(j, i))));
      }
    }
  }
}

TEST_CASE("symmetry: what is stored on one side only, and rounding") {
  auto k = gram(100, 1.0);
  k[80][20] = 0.5;  // nothing at (20, 80)
  CHECK(error(k, Layout::csr, ScalarType::float64).find("value at row 80, column 20 is 0.5") != std::string::npos);
  k = gram(100);
  k[80][20] *= 1 + 1e-6;
  CHECK(error(k, Layout::c, ScalarType::float64) == "");
  k[80][20] *= 1.01;
  CHECK(error(k, Layout::c, ScalarType::float64) != "");
}
