// Exact prediction that leaves out far support vectors, as training does (ARCHITECTURE.md, "Regions").
#include <cmath>
#include <numeric>
#include <type_traits>

#include "base/context.hpp"
#include "clustering/clustering_kernel.hpp"
#include "data/spatial_order.hpp"
#include "kernels/regions.hpp"
#include "svm/prediction/sums.hpp"

namespace dcsvm::svm {

namespace {

constexpr Index kSupportFrom = 4096;  // support vectors: below, telling far from near saves little
constexpr Index kQueriesFrom = 2048;  // queries: below, ordering the support vectors costs more than it saves
constexpr double kFarShare = 0.25;    // of pairs of support vectors
/// The most that may be missing from a decision value: of the size of its rounding.
template <class T>
constexpr double kLeftOut = std::is_same_v<T, float> ? 1e-6 : 1e-12;

DataView rows_between(const DenseView& x, Index begin, Index end) {
  DenseView part = x;
  const Index offset = begin * x.row_stride;
  part.data = x.scalar == ScalarType::float32 ? static_cast<const void*>(static_cast<const float*>(x.data) + offset)
                                              : static_cast<const void*>(static_cast<const double*>(x.data) + offset);
  part.rows = end - begin;
  return part;
}

}  // namespace

template <class T>
std::unique_ptr<NearSupport<T>> near_support(const ModelData& model, Index n_queries, base::ThreadPool& pool) {
  const auto n = static_cast<Index>(model.support.size());
  if (model.kernel.type != KernelType::rbf || model.points.sparse || n < kSupportFrom || n_queries < kQueriesFrom) return nullptr;
  double sum = 0.0;
  for (const double c : model.sv_coef) sum += std::abs(c);
  const double negligible = kLeftOut<T> / sum;
  const DataView points = model.points.view();
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 24;  // for the few sampled points
  const auto sampled = kernel_matrix::make_kernel_rows<T>(points, model.kernel, pool);
  if (!(sum > 0.0) || clustering::share_below(*sampled, negligible, context) < kFarShare) return nullptr;

  auto near = std::make_unique<NearSupport<T>>();
  near->segments = segments_of(model, 0, model.expansions.size());
  std::vector<Index> order;
  for (Segment& s : near->segments) {
    for (const Index i : data::spatial_order(rows_between(std::get<DenseView>(points), s.coef, s.coef + (s.end - s.begin)),
                                             kernels::region_size<T>(), pool)) {
      order.push_back(s.coef + i);
    }
    s.coef = s.begin;
  }
  near->kernel = kernel_matrix::make_near_kernel<T>(points, order.data(), n, model.kernel, negligible, pool);
  if (near->kernel->region_size() == 0) return nullptr;
  const Index k = model.n_classes();
  near->coef.reserve((k - 1) * n);
  for (Index t = 0; t < k - 1; ++t) {
    for (const Index i : order) near->coef.push_back(model.sv_coef[t * n + i]);
  }
  return near;
}

template std::unique_ptr<NearSupport<float>> near_support<float>(const ModelData&, Index, base::ThreadPool&);
template std::unique_ptr<NearSupport<double>> near_support<double>(const ModelData&, Index, base::ThreadPool&);

}  // namespace dcsvm::svm
