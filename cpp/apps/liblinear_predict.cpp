// liblinear-predict: LIBLINEAR's command `predict` over dcsvm.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "common/predict_command.hpp"
#include "dcsvm/liblinear/linear_extra.h"

namespace {

constexpr app::Help kHelp{R"(Usage: liblinear-predict [options] test_file model_file output_file
options:
-b probability_estimates : write probability estimates, 0 or 1 (default 0); for logistic regression
-q : quiet
)",
                          "unknown option"};

/// Text that is read at once: its rows stay in the cache from reading to prediction. A call also takes a copy of the model, which
/// must be small beside them.
dcsvm::Index part_bytes(const model& m) {
  constexpr dcsvm::Index least = 1 << 22;
  return std::max<dcsvm::Index>(least, dcsvm::Index{64} * m.nr_feature * std::max(m.nr_class, 1));
}

/// What is known of all rows once the file was read.
struct Predictions {
  std::vector<double> y, labels, values;
};

void predict(const model& m, const dcsvm::Dataset& data, const app::PredictArguments& a, Predictions& out) {
  const std::size_t before = out.y.size(), n = data.y.size(), k = a.probability ? static_cast<std::size_t>(m.nr_class) : 0;
  out.y.insert(out.y.end(), data.y.begin(), data.y.end());
  out.labels.resize(before + n);
  out.values.resize((before + n) * k);
  const dcsvm_matrix x = app::matrix(data, a.test);
  app::succeed(a.test, [&](const dcsvm_call* call) {
    return dcsvm_linear_predict_matrix(&m, &x, a.probability, out.labels.data() + before,
                                       a.probability ? out.values.data() + before * k : nullptr, call);
  });
}

app::Score predict_file(const model& m, const app::PredictArguments& a, app::PredictionText& out) {
  Predictions all;
  app::read_parts(a.test, "input file", part_bytes(m), [&](const dcsvm::Dataset& data) { predict(m, data, a, all); });
  if (all.y.empty()) predict(m, {}, a, all);  // which says what is wrong with the model
  if (all.y.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    app::fail("ERROR: %s has more than 2147483647 rows\n", a.test);
  if (a.probability) {
    out.word("labels");
    for (int c = 0; c < m.nr_class; ++c) out.word(" " + std::to_string(m.label[c]));
    out.line();
  }
  return app::write_predictions(all.y, all.labels, all.values, a.probability, out);
}

}  // namespace

static int command(int argc, char** argv) {
  const app::PredictArguments a = app::parse_predict(argc, argv, kHelp);
  app::keep_inputs(a.output, {a.test, a.model});
  app::OutputFile output(a.output, "output file");
  model* m = load_model(a.model);
  if (m == nullptr) app::fail("can't open model file %s\n", a.model);
  if (a.probability && check_probability_model(m) == 0)
    app::fail("probability output is only supported for logistic regression\n");
  app::PredictionText out(output);
  const app::Score score = predict_file(*m, a, out);
  out.close();
  if (!a.quiet && check_regression_model(m) != 0) {
    app::print_errors(score);
  } else if (!a.quiet) {
    std::printf("Accuracy = %g%% (%d/%d)\n", score.accuracy(), score.right(), score.total());
  }
  free_and_destroy_model(&m);
  return 0;
}

int main(int argc, char** argv) { return app::run(command, argc, argv); }
