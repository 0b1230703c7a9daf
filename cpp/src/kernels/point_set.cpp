#include "kernels/point_set.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernels {

namespace {

constexpr double kSparseBelow = 0.25;   // density; measured crossover of the two tile forms
constexpr Index kChunkBytes = 384 * 1024;
constexpr Index kBlock = 64;  // sparse points whose products are formed together

// Pointers or coefficients, by slot instead of by row.
template <class U, class V>
std::vector<U> by_slot(const StripPlan& plan, const V* by_row) {
  std::vector<U> out(plan.size());
  for (Index s = 0; s < plan.size(); ++s) out[s] = static_cast<U>(by_row[plan.row(s)]);
  return out;
}

// Which of n inner products are of points so near that |x|^2 + |y|^2 - 2xy has lost its digits; how many.
template <class T>
Index near_points(const simd::MapParams<T>& map, T norm, const T* norms, const T* inner, Index n, Index* which) {
  Index found = 0;
  if (!(map.near_below > T(0))) return found;
  for (Index t = 0; t < n; ++t) {
    which[found] = t;
    found += (norms[t] + norm) - T(2) * inner[t] < map.near_below ? 1 : 0;
  }
  return found;
}

}  // namespace

Form choose_form(const DataView& x) {
  const auto* csr = std::get_if<CsrView>(&x);
  if (csr == nullptr) return Form::dense;
  const double density =
      static_cast<double>(data::stored_values(x)) / (static_cast<double>(csr->rows) * static_cast<double>(csr->cols));
  return density < kSparseBelow || csr->cols > SparseGroups<float>::kWidest ? Form::sparse : Form::dense;
}

template <class T>
simd::MapParams<T> map_params(const KernelParams& kernel) {
  return {kernel.type, static_cast<T>(kernel.gamma), static_cast<T>(kernel.coef0), kernel.degree, T(0)};
}

template <class T>
Index tile_grain(Index d, Index n) {
  const Index nr = simd::ops<T>().nr;
  const Index panels = std::clamp<Index>(kChunkBytes / static_cast<Index>(sizeof(T)) / (nr * std::max<Index>(d, 1)), 1, 64);
  // Small sets still give several pieces, but only very small ones pieces of less than kLeast panels: a view whose columns begin
  // inside a panel computes one panel more for each piece.
  constexpr Index kLeast = 4;
  const Index all = (n + nr - 1) / nr, spread = std::max<Index>({1, all / 32, std::min(kLeast, all / 8)});
  return nr * std::min(panels, spread);
}

template <class T>
PointSet<T>::PointSet(const DataView& x, const Index* idx, Index first, Index n, Form form, kernels::Term term,
                      const double* shift, base::ThreadPool& pool, const OnGrid& on)
    : form_(form), n_(n), d_(cols_of(x)) {
  const auto& op = simd::ops<T>();
  if (form == Form::bytes) {
    bytes_ = BytePoints(x, idx, first, n, on, pool);
    norms_ = base::Buffer<T>(n);
    const T scale = static_cast<T>(on.grid.step * on.grid.step);
    for (Index j = 0; j < n; ++j) norms_[j] = static_cast<T>(bytes_.norms[j]) * scale;
    return;
  }
  if (form == Form::sparse) {
    sparse_ = data::copy_sparse_rows<T>(std::get<CsrView>(x), idx, first, n);
    norms_ = base::Buffer<T>(n);
    for (Index j = 0; j < n; ++j) {
      const Index from = sparse_.indptr[j], to = sparse_.indptr[j + 1];
      op.norms(term, sparse_.values.data() + from, to - from, 1, &norms_[j]);
    }
    return;
  }
  const Index width = op.nr;
  panels_ = base::Buffer<T>(round_up(n, width) * d_);
  norms_ = base::Buffer<T>(round_up(n, width));
  pool.for_range(n, packed_at_once(width, d_ * static_cast<Index>(sizeof(T))), [&](Index begin, Index end, int) {
    std::vector<T> rows(width * d_);
    for (Index j = begin; j < end; j += width) {
      const Index m = std::min(width, end - j);
      data::copy_rows(x, idx != nullptr ? idx + j : nullptr, first + j, m, rows.data(), d_, shift);
      T* panel = panels_.data() + j * d_;
      interleave(m, d_, width, panel, [&](Index r) { return rows.data() + r * d_; });
      op.norms(term, panel, d_, width, norms_.data() + j);
    }
  });
}

template <class T>
std::size_t PointSet<T>::bytes() const {
  return panels_.bytes() + norms_.bytes() + bytes_.bytes() + sparse_.values.capacity() * sizeof(T) +
         sparse_.indices.capacity() * sizeof(std::int32_t) + sparse_.indptr.capacity() * sizeof(Index);
}

