#include "clustering/kmeans.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "clustering/balance_bound.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "rows/kernel_rows.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kPerCluster = 32;
constexpr int kCandidates = 3;
constexpr Index kGrain = 512;
constexpr int kBalanceRounds = 3;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Rows of the caller's data, or of a dense or sparse copy, all moved by -shift (dense only).
class Points {
 public:
  Points(const DataView& x, const std::vector<Index>& idx, const std::vector<double>& shift) {
    const Index m = static_cast<Index>(idx.size()), d = cols_of(x);
    if (const auto* csr = std::get_if<CsrView>(&x)) {
      sparse_ = data::copy_sparse_rows<float>(*csr, idx.data(), 0, m);
      indptr_.assign(sparse_.indptr.begin(), sparse_.indptr.end());
      view_ = CsrView{sparse_.values.data(),
                      ScalarType::float32,
                      sparse_.indices.data(),
                      indptr_.data(),
                      IndexType::int32,
                      IndexType::int64,
                      m,
                      d};
    } else {
      dense_.resize(at(m * d));
      data::copy_rows(x, idx.data(), 0, m, dense_.data(), d, shift.data());
      view_ = dense(dense_.data(), m, d);
    }
    norms_.assign(at(m), 0.0);
    for (Index i = 0; i < m; ++i) {
      each(i, [&](Index, double v) { norms_[at(i)] += v * v; });
    }
  }
  Index size() const { return rows_of(view_); }
  Index cols() const { return cols_of(view_); }
  const DataView& view() const { return view_; }
  double norm(Index i) const { return norms_[at(i)]; }
  template <class F>
  void each(Index i, F&& fn) const {
    if (std::holds_alternative<CsrView>(view_)) {
      for (Index t = sparse_.indptr[at(i)]; t < sparse_.indptr[at(i + 1)]; ++t) {
        fn(static_cast<Index>(sparse_.indices[at(t)]), static_cast<double>(sparse_.values[at(t)]));
      }
    } else {
      for (Index j = 0; j < cols(); ++j) fn(j, static_cast<double>(dense_[at(i * cols() + j)]));
    }
  }

 private:
  DataView view_;
  std::vector<float> dense_;
  data::SparseRows<float> sparse_;
  std::vector<std::int64_t> indptr_;
  std::vector<double> norms_;
};

struct Centres {
  Index cols = 0;
  std::vector<double> values;  ///< size() x cols, moved by -shift

  Index size() const { return cols == 0 ? 0 : static_cast<Index>(values.size()) / cols; }
};

/// Nearest-centre search by products with all centres: |x - c|^2 - |x|^2 = |c|^2 - 2 x'c.
class Nearest {
 public:
  Nearest(const Centres& centres, bool sparse)
      : k_(centres.size()), d_(centres.cols), values_(centres.values.size()), half_norm_(at(k_)) {
    for (Index c = 0; c < k_; ++c) {
      double s = 0.0;
      for (Index j = 0; j < d_; ++j) {
        const float v = static_cast<float>(centres.values[at(c * d_ + j)]);
        values_[at(sparse ? j * k_ + c : c * d_ + j)] = v;
        s += static_cast<double>(v) * static_cast<double>(v);
      }
      half_norm_[at(c)] = s / 2.0;
    }
    if (sparse) return;
    KernelParams linear;
    linear.type = KernelType::linear;
    product_ = rows::make_cross_kernel<float>(dense(values_.data(), k_, d_), nullptr, k_, linear);
  }
  /// Clusters of rows [first, first + m) of a dense view (moved) or sparse one, and |x - c|^2 - |x|^2 into gain when not null.
  void search(const DataView& x, Index first, Index m, std::int32_t* out, double* gain) const {
    std::vector<float> tile(at(m * k_), 0.0F);
    if (const auto* csr = std::get_if<CsrView>(&x)) {
      sparse_products(*csr, first, m, tile.data());
    } else {
      product_->block(x, first, m, 0, k_, tile.data(), k_);
    }
    for (Index r = 0; r < m; ++r) {
      const float* dot = tile.data() + r * k_;
      Index best = 0;
      double score = half_norm_[0] - static_cast<double>(dot[0]);
      for (Index c = 1; c < k_; ++c) {
        const double s = half_norm_[at(c)] - static_cast<double>(dot[c]);
        if (s < score) {
          score = s;
          best = c;
        }
      }
      out[r] = static_cast<std::int32_t>(best);
      if (gain != nullptr) gain[r] = 2.0 * score;
    }
  }

