#include "svm/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/read.hpp"
#include "dcsvm/parameters.hpp"
#include "files/text_writer.hpp"
#include "kernels/kernel_traits.hpp"
#include "qp/solver.hpp"

namespace dcsvm::svm {

namespace {

constexpr double kMostScales = 1e4;   // ratio of two features' ranges, above which a kernel hardly sees the smaller one
constexpr double kMostSpreads = 1e4;  // distance of the rows' mean from 0, in multiples of their spread
constexpr Index kRows = 1000;         // that are looked at, at least (where there are as many)

/// The smallest and largest value, the mean and the spread of one column.
struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  double mean = 0, squares = 0;  // squares: sum (v - mean)^2, Welford's

  double span() const { return most - least; }
  void add(double v, double count) {
    least = std::min(least, v);
    most = std::max(most, v);
    const double old = v - mean;
    mean += old / count;
    squares += old * (v - mean);
  }
};

/// Each column's range over some rows, and the number of these rows.
struct Sample {
  std::vector<Range> ranges;
  double count = 0;
};

Sample sample_of(const DataView& x) {
  Sample sample{std::vector<Range>(static_cast<std::size_t>(cols_of(x)))};
  std::vector<double> row(sample.ranges.size());
  for (Index i = 0; i < rows_of(x); i += std::max<Index>(1, rows_of(x) / kRows)) {
    data::copy_rows(x, nullptr, i, 1, row.data(), cols_of(x));
    sample.count += 1;
    for (std::size_t k = 0; k < row.size(); ++k) sample.ranges[k].add(row[k], sample.count);
  }
  return sample;
}

/// The power of ten below a number > 0. Texts with measured digits would differ from fold to fold, and Python shows equal ones
/// once.
double power_of_ten(double value) { return std::pow(10.0, std::floor(std::log10(value))); }

std::optional<Warning> scale_warning(const std::vector<Range>& ranges) {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const Range& r : ranges) {
    if (r.span() <= 0) continue;
    largest = std::max(largest, r.span());
    smallest = std::min(smallest, r.span());
  }
  if (largest / kMostScales <= smallest) return {};
  // Of columns that are about as wide, the first, whichever of them happens to be the widest in these rows.
  const auto wide = [&](const Range& r) { return r.span() >= largest / 2; };
  const auto narrow = [&](const Range& r) { return r.span() > 0 && r.span() / 2 <= smallest; };
  files::TextWriter text;
  text.word("features differ in scale by a factor of ").number(power_of_ten(largest / smallest), 2).word(" or more: column ");
  text.number(std::find_if(ranges.begin(), ranges.end(), wide) - ranges.begin()).word(" is wide, column ");
  text.number(std::find_if(ranges.begin(), ranges.end(), narrow) - ranges.begin());
  return Warning{"scale",
                 text.word(" narrow. A kernel hardly sees the narrow ones; scale the features to similar ranges first").take()};
}

/// Inner products lose the digits that tell rows apart when features are far from 0.
std::optional<Warning> offset_warning(const Sample& sample, KernelType kernel) {
  double distance = 0, spread = 0;
  for (const Range& r : sample.ranges) {
    distance = std::hypot(distance, r.mean);
    spread += r.squares / sample.count;
  }
  spread = std::sqrt(spread);
  if (!(spread > 0 && distance > kMostSpreads * spread)) return {};
  files::TextWriter text;
  text.word("X is ").number(power_of_ten(distance / spread), 2).word(" times its spread or more away from 0, at which the ");
  text.word(name_of(kernel));
  return Warning{"offset", text.word(" kernel loses most of the digits that tell rows apart: centre the features").take()};
}

}  // namespace

std::vector<Warning> data_warnings(const DataView& x, KernelType kernel) {
  std::vector<Warning> found;
  if (kernel == KernelType::precomputed || data::stored_values(x) < rows_of(x) * cols_of(x) / 2) return found;
  const Sample sample = sample_of(x);
  if (auto warning = scale_warning(sample.ranges)) found.push_back(std::move(*warning));
  if (kernels::takes_distance(kernel)) return found;
  if (auto warning = offset_warning(sample, kernel)) found.push_back(std::move(*warning));
  return found;
}

std::optional<Warning> margin_warning(const std::vector<ProblemReport>& problems, double tol) {
  const auto least = std::min_element(problems.begin(), problems.end(),
                                      [](const ProblemReport& a, const ProblemReport& b) { return a.r - a.tol < b.r - b.tol; });
  if (least == problems.end() || least->r > least->tol) return {};
  files::TextWriter text;
  text.word("the margin r of nu_svc is not above tol=").number(std::max(tol, least->tol), 6);
  return Warning{"margin", text.word(": no function separates the classes with a margin at this nu, and decision values mean "
                                     "little. Choose a larger nu, another kernel or another gamma")
                               .take()};
}

std::optional<Warning> tolerance_warning(double relative_gap, double tol) {
  constexpr double kSmall = 1e-6;  // whatever tol is
  if (!(relative_gap > kSmall)) return {};
  files::TextWriter text;
  text.word("tol=").number(tol, 6).word(" is not small beside this solution: what is left to gain is ");
  text.number(power_of_ten(relative_gap), 2);
  return Warning{"tolerance",
                 text.word(" or more of what the training gained. Lower tol, or multiply the weights, targets or features by a "
                           "number that brings them near 1")
                     .take()};
}

}  // namespace dcsvm::svm
