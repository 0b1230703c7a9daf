// What svm-predict and liblinear-predict share: arguments, the file of predictions, the scores.
#pragma once

#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"

namespace app {

struct PredictArguments {
  bool probability = false;
  bool quiet = false;
  const char *test = nullptr, *model = nullptr, *output = nullptr;
};

/// Exits with the help for wrong arguments, and when the test file cannot be opened.
PredictArguments parse_predict(int argc, char** argv, const Help& help);

/// Writes a line for each row: its label and, with probabilities, its values (n x k; else k is 0). y: the targets to score.
Score write_predictions(const std::vector<double>& y, const std::vector<double>& labels, const std::vector<double>& values,
                        bool probability, PredictionText& out);

/// The two lines of a regression.
void print_errors(const Score& score);

}  // namespace app
