#include "use_model.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/ldkl.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/predict.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

constexpr Index kQueries = 3, kMostDense = 512, kMostColumns = 20000, kMostValues = 1 << 16;

template <class Call>
void allow_errors(Call&& call) {
  try {
    call();
  } catch (const Error&) {
  }
}

/// Whether a x b values are few enough for every input.
bool small(Index a, Index b) { return b == 0 || a <= kMostValues / b; }

PredictOptions one_thread() {
  PredictOptions options;
  options.n_threads = 1;
  return options;
}

/// The decisions; empty: an error.
template <class M>
std::vector<double> decide(const M& m, const DataView& x) {
  std::vector<double> out(static_cast<std::size_t>(kQueries * decision_columns(m)));
  try {
    decision_function(m, x, out.data(), one_thread());
  } catch (const Error&) {
    out.clear();
  }
  return out;
}

template <class M>
void label(const M& m, const DataView& x) {
  std::vector<double> labels(kQueries);
  allow_errors([&] { predict(m, x, labels.data(), one_thread()); });
}

/// decisions: of x, or empty.
template <class M>
void estimate(const M& m, const DataView& x, const std::vector<double>& decisions) {
  if constexpr (std::is_same_v<M, Model>) {
    if (m.calibration().empty()) return;
    allow_errors([&] {
      std::vector<double> out(static_cast<std::size_t>(kQueries * probability_columns(m))), same(out);
      predict_proba(m, x, out.data(), one_thread());
      expect(!decisions.empty(), "a row has probabilities, but no decisions");
      probabilities(m, decisions.data(), kQueries, same.data());
      expect(std::memcmp(out.data(), same.data(), out.size() * sizeof(double)) == 0, "decisions give other probabilities");
    });
  } else if constexpr (std::is_same_v<M, LsSvmModel> || std::is_same_v<M, LinearModel>) {
    std::vector<double> out(static_cast<std::size_t>(kQueries * std::max<Index>(decision_columns(m), 2)));
    allow_errors([&] { predict_proba(m, x, out.data(), one_thread()); });
  }
}

/// Every function and every form of rows; of their pairs those that differ in more than how a value is read.
template <class M>
void predict_all(const M& m) {
  const Index d = m.n_features(), outputs = decision_columns(m);
  expect(d >= 1, "a model without features");
  expect(outputs >= 0, "a negative number of decisions");
  if (outputs > kMostColumns) return;
  const std::vector<double> values{1, 2, -1, 0.5};
  const std::vector<std::int64_t> columns{0, d - 1, d / 2, 0}, indptr{0, d > 1 ? 2 : 1, d > 1 ? 3 : 2, d > 1 ? 4 : 3};
  const CsrView sparse{values.data(),    ScalarType::float64, columns.data(), indptr.data(),
                       IndexType::int64, IndexType::int64,    kQueries,       d};
  estimate(m, sparse, decide(m, sparse));
  label(m, sparse);
  if (d > kMostDense) return;
  std::vector<double> x(static_cast<std::size_t>(kQueries * d));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 5) - 1.5;
  const std::vector<float> single(x.begin(), x.end());
  decide(m, dense(x.data(), kQueries, d));
  label(m, dense(single.data(), kQueries, d));
}

/// In every way that the model has: its own is one of them.
void predict_all_ways(const Model& m) {
  if (!m.clustered()) return predict_all(m);
  for (const auto how : {LevelPrediction::early, LevelPrediction::naive}) {
    allow_errors([&] { predict_all(m.with_prediction(how)); });
  }
}
template <class M>
void predict_all_ways(const M& m) {
  predict_all(m);
}

void use_own(const Model& m, const std::string& saved) {
  m.report();
  m.n_support_per_class();
  m.support_view();
  const auto k = static_cast<Index>(m.classes().size()), n_sv = static_cast<Index>(m.support().size());
  if (k > 200) return;
  if (small(k * k + 1, m.n_train())) m.alpha();
  if (small(n_sv, m.n_features())) m.support_vectors();
  const std::vector<double> rho = m.rho();
  expect(model_to_bytes(m.with_coefficients(m.sv_coef(), rho)) == saved, "the same coefficients make another model");
  if (!m.clustered()) allow_errors([&] { m.with_prediction(LevelPrediction::early); });
  allow_errors([&] { from_libsvm(parse_libsvm_text(libsvm_text(to_libsvm(m)))); });
}

void use_own(const LowRankModel& m, const std::string& saved) {
  m.report();
  if (small(m.n_landmarks(), m.n_features())) m.landmarks();
  expect(model_to_bytes(m.with_coefficients(m.coef(), m.intercept())) == saved, "the same coefficients make another model");
}

void use_own(const LsSvmModel& m, const std::string&) { m.report(); }

void use_own(const LdklModel& m, const std::string&) {
  m.report();
  const auto cols = static_cast<std::size_t>(m.n_features() + 1), nodes = (std::size_t{2} << m.depth()) - 1;
  const auto trees = static_cast<std::size_t>(decision_columns(m));
  expect(m.w().size() == trees * nodes * cols && m.v().size() == m.w().size(), "vectors of nodes are missing");
  expect(m.theta().size() == trees * (nodes / 2) * cols, "vectors of inner nodes are missing");
  expect(m.cost() > 0, "a prediction without a cost");
}

void use_own(const LinearModel& m, const std::string&) {
  m.report();
  expect(static_cast<Index>(m.w().size()) == (m.n_features() + (m.bias() >= 0 ? 1 : 0)) * m.n_vectors(), "weights are missing");
  make_linear_model(m.solver(), m.classes(), m.n_features(), m.bias(), m.rho(), m.w());
  allow_errors([&] { from_liblinear(parse_liblinear_text(liblinear_text(to_liblinear(m)))); });
}

void use_own(const DcPredModel& m, const std::string&) {
  m.report();
  const Index d = m.n_features();
  if (d > kMostDense) return;
  for (Index leaf = 0; leaf < m.n_leaves(); ++leaf) m.landmarks(leaf);
  if (decision_columns(m) > kMostColumns) return;
  DcPredRow row(m);
  const std::vector<float> x(static_cast<std::size_t>(d), 0.5F);
  std::vector<float> out(static_cast<std::size_t>(decision_columns(m)));
  row.decide(x.data(), out.data());
  row.predict(x.data());
}

}  // namespace

void use(const AnyModel& any, const std::string& saved) {
  std::visit(
      [&](const auto& m) {
        predict_all_ways(m);
        use_own(m, saved);
      },
      any);
  model_to_bytes_without_timings(any);
  expect(model_to_bytes(any_model_from_bytes(saved)) == saved, "a saved model is another one when it is loaded");
}

void use(const AnyModel& any) { use(any, model_to_bytes(any)); }

}  // namespace dcsvm::fuzz
