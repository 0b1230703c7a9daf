// svm-predict: LIBSVM's command over dcsvm.
#include <cstdio>
#include <string>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "common/predict_command.hpp"
#include "dcsvm/libsvm/svm_extra.h"

namespace {

constexpr app::Help kHelp{R"(Usage: svm-predict [options] test_file model_file output_file
options:
-b probability_estimates : write probability estimates, 0 or 1 (default 0)
-q : quiet
)",
                          "Unknown option"};

bool is_regression(int type) { return type == EPSILON_SVR || type == NU_SVR; }

void write_heading(const svm_model& model, app::PredictionText& out) {
  if (model.param.svm_type == ONE_CLASS) {
    out.word("label normal outlier");
  } else {
    out.word("labels");
    for (int c = 0; c < model.nr_class; ++c) out.word(" " + std::to_string(model.label[c]));
  }
  out.line();
}

void report(const svm_model& model, const app::Score& score) {
  if (is_regression(model.param.svm_type)) {
    app::print_errors(score);
  } else {
    std::printf("Accuracy = %g%% (%d/%d) (classification)\n", score.accuracy(), score.right(), score.total());
  }
}

app::Score predict(const svm_model& model, const app::Problem& data, const char* path, bool estimates, app::PredictionText& out) {
  const auto n = static_cast<std::size_t>(data.size()), k = static_cast<std::size_t>(estimates ? model.nr_class : 0);
  std::vector<double> labels(n), values(n * k);
  app::succeed(path, [&](const dcsvm_call* call) {
    return dcsvm_svm_predict(&model, data.size(), data.rows.data(), estimates, labels.data(), estimates ? values.data() : nullptr,
                             call);
  });
  if (estimates) write_heading(model, out);
  return app::write_predictions(data.y, labels, values, estimates, out);
}

}  // namespace

static int command(int argc, char** argv) {
  const app::PredictArguments a = app::parse_predict(argc, argv, kHelp);
  app::keep_inputs(a.output, {a.test, a.model});
  app::OutputFile output(a.output, "output file");
  svm_model* model = svm_load_model(a.model);
  if (model == nullptr) app::fail("can't open model file %s\n", a.model);
  const bool calibrated = svm_check_probability_model(model) != 0, regression = is_regression(model->param.svm_type);
  if (a.probability && !calibrated) app::fail("Model does not support probabiliy estimates\n");
  if (!a.probability && calibrated && !a.quiet) {
    std::printf("Model supports probability estimates, but disabled in prediction.\n");
  }
  if (a.probability && regression && !a.quiet) {
    std::printf(
        "Prob. model for test data: target value = predicted value + z,\n"
        "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=%g\n",
        svm_get_svr_probability(model));
  }
  const app::Problem data = app::read_problem(a.test);
  app::PredictionText out(output);
  const app::Score score = predict(*model, data, a.test, a.probability && !regression, out);
  out.close();
  if (!a.quiet) report(*model, score);
  svm_free_and_destroy_model(&model);
  return 0;
}

int main(int argc, char** argv) { return app::run(command, argc, argv); }
