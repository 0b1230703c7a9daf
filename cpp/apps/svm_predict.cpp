// svm-predict: LIBSVM's command over dcsvm.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "dcsvm/libsvm/svm_extra.h"

namespace {

constexpr const char* kHelp = R"(Usage: svm-predict [options] test_file model_file output_file
options:
-b probability_estimates : write probability estimates, 0 or 1 (default 0)
-q : quiet
)";

[[noreturn]] void help() {
  std::fputs(kHelp, stdout);
  std::exit(1);
}

struct Arguments {
  bool probability = false;
  bool quiet = false;
  const char *test = nullptr, *model = nullptr, *output = nullptr;
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    switch (argv[i][1]) {
      case 'b':
        if (++i >= argc) help();
        a.probability = std::atoi(argv[i]) != 0;
        break;
      case 'q': a.quiet = true; break;
      default: std::fprintf(stderr, "Unknown option: -%c\n", argv[i][1]); help();
    }
  }
  if (i >= argc - 2) help();
  a.test = argv[i];
  a.model = argv[i + 1];
  a.output = argv[i + 2];
  return a;
}

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
    std::printf("Mean squared error = %g (regression)\n", score.squared_error());
    std::printf("Squared correlation coefficient = %g (regression)\n", score.squared_correlation());
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
  app::Score score;
  if (estimates) write_heading(model, out);
  for (std::size_t i = 0; i < n; ++i) {
    score.add(data.y[i], labels[i]);
    out.number(labels[i], estimates ? 6 : 17);
    for (std::size_t c = 0; c < k; ++c) {
      out.word(" ");
      out.number(values[i * k + c], 6);
    }
    out.line();
  }
  return score;
}

}  // namespace

static int command(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  FILE* test = std::fopen(a.test, "r");
  if (test == nullptr) app::fail("can't open input file %s\n", a.test);
  std::fclose(test);
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
