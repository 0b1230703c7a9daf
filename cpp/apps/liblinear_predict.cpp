// liblinear-predict: LIBLINEAR's command `predict` over dcsvm.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "dcsvm/liblinear/linear_extra.h"

namespace {

constexpr const char* kHelp = R"(Usage: liblinear-predict [options] test_file model_file output_file
options:
-b probability_estimates : write probability estimates, 0 or 1 (default 0); for logistic regression
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
      default: std::fprintf(stderr, "unknown option: -%c\n", argv[i][1]); help();
    }
  }
  if (i >= argc - 2) help();
  a.test = argv[i];
  a.model = argv[i + 1];
  a.output = argv[i + 2];
  return a;
}

app::Score predict(const model& m, const dcsvm::Dataset& data, const Arguments& a, app::PredictionText& out) {
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
  app::Score score;
  for (std::size_t i = 0; i < n; ++i) {
    score.add(data.y[i], labels[i]);
    out.number(labels[i], a.probability ? 6 : 17);
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
  model* m = load_model(a.model);
  if (m == nullptr) app::fail("can't open model file %s\n", a.model);
  if (a.probability && check_probability_model(m) == 0)
    app::fail("probability output is only supported for logistic regression\n");
  const dcsvm::Dataset data = app::read_file(a.test, "input file", app::Indices::from_1);
  app::PredictionText out(output);
  const app::Score score = predict(*m, data, a, out);
  out.close();
  if (!a.quiet && check_regression_model(m) != 0) {
    std::printf("Mean squared error = %g (regression)\n", score.squared_error());
    std::printf("Squared correlation coefficient = %g (regression)\n", score.squared_correlation());
  } else if (!a.quiet) {
    std::printf("Accuracy = %g%% (%d/%d)\n", score.accuracy(), score.right(), score.total());
  }
  free_and_destroy_model(&m);
  return 0;
}

int main(int argc, char** argv) { return app::run(command, argc, argv); }
