// Shapley values of a product game are integrals (the factor k_j = 1 + e_j, -1 <= e_j <= 0):
//   phi_j = sum_i coef_i e_ij integral_0^1 prod_{l != j} (1 + t e_il) dt,
// since t^|S| (1 - t)^(d - 1 - |S|), integrated, is the weight of the set S. A Gauss-Legendre rule integrates the polynomial.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/require_model.hpp"
#include "data/predict_call.hpp"
#include "data/read.hpp"
#include "dcsvm/explain.hpp"
#include "simd/factors.hpp"
#include "svm/explanation/gauss_rules.hpp"
#include "svm/explanation/pair_coefficients.hpp"
#include "svm/explanation/product_kernel.hpp"
#include "svm/prediction/queries.hpp"

namespace dcsvm {

namespace svm {
namespace {

using simd::kProducts;

/// The entries of a row that are not 0, ascending.
struct Entries {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

/// Rows [first, first + m) of x.
std::vector<Entries> entries_of(const DataView& x, Index first, Index m) {
  std::vector<Entries> rows(m);
  if (const auto* sparse = std::get_if<CsrView>(&x)) {
    const auto copy = data::copy_sparse_rows<double>(*sparse, nullptr, first, m);
    for (Index r = 0; r < m; ++r) {
      rows[r].columns.assign(copy.indices.begin() + copy.indptr[r], copy.indices.begin() + copy.indptr[r + 1]);
      rows[r].values.assign(copy.values.begin() + copy.indptr[r], copy.values.begin() + copy.indptr[r + 1]);
    }
    return rows;
  }
  const Index d = cols_of(x);
  std::vector<double> row(d);
  for (Index r = 0; r < m; ++r) {
    data::copy_rows(x, nullptr, first + r, 1, row.data(), d);
    for (Index j = 0; j < d; ++j) {
      if (row[j] == 0.0) continue;
      rows[r].columns.push_back(static_cast<std::int32_t>(j));
      rows[r].values.push_back(row[j]);
    }
  }
  return rows;
}

/// Up to kProducts support vectors that follow each other, in the columns that one of them has.
struct Block {
  std::vector<std::int32_t> columns;  ///< ascending
  std::vector<double> values;  ///< [k * kProducts + l]: of support vector l in columns[k]; 0 where there is none

  Block(const DataView& points, Index first, Index m) {
    const std::vector<Entries> rows = entries_of(points, first, m);
    for (const Entries& row : rows) columns.insert(columns.end(), row.columns.begin(), row.columns.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    values.assign(columns.size() * kProducts, 0.0);
    for (std::size_t l = 0; l < rows.size(); ++l) {
      std::size_t k = 0;
      for (std::size_t t = 0; t < rows[l].columns.size(); ++t) {
        while (columns[k] != rows[l].columns[t]) ++k;
        values[k * kProducts + l] = rows[l].values[t];
      }
    }
  }
};

/// Queries that share a packed block: packing costs little beside them. Few queries are shared out to kTasks.
constexpr Index kTogether = 16, kTasks = 8;

/// Of one worker.
class Explainer {
 public:
  Explainer(const ModelData& model, const std::vector<Segment>& segments) : model_(model), segments_(segments) {}

  /// Adds to out, m x n_features x pairs, for queries [first, first + m). go_on() is asked now and then; false: stop.
  template <class LogFactor, class GoOn>
  void add(const DataView& x, Index first, Index m, const LogFactor& log_factor, double* out, const GoOn& go_on) {
    const std::vector<Entries> queries = entries_of(x, first, m);
    const Index row = model_.n_features * model_.n_pairs();
    const DataView points = model_.points.view();
    for (const Segment& segment : segments_) {
      for (Index begin = segment.begin; begin < segment.end; begin += kProducts) {
        const Index count = std::min(kProducts, segment.end - begin);
        const Block block(points, begin, count);
        for (Index r = 0; r < m; ++r) {
          if (!go_on()) return;
          differ(queries[r], block, log_factor);
          integrate();
          each_pair(model_, segment,
                    [&](Index pair, const double* coef) { sum_up(coef + (begin - segment.begin), count, out + r * row + pair); });
        }
      }
    }
  }