 private:
  /// Every stored entry meets the k centres' values of its column, which lie side by side.
  void sparse_products(const CsrView& x, Index first, Index m, float* out) const {
    for (Index r = 0; r < m; ++r) {
      float* dot = out + r * k_;
      for (Index t = data::row_begin(x, first + r), end = data::row_begin(x, first + r + 1); t < end; ++t) {
        const float v = static_cast<float>(data::value_at(x, t));
        const float* column = values_.data() + data::column_at(x, t) * k_;
        for (Index c = 0; c < k_; ++c) dot[c] += v * column[c];
      }
    }
  }

  Index k_, d_;
  std::vector<float> values_;
  std::vector<double> half_norm_;
  std::unique_ptr<rows::CrossKernel<float>> product_;
};

void add_centre(const Points& points, Index i, Centres& centres) {
  const std::size_t begin = centres.values.size();
  centres.values.resize(begin + at(points.cols()), 0.0);
  points.each(i, [&](Index j, double v) { centres.values[begin + at(j)] = v; });
}

/// Squared distances of all points to point i; rounding noise counts as 0.
std::vector<double> distances_to(const Points& points, Index i, base::Context& context) {
  Centres one;
  one.cols = points.cols();
  add_centre(points, i, one);
  const Nearest nearest(one, std::holds_alternative<CsrView>(points.view()));
  std::vector<double> d(at(points.size()));
  context.pool->for_range(points.size(), kGrain, [&](Index begin, Index end, int) {
    std::vector<std::int32_t> ignored(at(end - begin));
    nearest.search(points.view(), begin, end - begin, ignored.data(), d.data() + begin);
    for (Index r = begin; r < end; ++r) {
      const double v = d[at(r)] + points.norm(r);
      d[at(r)] = v > 1e-6 * (points.norm(r) + points.norm(i)) ? v : 0.0;
    }
  });
  return d;
}

Index draw_by_weight(const std::vector<double>& weight, double total, base::Random& random) {
  double left = random.uniform() * total;
  Index last = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] <= 0.0) continue;
    last = static_cast<Index>(i);
    left -= weight[i];
    if (left < 0.0) break;
  }
  return last;
}

/// k-means++ (Arthur, Vassilvitskii 2007), each seed the best of a few candidates.
Centres choose_seeds(const Points& points, Index clusters, base::Random& random, base::Context& context) {
  Centres centres;
  centres.cols = points.cols();
  const Index start = random.below(points.size());
  add_centre(points, start, centres);
  std::vector<double> nearest = distances_to(points, start, context);
  while (centres.size() < clusters) {
    const double total = std::accumulate(nearest.begin(), nearest.end(), 0.0);
    if (!(total > 0.0)) break;
    double best_total = std::numeric_limits<double>::infinity();
    Index chosen = -1;
    std::vector<double> best;
    for (int t = 0; t < kCandidates; ++t) {
      const Index candidate = draw_by_weight(nearest, total, random);
      std::vector<double> d = distances_to(points, candidate, context);
      for (std::size_t i = 0; i < d.size(); ++i) d[i] = std::min(d[i], nearest[i]);
      const double sum = std::accumulate(d.begin(), d.end(), 0.0);
      if (sum < best_total) {
        best_total = sum;
        chosen = candidate;
        best = std::move(d);
      }
    }
    if (chosen < 0) break;
    add_centre(points, chosen, centres);
    nearest = std::move(best);
  }
  return centres;
}

