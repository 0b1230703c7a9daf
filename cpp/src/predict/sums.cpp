#include "predict/sums.hpp"

#include <algorithm>

#include "models/pairs.hpp"
#include "simd/ops.hpp"

namespace dcsvm::prediction {

namespace {
std::size_t at(Index i) { return static_cast<std::size_t>(i); }
}  // namespace

std::vector<Segment> segments_of(const models::ModelData& model, std::size_t first, std::size_t last) {
  std::vector<Segment> segments;
  Index column = 0;
  for (std::size_t e = first; e < last; ++e) {
    const models::Expansion& expansion = model.expansions[e];
    Index coef = expansion.first_sv;
    for (std::size_t c = 0; c < expansion.classes.size(); ++c) {
      const Index n = expansion.n_sv[c];
      if (n > 0) segments.push_back({column, column + n, coef, expansion.classes[c]});
      column += n;
      coef += n;
    }
  }
  return segments;
}

template <class T>
Sums<T>::Sums(const models::ModelData& model)
    : model_(model),
      k_(model.n_classes()),
      n_sv_(static_cast<Index>(model.support.size())),
      tile_(at(kQueries * kPoints)),
      sums_(at(kQueries * k_ * (k_ - 1))) {}

template <class T>
void Sums<T>::clear() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

template <class T>
void Sums<T>::add(const KernelValues<T>& kernel, const std::vector<Segment>& segments, const DataView& queries, Index first,
                  Index m) {
  const auto dot = simd::ops<T>().dot;
  const Index n = segments.empty() ? 0 : segments.back().end;
  clear();
  for (Index begin = 0; begin < n; begin += kPoints) {
    const Index end = std::min(n, begin + kPoints);
    kernel.block(queries, first, m, begin, end, tile_.data(), kPoints);
    for (const Segment& s : segments) {
      const Index from = std::max(begin, s.begin), to = std::min(end, s.end);
      if (from >= to) continue;
      for (Index t = 0; t < k_ - 1; ++t) {
        const double* coef = model_.sv_coef.data() + t * n_sv_ + s.coef + (from - s.begin);
        double* sum = sums_.data() + s.own * (k_ - 1) + t;
        for (Index r = 0; r < m; ++r) sum[r * k_ * (k_ - 1)] += dot(tile_.data() + r * kPoints + (from - begin), coef, to - from);
      }
    }
  }
}

template <class T>
double Sums<T>::pair(Index r, Index i, Index j) const {
  const double* sums = sums_.data() + r * k_ * (k_ - 1);
  return sums[i * (k_ - 1) + models::coef_row(i, j)] + sums[j * (k_ - 1) + models::coef_row(j, i)];
}

template class Sums<float>;
template class Sums<double>;

}  // namespace dcsvm::prediction
