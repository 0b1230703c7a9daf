#include "qp/selection.hpp"

#include <algorithm>
#include <array>

namespace dcsvm::qp {

namespace {

constexpr Index kGrain = 8192;
constexpr Index kBuckets = 256;

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

// One side; its keys are signed so that a larger key violates more: key in (floor, top].
struct Side {
  double floor, top, scale;
  Index bucket(double key) const { return std::clamp<Index>(static_cast<Index>((key - floor) * scale), 0, kBuckets - 1); }
};

Side make_side(double floor, double top) {
  const double width = top - floor;
  return {floor, top, width > 0 ? static_cast<double>(kBuckets) / width : 0.0};
}

using Histogram = std::array<Index, kBuckets>;

// Lowest bucket such that it and those above hold at least `wanted`.
Index threshold(const std::vector<Histogram>& pieces, Index wanted) {
  Index count = 0;
  for (Index b = kBuckets - 1; b > 0; --b) {
    for (const auto& h : pieces) count += h[b];
    if (count >= wanted) return b;
  }
  return 0;
}

// Calls fn(key, position) for the untaken violators of one side in [begin, end).
template <class Fn>
void each_violator(const SelectionInput& in, bool up, const Side& side, const std::vector<std::uint8_t>& taken, Index begin,
                   Index end, Fn&& fn) {
  for (Index p = begin; p < end; ++p) {
    const bool member = up ? in.beta[p] < in.hi[p] : in.beta[p] > in.lo[p];
    const double key = up ? in.g[p] : -in.g[p];
    if (!member || !(key > side.floor) || taken[p] != 0) continue;
    if (in.group == nullptr || in.group[p] == in.wanted_group) fn(key, p);
  }
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

// Two passes, both sides in each while a piece is in cache: count keys by bucket, then list those of the buckets that hold
// enough.
std::vector<Index> select_violators(const SelectionInput& in, Index per_side, const std::vector<std::uint8_t>& taken,
                                    base::ThreadPool& pool) {
  const Side sides[2] = {make_side(in.up_floor, in.up_top), make_side(-in.low_ceiling, -in.low_bottom)};
  const Index pieces = (in.n + kGrain - 1) / kGrain;
  const auto end_of = [&](Index c) { return std::min(in.n, (c + 1) * kGrain); };
  std::vector<Histogram> counts[2];
  std::vector<std::vector<Candidate>> found[2];
  for (auto& c : counts) c.resize(pieces);
  for (auto& f : found) f.resize(pieces);
  pool.for_each(pieces, [&](Index c, int) {
    for (int s = 0; s < 2; ++s) {
      auto& h = counts[s][c];
      h.fill(0);
      each_violator(in, s == 0, sides[s], taken, c * kGrain, end_of(c), [&](double key, Index) { ++h[sides[s].bucket(key)]; });
    }
  });
  const Index lowest[2] = {threshold(counts[0], per_side), threshold(counts[1], per_side)};
  pool.for_each(pieces, [&](Index c, int) {
    for (int s = 0; s < 2; ++s) {
      each_violator(in, s == 0, sides[s], taken, c * kGrain, end_of(c), [&](double key, Index p) {
        if (sides[s].bucket(key) >= lowest[s]) found[s][c].push_back({key, p});
      });
    }
  });
  const auto up = worst(found[0], per_side), low = worst(found[1], per_side);
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
