#include "common/predict_command.hpp"

#include <cstdio>
#include <cstdlib>

namespace app {

PredictArguments parse_predict(int argc, char** argv, const Help& help) {
  PredictArguments a;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    switch (argv[i][1]) {
      case 'b':
        if (++i >= argc) help.show();
        a.probability = std::atoi(argv[i]) != 0;
        break;
      case 'q': a.quiet = true; break;
      default: help.unknown(argv[i][1]);
    }
  }
  if (i >= argc - 2) help.show();
  a.test = argv[i];
  a.model = argv[i + 1];
  a.output = argv[i + 2];
  check_readable(a.test, "input file");
  return a;
}

Score write_predictions(const std::vector<double>& y, const std::vector<double>& labels, const std::vector<double>& values,
                        bool probability, PredictionText& out) {
  const std::size_t n = labels.size(), k = n > 0 ? values.size() / n : 0;
  Score score;
  for (std::size_t i = 0; i < n; ++i) {
    score.add(y[i], labels[i]);
    out.number(labels[i], probability ? 6 : 17);
    for (std::size_t c = 0; c < k; ++c) {
      out.word(" ");
      out.number(values[i * k + c], 6);
    }
    out.line();
  }
  return score;
}

void print_errors(const Score& score) {
  std::printf("Mean squared error = %g (regression)\n", score.squared_error());
  std::printf("Squared correlation coefficient = %g (regression)\n", score.squared_correlation());
}

}  // namespace app