std::vector<std::int32_t> assign(const DataView& x, const std::vector<double>& shift, const Centres& centres,
                                 base::Context& context) {
  const bool sparse = std::holds_alternative<CsrView>(x);
  const Index n = rows_of(x), d = cols_of(x);
  const Nearest nearest(centres, sparse);
  std::vector<std::int32_t> assignment(at(n));
  context.pool->for_range(n, kGrain, [&](Index begin, Index end, int) {
    if (sparse) {
      nearest.search(x, begin, end - begin, assignment.data() + begin, nullptr);
      return;
    }
    std::vector<float> moved(at((end - begin) * d));
    data::copy_rows(x, nullptr, begin, end - begin, moved.data(), d, shift.data());
    nearest.search(dense(moved.data(), end - begin, d), 0, end - begin, assignment.data() + begin, nullptr);
  });
  return assignment;
}

/// Means of the points of each cluster; clusters without points vanish.
Centres means(const Points& points, const std::vector<std::int32_t>& member, Index k) {
  std::vector<double> sums(at(k * points.cols()), 0.0);
  std::vector<Index> count(at(k), 0);
  for (Index i = 0; i < points.size(); ++i) {
    double* sum = sums.data() + member[at(i)] * points.cols();
    points.each(i, [&](Index j, double v) { sum[j] += v; });
    ++count[at(member[at(i)])];
  }
  Centres centres;
  centres.cols = points.cols();
  for (Index c = 0; c < k; ++c) {
    if (count[at(c)] == 0) continue;
    for (Index j = 0; j < points.cols(); ++j) {
      centres.values.push_back(sums[at(c * points.cols() + j)] / static_cast<double>(count[at(c)]));
    }
  }
  return centres;
}

Centres fit(const Points& points, Index clusters, int max_iterations, base::Random& random, base::Context& context) {
  Centres centres = choose_seeds(points, clusters, random, context);
  std::vector<std::int32_t> member, next(at(points.size()));
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Nearest nearest(centres, std::holds_alternative<CsrView>(points.view()));
    context.pool->for_range(points.size(), kGrain, [&](Index begin, Index end, int) {
      nearest.search(points.view(), begin, end - begin, next.data() + begin, nullptr);
    });
    if (next == member) break;
    member = next;
    const Index before = centres.size();
    centres = means(points, member, before);
    if (centres.size() < before) member.clear();  // numbers changed
  }
  return centres;
}

std::vector<Index> count_members(const std::vector<std::int32_t>& assignment, Index clusters) {
  std::vector<Index> count(at(clusters), 0);
  for (const std::int32_t c : assignment) ++count[at(c)];
  return count;
}

double sum_of_squares(const std::vector<Index>& sizes) {
  return std::inner_product(
      sizes.begin(), sizes.end(), sizes.begin(), 0.0, [](double a, double b) { return a + b; },
      [](Index a, Index b) { return static_cast<double>(a) * static_cast<double>(b); });
}

Centres keep_largest(const Centres& centres, const std::vector<Index>& sizes, Index keep) {
  std::vector<Index> order(sizes.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sizes[at(a)] > sizes[at(b)]; });
  order.resize(at(std::min<Index>(keep, centres.size())));
  std::sort(order.begin(), order.end());
  Centres kept;
  kept.cols = centres.cols;
  for (const Index c : order) {
    const auto row = centres.values.begin() + c * centres.cols;
    if (sizes[at(c)] > 0) kept.values.insert(kept.values.end(), row, row + centres.cols);
  }
  return kept;
}

/// One clustering in progress.
struct Job {
  const DataView& x;
  const std::vector<Index>& population;
  const KMeansOptions& options;
  const std::vector<double>& shift;
  base::Random& random;
  base::Context& context;
  Index sample_size;
};

