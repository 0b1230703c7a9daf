#include "common/train_command.hpp"

#include <cstdio>
#include <cstdlib>

namespace app {

namespace {

/// -v and -w; false: another option.
bool set_shared(TrainArguments& a, const char* option, const char* value, const Help& help) {
  if (option[1] == 'v') {
    a.folds = std::atoi(value);
    if (a.folds >= 2) return true;
    std::fprintf(stderr, "n-fold cross validation: n must >= 2\n");
    help.show();
  }
  if (option[1] != 'w') return false;
  a.weight_label.push_back(std::atoi(option + 2));
  a.weight.push_back(std::atof(value));
  return true;
}

}  // namespace

void parse_train(int argc, char** argv, const Help& help, TrainArguments& a, const std::function<bool(char)>& is_flag,
                 const std::function<bool(char, const char*)>& set) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    if (i + 1 >= argc) help.show();
    const char* option = argv[i];
    if (is_flag(option[1])) continue;
    ++i;
    if (!set_shared(a, option, argv[i], help) && !set(option[1], argv[i])) help.unknown(option[1]);
  }
  if (i >= argc) help.show();
  a.input = argv[i];
  a.model = i + 1 < argc ? argv[i + 1] : default_model(a.input);
}

void print_cross_validation(const double* y, const std::vector<double>& predicted, bool regression) {
  Score score;
  for (std::size_t i = 0; i < predicted.size(); ++i) score.add(y[i], predicted[i]);
  if (regression) {
    std::printf("Cross Validation Mean squared error = %g\n", score.squared_error());
    std::printf("Cross Validation Squared correlation coefficient = %g\n", score.squared_correlation());
  } else {
    std::printf("Cross Validation Accuracy = %g%%\n", score.accuracy());
  }
}

}  // namespace app
