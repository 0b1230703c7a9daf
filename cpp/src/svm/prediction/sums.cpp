#include "svm/prediction/sums.hpp"

#include <algorithm>

#include "base/array_size.hpp"
#include "data/one_vs_one.hpp"
#include "simd/ops.hpp"

namespace dcsvm::svm {

std::vector<Segment> segments_of(const ModelData& model, std::size_t first, std::size_t last) {
  std::vector<Segment> segments;
  Index column = 0;
  for (std::size_t e = first; e < last; ++e) {
    const Expansion& expansion = model.expansions[e];
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

namespace {

/// Columns become rows. in: rows x cols.
std::vector<double> transposed(const std::vector<double>& in, Index rows, Index cols) {
  constexpr Index kLine = 8;  // doubles of a cache line
  std::vector<double> out(in.size());
  for (Index from = 0; from < cols; from += kLine) {
    for (Index r = 0; r < rows; ++r) {
      for (Index c = from; c < std::min(cols, from + kLine); ++c) out[c * rows + r] = in[r * cols + c];
    }
  }
  return out;
}

}  // namespace

template <class T>
Sums<T>::Sums(const ModelData& model, Index rows)
    : model_(model),
      k_(model.n_classes()),
      n_sv_(static_cast<Index>(model.support.size())),
      tile_(static_cast<std::size_t>(rows * kernel_matrix::kPoints)),
      sums_(base::array_size(rows * k_, k_ - 1)) {
  if (n_sv_ >= k_ * (k_ - 1)) return;
  by_vector_ = model.packed.coefficients([&] { return transposed(model.sv_coef, k_ - 1, n_sv_); });
}

template <class T>
void Sums<T>::clear() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

template <class T>
void Sums<T>::add_vectors(const double* coef, Index n, Index count, const std::vector<const T*>& at,
                          const std::vector<double*>& sums) {
  std::vector<double> factors(static_cast<std::size_t>(n));
  std::vector<const double*> rows(static_cast<std::size_t>(n));
  for (Index s = 0; s < n; ++s) rows[s] = coef + s * (k_ - 1);
  for (Index r = 0; r < count; ++r) {
    std::copy_n(at[r], n, factors.begin());
    simd::ops<double>().accumulate(factors.data(), rows.data(), n, 0, k_ - 1, sums[r]);
  }
}

template <class T>
void Sums<T>::add_block(const std::vector<Segment>& segments, const Coefficients& coef, Index begin, Index end,
                        const std::int32_t* which, Index count, const T* const* values) {
  std::vector<const T*> at(static_cast<std::size_t>(count));
  std::vector<double*> sums(static_cast<std::size_t>(count));
  for (const Segment& s : segments) {
    const Index from = std::max(begin, s.begin), to = std::min(end, s.end);
    if (from >= to) continue;
    for (Index r = 0; r < count; ++r) {
      at[r] = values[r] + (from - begin);
      sums[r] = sums_.data() + (which[r] * k_ + s.own) * (k_ - 1);
    }
    const Index first = s.coef + (from - s.begin);
    if (coef.by_vector) {
      add_vectors(coef.values + first * (k_ - 1), to - from, count, at, sums);
    } else {
      simd::ops<T>().dots(at.data(), count, coef.values + first, n_sv_, k_ - 1, to - from, sums.data());
    }
  }
}

template <class T>
void Sums<T>::add(const kernel_matrix::KernelValues<T>& kernel, const std::vector<Segment>& segments, const DataView& queries,
                  Index first, Index m) {
  const Index n = segments.empty() ? 0 : segments.back().end;
  const Coefficients coef{by_vector_ ? by_vector_->data() : model_.sv_coef.data(), by_vector_ != nullptr};
  clear();
  std::int32_t all[kernel_matrix::kQueries];
  const T* values[kernel_matrix::kQueries];
  for (Index r = 0; r < m; ++r) all[r] = static_cast<std::int32_t>(r), values[r] = tile_.data() + r * kernel_matrix::kPoints;
  for (Index begin = 0; begin < n; begin += kernel_matrix::kPoints) {
    const Index end = std::min(n, begin + kernel_matrix::kPoints);
    kernel.block(queries, first, m, begin, end, tile_.data(), kernel_matrix::kPoints);
    add_block(segments, coef, begin, end, all, m, values);
  }
}

template <class T>
void Sums<T>::add(const NearSupport<T>& near, const DataView& queries, Index first, Index m) {
  clear();
  near.kernel->near_blocks(queries, first, m,
                           [&](Index begin, Index end, const std::int32_t* which, Index count, const T* const* values) {
                             add_block(near.segments, {near.coef.data(), false}, begin, end, which, count, values);
                           });
}

template <class T>
double Sums<T>::pair(Index r, Index i, Index j) const {
  const double* sums = sums_.data() + r * k_ * (k_ - 1);
  return sums[i * (k_ - 1) + data::coef_row(i, j)] + sums[j * (k_ - 1) + data::coef_row(j, i)];
}

template class Sums<float>;
template class Sums<double>;

}  // namespace dcsvm::svm
