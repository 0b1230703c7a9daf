// How sums are cut, and how many lanes a number of vectors takes.
#include "products/pieces.hpp"

#include "doctest/doctest.h"

using namespace dcsvm;

TEST_CASE("pieces: a block has values enough for its own sums, and there are at most so many blocks") {
  CHECK(products::sum_blocks(0, 10, products::kValuesOfSum) == 1);
  CHECK(products::sum_blocks(1e12, 10, products::kValuesOfSum) == static_cast<Index>(products::kMostSums));
  CHECK(products::sum_blocks(1e3, 0, products::kValuesOfSum) == static_cast<Index>(products::kMostSums));
  for (const double values : {100.0, 5e3, 3e5}) {
    for (const Index entries : {1, 40, 7000}) {
      const Index blocks = products::sum_blocks(values, entries, products::kValuesOfSum);
      CHECK(blocks >= 1);
      if (blocks > 1) CHECK(values >= products::kValuesOfSum * static_cast<double>(blocks * entries));
    }
  }
}

TEST_CASE("pieces: lanes are 4 or whole cache lines, and hold all vectors") {
  for (Index vectors = 1; vectors < 70; ++vectors) {
    const Index of_float = products::lane_width<float>(vectors), of_double = products::lane_width<double>(vectors);
    CHECK(of_float >= vectors);
    CHECK(of_double >= vectors);
    CHECK((vectors <= 4 ? of_float == 4 : of_float % 16 == 0 && of_float < vectors + 16));
    CHECK((vectors <= 4 ? of_double == 4 : of_double % 8 == 0 && of_double < vectors + 8));
  }
}