 private:
  /// The features in which the query differs from a support vector of the block, and their factors - 1.
  template <class LogFactor>
  void differ(const Entries& query, const Block& block, const LogFactor& log_factor) {
    const std::size_t most = query.columns.size() + block.columns.size();
    columns_.clear();
    if (static_cast<Index>(most) * kProducts > factors_.size()) {
      factors_ = base::Buffer<double>(static_cast<Index>(most) * kProducts);
      integrals_ = base::Buffer<double>(static_cast<Index>(most) * kProducts);
      scratch_ = base::Buffer<double>(static_cast<Index>(most) * simd::kFactorScratch);
    }
    const double none[kProducts] = {};
    std::size_t q = 0, b = 0;
    while (q < query.columns.size() || b < block.columns.size()) {
      const bool of_block = b < block.columns.size() && (q == query.columns.size() || block.columns[b] <= query.columns[q]);
      const bool of_query = q < query.columns.size() && (b == block.columns.size() || query.columns[q] <= block.columns[b]);
      const double value = of_query ? query.values[q] : 0.0;
      const double* others = of_block ? block.values.data() + b * kProducts : none;
      double* to = factors_.data() + static_cast<Index>(columns_.size()) * kProducts;
      double lowest = 0.0;
      for (Index l = 0; l < kProducts; ++l) {
        to[l] = log_factor(value - others[l]);
        lowest = std::min(lowest, to[l]);
      }
      if (lowest < 0.0) columns_.push_back(of_block ? block.columns[b] : query.columns[q]);
      q += of_query ? 1 : 0;
      b += of_block ? 1 : 0;
    }
    simd::factor_ops().exp_minus_one(factors_.data(), static_cast<Index>(columns_.size()) * kProducts);
  }

  void integrate() {
    const auto m = static_cast<Index>(columns_.size());
    const GaussRule& rule = rules_.for_factors(m - 1);
    simd::factor_ops().quadrature(factors_.data(), m, rule.nodes.data(), rule.weights.data(),
                                  static_cast<Index>(rule.nodes.size()), scratch_.data(), integrals_.data());
  }

  void sum_up(const double* coef, Index count, double* out) const {
    double padded[kProducts] = {};
    std::copy(coef, coef + count, padded);
    const Index pairs = model_.n_pairs();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const double* of = integrals_.data() + static_cast<Index>(k) * kProducts;
      double sum = 0.0;
      for (Index l = 0; l < kProducts; ++l) sum += padded[l] * of[l];
      out[columns_[k] * pairs] += sum;
    }
  }

  const ModelData& model_;
  const std::vector<Segment>& segments_;
  GaussRules rules_;
  std::vector<std::int32_t> columns_;
  base::Buffer<double> factors_, integrals_, scratch_;  // columns_ x kProducts (x 4)
};

}  // namespace
}  // namespace svm

void explain(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  const svm::ModelData& m = svm::data_for_queries(model, x);
  svm::check_one_model(m, "explain");
  svm::with_log_factor(m.kernel, [&](const auto& log_factor) {
    const Index n = rows_of(x), row = m.n_features * m.n_pairs();
    const std::vector<svm::Segment> segments = svm::segments_of(m, 0, m.expansions.size());
    const double work = static_cast<double>(n) * static_cast<double>(m.support.size()) * static_cast<double>(m.n_features);
    data::run_prediction(x, work, options, [&](base::ThreadPool& pool) {
      std::vector<svm::Explainer> workers;
      workers.reserve(pool.size());
      for (int w = 0; w < pool.size(); ++w) workers.emplace_back(m, segments);
      const Index grain = std::clamp<Index>(n / svm::kTasks, 1, svm::kTogether);
      pool.for_range(n, grain, [&](Index begin, Index end, int worker) {
        std::fill(out + begin * row, out + end * row, 0.0);
        const auto go_on = [&] {
          if (worker == 0) pool.poll();
          return !pool.failed();
        };
        workers[worker].add(x, begin, end - begin, log_factor, out + begin * row, go_on);
      });
    });
  });
}

std::vector<double> explanation_base(const Model& model) {
  const svm::ModelData& m = base::require_model(model.data());
  svm::check_one_model(m, "explain");
  std::vector<double> base = model.rho();
  for (double& value : base) value = 0.0 - value;
  for (const svm::Segment& segment : svm::segments_of(m, 0, m.expansions.size())) {
    svm::each_pair(m, segment, [&](Index pair, const double* coef) {
      for (Index i = 0; i < segment.end - segment.begin; ++i) base[pair] += coef[i];
    });
  }
  return base;
}

}  // namespace dcsvm