/// Oversize clusters are replaced by centres found among their own members.
Centres split_oversize(const Job& job, const Centres& centres, const std::vector<std::int32_t>& member,
                       const std::vector<Index>& sizes) {
  const Index n = rows_of(job.x), k = job.options.clusters, bound = balance_bound(n, k);
  Centres next;
  next.cols = centres.cols;
  for (Index c = 0; c < centres.size(); ++c) {
    Centres parts;
    if (sizes[at(c)] > bound) {
      std::vector<Index> inside;
      for (const Index i : job.population) {
        if (member[at(i)] == c) inside.push_back(i);
      }
      const Index count = std::min<Index>(k, (sizes[at(c)] * k + n - 1) / n);
      const Points points(job.x, base::sample(inside, std::max(kPerCluster * count, job.sample_size / 8), job.random), job.shift);
      if (points.size() > 1) parts = fit(points, count, job.options.max_iterations, job.random, job.context);
    }
    const auto row = centres.values.begin() + c * centres.cols;
    if (parts.size() > 1) {
      next.values.insert(next.values.end(), parts.values.begin(), parts.values.end());
    } else {
      next.values.insert(next.values.end(), row, row + centres.cols);
    }
  }
  return next;
}

void balance(const Job& job, Centres& centres, std::vector<std::int32_t>& assignment) {
  const Index n = rows_of(job.x), k = job.options.clusters, bound = balance_bound(n, k);
  Centres current = centres;
  std::vector<std::int32_t> member = assignment;
  std::vector<Index> sizes = count_members(member, current.size());
  double best = sum_of_squares(sizes);
  for (int round = 0; round < kBalanceRounds && *std::max_element(sizes.begin(), sizes.end()) > bound; ++round) {
    current = split_oversize(job, current, member, sizes);
    member = assign(job.x, job.shift, current, job.context);
    current = keep_largest(current, count_members(member, current.size()), k);
    member = assign(job.x, job.shift, current, job.context);
    sizes = count_members(member, current.size());
    if (sum_of_squares(sizes) < best) {
      best = sum_of_squares(sizes);
      centres = current;
      assignment = member;
    }
  }
}

std::vector<double> mean_of(const DataView& x, const std::vector<Index>& rows) {
  std::vector<double> mean(at(cols_of(x)), 0.0);
  if (std::holds_alternative<CsrView>(x)) return mean;  // a moved sparse row would be dense
  for (const Index i : rows) data::column_sums(x, i, i + 1, mean.data(), nullptr);
  for (double& v : mean) v /= static_cast<double>(rows.size());
  return mean;
}

}  // namespace

Partition kmeans(const DataView& x, const std::vector<Index>& population, const KMeansOptions& options, base::Context& context) {
  if (options.clusters < 1) throw ParameterError("clusters must be >= 1, got " + std::to_string(options.clusters));
  Partition part;
  part.cols = cols_of(x);
  const Index n = rows_of(x);
  if (n == 0) return part;
  std::vector<Index> from = population;
  if (from.empty()) {
    from.resize(at(n));
    std::iota(from.begin(), from.end(), Index{0});
  }
  base::Random random(context.seed);
  const Index m = std::max(options.sample_size, kPerCluster * options.clusters);
  const std::vector<Index> chosen = base::sample(from, m, random);
  const std::vector<double> shift = mean_of(x, chosen);
  Centres centres = fit(Points(x, chosen, shift), options.clusters, options.max_iterations, random, context);
  part.assignment = assign(x, shift, centres, context);
  if (options.balance && centres.size() > 1) {
    balance({x, from, options, shift, random, context, m}, centres, part.assignment);
  }
  const std::vector<Index> sizes = count_members(part.assignment, centres.size());
  std::vector<std::int32_t> number(sizes.size(), 0);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    number[c] = static_cast<std::int32_t>(part.clusters++);
    part.sizes.push_back(sizes[c]);
    for (Index j = 0; j < part.cols; ++j) part.centres.push_back(centres.values[c * at(part.cols) + at(j)] + shift[at(j)]);
  }
  for (std::int32_t& c : part.assignment) c = number[at(c)];
  return part;
}

}  // namespace dcsvm::clustering
