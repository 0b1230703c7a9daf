// liblinear-predict: LIBLINEAR's command `predict` over dcsvm.
#include <cstdio>
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

app::Score predict(const model& m, const dcsvm::Dataset& data, const app::PredictArguments& a, app::PredictionText& out) {
  const std::size_t n = data.y.size(), k = a.probability ? static_cast<std::size_t>(m.nr_class) : 0;
  std::vector<double> labels(n), values(n * k);
  const dcsvm_matrix x = app::matrix(data, a.test);
  app::succeed(a.test, [&](const dcsvm_call* call) {
    return dcsvm_linear_predict_matrix(&m, &x, a.probability, labels.data(), a.probability ? values.data() : nullptr, call);
  });
  if (a.probability) {
    out.word("labels");
    for (std::size_t c = 0; c < k; ++c) out.word(" " + std::to_string(m.label[c]));
    out.line();
  }
  return app::write_predictions(data.y, labels, values, a.probability, out);
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
  const dcsvm::Dataset data = app::read_file(a.test, "input file", app::Indices::from_1);
  app::PredictionText out(output);
  const app::Score score = predict(*m, data, a, out);
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
