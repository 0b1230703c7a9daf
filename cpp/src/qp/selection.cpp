#include "qp/selection.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace dcsvm::qp {

namespace {

constexpr Index kGrain = 2048;
constexpr Index kCodes = 256;  // one byte

struct Candidate {
  double key;  // larger violates more
  Index position;
};

std::uint64_t spread(Index position) {
  auto z = static_cast<std::uint64_t>(position) * 0x9e3779b97f4a7c15ULL;
  z ^= z >> 29;
  return z * 0xbf58476d1ce4e5b9ULL;
}

bool before(const Candidate& a, const Candidate& b) {
  if (a.key != b.key) return a.key > b.key;
  return spread(a.position) < spread(b.position);
}

// One side; its keys are signed so that a larger key violates more: key in (floor, top]. Codes 1 to kCodes - 1 are parts of that
// range, 0 is for variables that are no violators or are taken.
struct Side {
  double sign, floor, scale;
  double key(double g) const { return sign * g; }
  /// The code of a violator; what it returns for another variable is not used.
  int code(double key) const {
    constexpr auto most = static_cast<double>(kCodes - 2);
    double part = (key - floor) * scale;
    part = part > 0 ? part : 0.0;
    return 1 + static_cast<int>(part < most ? part : most);
  }
};

Side make_side(double sign, double floor, double top) {
  const double width = top - floor;
  return {sign, floor, width > 0 ? static_cast<double>(kCodes - 1) / width : 0.0};
}

using Histogram = std::array<Index, kCodes>;

// Lowest code such that it and those above hold at least `wanted`.
Index threshold(const std::vector<Histogram>& pieces, Index wanted) {
  Index count = 0;
  for (Index b = kCodes - 1; b > 1; --b) {
    for (const auto& h : pieces) count += h[b];
    if (count >= wanted) return b;
  }
  return 1;
}

// Codes of the variables in [begin, end) without a branch for each: which of them violate is hard to guess.
void find_codes(const SelectionInput& in, bool up, const Side& side, const std::uint8_t* taken, Index begin, Index end,
                std::uint8_t* codes) {
  const double* bound = up ? in.hi : in.lo;
  for (Index p = begin; p < end; ++p) {
    const double key = side.key(in.g[p]);
    const bool member = up ? in.beta[p] < bound[p] : in.beta[p] > bound[p];
    const int open = static_cast<int>(member) & static_cast<int>(key > side.floor) & static_cast<int>(taken[p] == 0);
    codes[p] = static_cast<std::uint8_t>(side.code(key) & -open);  // -1 has all bits, so the code stays; 0 clears it
  }
  if (in.group == nullptr) return;
  for (Index p = begin; p < end; ++p) codes[p] = in.group[p] == in.wanted_group ? codes[p] : std::uint8_t{0};
}

// The `wanted` worst of what the pieces found.
std::vector<Candidate> worst(const std::vector<std::vector<Candidate>>& found, Index wanted) {
  std::vector<Candidate> all;
  for (const auto& list : found) all.insert(all.end(), list.begin(), list.end());
  if (static_cast<Index>(all.size()) > wanted) {
    std::nth_element(all.begin(), all.begin() + wanted, all.end(), before);
    all.resize(wanted);
  }
  std::sort(all.begin(), all.end(), before);
  return all;
}

}  // namespace

// A pass that gives each variable a code for either side and counts them, then a pass over the codes alone, which lists the
// variables with codes high enough.
std::vector<Index> select_violators(const SelectionInput& in, Index per_side, const std::vector<std::uint8_t>& taken,
                                    base::ThreadPool& pool) {
  const Side sides[2] = {make_side(1.0, in.up_floor, in.up_top), make_side(-1.0, -in.low_ceiling, -in.low_bottom)};
  const Index pieces = (in.n + kGrain - 1) / kGrain;
  const auto end_of = [&](Index c) { return std::min(in.n, (c + 1) * kGrain); };
  const std::unique_ptr<std::uint8_t[]> codes[2] = {std::unique_ptr<std::uint8_t[]>(new std::uint8_t[in.n]),
                                                    std::unique_ptr<std::uint8_t[]>(new std::uint8_t[in.n])};
  std::vector<Histogram> counts[2];
  std::vector<std::vector<Candidate>> found[2];
  for (auto& c : counts) c.resize(pieces);
  for (auto& f : found) f.resize(pieces);
  pool.for_each(pieces, [&](Index c, int) {
    for (int s = 0; s < 2; ++s) {
      find_codes(in, s == 0, sides[s], taken.data(), c * kGrain, end_of(c), codes[s].get());
      std::array<std::array<std::uint32_t, kCodes>, 2> parts{};  // an increment waits for the one before it of the same counter
      for (Index p = c * kGrain; p < end_of(c); ++p) ++parts[p % 2][codes[s][p]];
      for (Index b = 0; b < kCodes; ++b) counts[s][c][b] = static_cast<Index>(parts[0][b]) + static_cast<Index>(parts[1][b]);
    }
  });
  const Index lowest[2] = {threshold(counts[0], per_side), threshold(counts[1], per_side)};
  pool.for_each(pieces, [&](Index c, int) {
    for (int s = 0; s < 2; ++s) {
      const auto least = static_cast<std::uint8_t>(lowest[s]);
      for (Index p = c * kGrain; p < end_of(c); ++p) {
        if (codes[s][p] >= least) found[s][c].push_back({sides[s].key(in.g[p]), p});
      }
    }
  });
  std::vector<Candidate> best[2];
  pool.for_each(2, [&](Index s, int) { best[s] = worst(found[s], per_side); });
  const auto &up = best[0], &low = best[1];
  std::vector<Index> chosen;
  chosen.reserve(up.size() + low.size());
  for (const auto& c : up) chosen.push_back(c.position);
  std::vector<Index> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  for (const auto& c : low) {
    if (!std::binary_search(sorted.begin(), sorted.end(), c.position)) chosen.push_back(c.position);
  }
  return chosen;
}

}  // namespace dcsvm::qp