template <class T>
QuerySet<T>::QuerySet(const DataView& x, const Index* idx, Index first, Index m, Form form, kernels::Term term,
                      const double* shift, base::ThreadPool& pool, const OnGrid& on, Index columns)
    : form_(form), m_(m) {
  if (form == Form::bytes) {
    bytes_ = ByteQueries(x, idx, first, m, on, columns, pool);
    return;
  }
  if (form == Form::sparse) {
    sparse_ = SparseGroups<T>(std::get<CsrView>(x), idx, first, m, term);
    return;
  }
  const auto& op = simd::ops<T>();
  const Index width = op.mr, d = cols_of(x);
  strips_ = base::Buffer<T>(round_up(m, width) * d);
  norms_ = base::Buffer<T>(round_up(m, width));
  plan_ = StripPlan(d, width, columns);
  const auto read = [&](Index begin, Index end, T* rows) {
    data::copy_rows(x, idx != nullptr ? idx + begin : nullptr, first + begin, end - begin, rows, d, shift);
  };
  plan_.pack<T>(m, strips_.data(), pool, read,
                [&](Index begin, Index) { op.norms(term, strips_.data() + begin * d, d, width, norms_.data() + begin); });
}

template <class T>
void kernel_tile(const simd::MapParams<T>& map, const QuerySet<T>& queries, const PointSet<T>& points, Index begin, Index end,
                 T* const* out) {
  if (points.form_ == Form::bytes)
    return byte_tile<T>(map, queries.bytes_, points.bytes_, begin, end, by_slot<T*>(queries.plan(), out).data());
  const auto& op = simd::ops<T>();
  const Index d = points.d_;
  if (points.form_ == Form::dense) {
    op.tile(map, queries.strips(), points.panels_.data() + begin * d, points.norms_.data() + begin, end - begin, d,
            by_slot<T*>(queries.plan(), out).data());
    return;
  }
  const Index w = op.sparse_w;
  base::Buffer<T> inner(kBlock * w);
  // Of near points, whose distances come from differences: -distance / 2 is an inner product of which the map makes the distance
  // when the norms are 0.
  Index near[kBlock];
  T distances[kBlock];
  const T zeros[kBlock] = {};
  for (Index j = begin; j < end; j += kBlock) {
    const Index jn = std::min(kBlock, end - j);
    for (Index r = 0; r < queries.m_; r += w) {
      queries.sparse_.products(r / w, points.sparse_, j, j + jn, inner.data());
      for (Index i = 0, rows = std::min(w, queries.m_ - r); i < rows; ++i) {
        T* row = out[r + i] + (j - begin);
        for (Index t = 0; t < jn; ++t) row[t] = inner[t * w + i];
        const Index found = near_points(map, queries.sparse_.norm(r + i), points.norms_.data() + j, row, jn, near);
        for (Index s = 0; s < found; ++s) distances[s] = T(-0.5) * queries.sparse_.distance(r + i, points.sparse_, j + near[s]);
        op.map_row(map, queries.sparse_.norm(r + i), points.norms_.data() + j, row, jn);
        if (found == 0) continue;
        op.map_row(map, T(0), zeros, distances, found);
        for (Index s = 0; s < found; ++s) row[near[s]] = distances[s];
      }
    }
  }
}

template <class T>
void kernel_tile_sum(const simd::MapParams<T>& map, const QuerySet<T>& queries, const PointSet<T>& points, Index begin, Index end,
                     const double* coef, double* out) {
  const auto rounded = by_slot<T>(queries.plan(), coef);
  if (points.form_ == Form::bytes) return byte_tile_sum<T>(map, queries.bytes_, points.bytes_, begin, end, rounded.data(), out);
  const Index d = points.d_;
  simd::ops<T>().tile_sum(map, queries.strips(), rounded.data(), points.panels_.data() + begin * d, points.norms_.data() + begin,
                          end - begin, d, out);
}

template simd::MapParams<float> map_params<float>(const KernelParams&);
template simd::MapParams<double> map_params<double>(const KernelParams&);
template Index tile_grain<float>(Index, Index);
template Index tile_grain<double>(Index, Index);
template class PointSet<float>;
template class PointSet<double>;
template class QuerySet<float>;
template class QuerySet<double>;
template void kernel_tile<float>(const simd::MapParams<float>&, const QuerySet<float>&, const PointSet<float>&, Index, Index,
                                 float* const*);
template void kernel_tile<double>(const simd::MapParams<double>&, const QuerySet<double>&, const PointSet<double>&, Index, Index,
                                  double* const*);
template void kernel_tile_sum<float>(const simd::MapParams<float>&, const QuerySet<float>&, const PointSet<float>&, Index, Index,
                                     const double*, double*);
template void kernel_tile_sum<double>(const simd::MapParams<double>&, const QuerySet<double>&, const PointSet<double>&, Index,
                                      Index, const double*, double*);

}  // namespace dcsvm::kernels
