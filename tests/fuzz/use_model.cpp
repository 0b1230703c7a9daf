#include "use_model.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/predict.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

constexpr Index kRows = 3, kMostDense = 512, kMostColumns = 20000, kMostValues = 1 << 20;

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

template <class M>
void predict_rows(const M& m, const DataView& x) {
  const Index columns = decision_columns(m);
  expect(columns >= 0, "a negative number of decisions");
  if (columns > kMostColumns) return;
  std::vector<double> out(static_cast<std::size_t>(kRows * std::max<Index>(columns, 2))), labels(kRows);
  allow_errors([&] { decision_function(m, x, out.data(), one_thread()); });
  allow_errors([&] { predict(m, x, labels.data(), one_thread()); });
  if constexpr (std::is_same_v<M, Model>) {
    if (m.calibration().empty()) return;
    allow_errors([&] {
      out.resize(static_cast<std::size_t>(kRows * probability_columns(m)));
      predict_proba(m, x, out.data(), one_thread());
    });
  } else if constexpr (std::is_same_v<M, LsSvmModel> || std::is_same_v<M, LinearModel>) {
    allow_errors([&] { predict_proba(m, x, out.data(), one_thread()); });
  }
}

template <class M>
void predict_all(const M& m) {
  const Index d = m.n_features();
  expect(d >= 1, "a model without features");
  if (d <= kMostDense) {
    std::vector<double> x(static_cast<std::size_t>(kRows * d));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 5) - 1.5;
    const std::vector<float> single(x.begin(), x.end());
    predict_rows(m, dense(x.data(), kRows, d));
    predict_rows(m, dense(single.data(), kRows, d));
  }
  const std::vector<double> values{1, 2, -1, 0.5};
  const std::vector<std::int64_t> columns{0, d - 1, d / 2, 0}, indptr{0, d > 1 ? 2 : 1, d > 1 ? 3 : 2, d > 1 ? 4 : 3};
  predict_rows(m, CsrView{values.data(), ScalarType::float64, columns.data(), indptr.data(), IndexType::int64, IndexType::int64,
                          kRows, d});
}

void use_own(const Model& m) {
  m.report();
  m.n_support_per_class();
  m.support_view();
  const auto k = static_cast<Index>(m.classes().size()), n_sv = static_cast<Index>(m.support().size());
  if (k > 200) return;
  if (small(k * k + 1, m.n_train())) m.alpha();
  if (small(n_sv, m.n_features())) m.support_vectors();
  const std::vector<double> rho = m.rho();
  expect(model_to_bytes(m.with_coefficients(m.sv_coef(), rho)) == model_to_bytes(m), "the same coefficients make another model");
  for (const auto how : {LevelPrediction::early, LevelPrediction::naive, LevelPrediction::bcm}) {
    allow_errors([&] { predict_all(m.with_prediction(how)); });
  }
  allow_errors([&] { from_libsvm(parse_libsvm_text(libsvm_text(to_libsvm(m)))); });
}

void use_own(const LowRankModel& m) {
  m.report();
  if (small(m.n_landmarks(), m.n_features())) m.landmarks();
}

void use_own(const LsSvmModel& m) { m.report(); }

void use_own(const LinearModel& m) {
  m.report();
  expect(static_cast<Index>(m.w().size()) == (m.n_features() + (m.bias() >= 0 ? 1 : 0)) * m.n_vectors(), "weights are missing");
}

void use_own(const DcPredModel& m) {
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

void use(const AnyModel& any) {
  std::visit(
      [](const auto& m) {
        predict_all(m);
        use_own(m);
      },
      any);
  const std::string bytes = model_to_bytes(any);
  expect(model_to_bytes(any_model_from_bytes(bytes)) == bytes, "a saved model is another one when it is loaded");
}

}  // namespace dcsvm::fuzz
