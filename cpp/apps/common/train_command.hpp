// What svm-train and liblinear-train share: arguments and the lines of a cross-validation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/app.hpp"

namespace app {

struct TrainArguments {
  std::vector<int> weight_label;
  std::vector<double> weight;
  int folds = 0;  ///< 0: no cross-validation
  const char* input = nullptr;
  std::string model;

  /// Puts the class weights into svm_parameter or LIBLINEAR's parameter.
  template <class Parameter>
  void give_weights(Parameter& p) {
    p.nr_weight = static_cast<int>(weight.size());
    p.weight_label = weight_label.data();
    p.weight = weight.data();
  }
};

/// Reads the options and file names. is_flag: whether an option has no value, and takes note of it; set: an option with a value,
/// false when it is unknown; -v and -w are read here. Exits with the help for wrong arguments.
void parse_train(int argc, char** argv, const Help& help, TrainArguments& a, const std::function<bool(char)>& is_flag,
                 const std::function<bool(char, const char*)>& set);

/// y: of the rows; predicted: what the folds' models say about them.
void print_cross_validation(const double* y, const std::vector<double>& predicted, bool regression);

}  // namespace app
