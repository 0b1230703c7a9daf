// svm-train: LIBSVM's command over dcsvm.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "dcsvm/libsvm/svm_extra.h"

namespace {

constexpr const char* kHelp = R"(Usage: svm-train [options] training_set_file [model_file]
options:
-s svm_type : what is trained (default 0)
	0 -- C-SVC		(multi-class classification)
	1 -- nu-SVC		(multi-class classification)
	2 -- one-class SVM
	3 -- epsilon-SVR	(regression)
	4 -- nu-SVR		(regression)
-t kernel_type : kernel function (default 2)
	0 -- linear: u'*v
	1 -- polynomial: (gamma*u'*v + coef0)^degree
	2 -- radial basis function: exp(-gamma*|u-v|^2)
	3 -- sigmoid: tanh(gamma*u'*v + coef0)
	4 -- precomputed kernel (kernel values in training_set_file)
-d degree : degree of the kernel (default 3)
-g gamma : gamma of the kernel (default 1/num_features)
-r coef0 : coef0 of the kernel (default 0)
-c cost : C of C-SVC, epsilon-SVR and nu-SVR (default 1)
-n nu : nu of nu-SVC, one-class SVM and nu-SVR (default 0.5)
-p epsilon : epsilon in the loss of epsilon-SVR (default 0.1)
-m cachesize : memory for kernel values in MB (default 100)
-e epsilon : tolerance of the stopping criterion (default 0.001)
-h shrinking : use shrinking, 0 or 1 (default 1)
-b probability_estimates : also train for probability estimates, 0 or 1 (default 0)
-wi weight : C of class i is weight*C, for C-SVC (default 1)
-v n : n-fold cross validation
-q : quiet
Threads: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else all cores.
)";

[[noreturn]] void help() {
  std::fputs(kHelp, stdout);
  std::exit(1);
}

struct Arguments {
  svm_parameter param{};
  std::vector<int> weight_label;
  std::vector<double> weight;
  int folds = 0;  // 0: train
  void (*print)(const char*) = nullptr;
  const char* input = nullptr;
  std::string model;
};

void set_defaults(svm_parameter& p) {
  p.svm_type = C_SVC;
  p.kernel_type = RBF;
  p.degree = 3;
  p.nu = 0.5;
  p.cache_size = 100;
  p.C = 1;
  p.eps = 1e-3;
  p.p = 0.1;
  p.shrinking = 1;
}

void set_option(Arguments& a, const char* option, const char* value) {
  svm_parameter& p = a.param;
  switch (option[1]) {
    case 's': p.svm_type = std::atoi(value); break;
    case 't': p.kernel_type = std::atoi(value); break;
    case 'd': p.degree = std::atoi(value); break;
    case 'g': p.gamma = std::atof(value); break;
    case 'r': p.coef0 = std::atof(value); break;
    case 'n': p.nu = std::atof(value); break;
    case 'm': p.cache_size = std::atof(value); break;
    case 'c': p.C = std::atof(value); break;
    case 'e': p.eps = std::atof(value); break;
    case 'p': p.p = std::atof(value); break;
    case 'h': p.shrinking = std::atoi(value); break;
    case 'b': p.probability = std::atoi(value); break;
    case 'v':
      a.folds = std::atoi(value);
      if (a.folds < 2) {
        std::fprintf(stderr, "n-fold cross validation: n must >= 2\n");
        help();
      }
      break;
    case 'w':
      a.weight_label.push_back(std::atoi(option + 2));
      a.weight.push_back(std::atof(value));
      break;
    default: std::fprintf(stderr, "Unknown option: -%c\n", option[1]); help();
  }
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  set_defaults(a.param);
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    if (i + 1 >= argc) help();
    if (argv[i][1] == 'q') {
      a.print = [](const char*) {};
    } else {
      set_option(a, argv[i], argv[i + 1]);
      ++i;
    }
  }
  if (i >= argc) help();
  a.input = argv[i];
  a.model = i + 1 < argc ? argv[i + 1] : app::default_model(a.input);
  a.param.nr_weight = static_cast<int>(a.weight.size());
  a.param.weight_label = a.weight_label.data();
  a.param.weight = a.weight.data();
  return a;
}

void check_serial_numbers(const app::Problem& p) {
  for (const svm_node* row : p.rows) {
    if (row->index != 0) app::fail("Wrong input format: first column must be 0:sample_serial_number\n");
    if (static_cast<int>(row->value) <= 0 || static_cast<int>(row->value) > p.max_index) {
      app::fail("Wrong input format: sample_serial_number out of range\n");
    }
  }
}

void cross_validate(const svm_problem& prob, const Arguments& a) {
  std::vector<double> target(prob.l);
  app::succeed(a.input,
               [&](const dcsvm_call* call) { return dcsvm_svm_cross_validation(&prob, &a.param, a.folds, target.data(), call); });
  app::Score score;
  for (std::size_t i = 0; i < target.size(); ++i) {
    score.add(prob.y[i], target[i]);
  }
  if (a.param.svm_type == EPSILON_SVR || a.param.svm_type == NU_SVR) {
    std::printf("Cross Validation Mean squared error = %g\n", score.squared_error());
    std::printf("Cross Validation Squared correlation coefficient = %g\n", score.squared_correlation());
  } else {
    std::printf("Cross Validation Accuracy = %g%%\n", score.accuracy());
  }
}

}  // namespace

static int command(int argc, char** argv) {
  Arguments a = parse(argc, argv);
  svm_set_print_string_function(a.print);
  if (a.folds == 0) app::keep_inputs(a.model.c_str(), {a.input});
  app::Problem data = app::read_problem(a.input);
  if (a.param.gamma == 0 && data.max_index > 0) a.param.gamma = 1.0 / data.max_index;
  if (a.param.kernel_type == PRECOMPUTED) check_serial_numbers(data);
  const svm_problem prob{data.size(), data.y.data(), data.rows.data()};
  if (const char* wrong = svm_check_parameter(&prob, &a.param)) app::fail("ERROR: %s\n", wrong);
  if (a.folds > 0) {
    cross_validate(prob, a);
    return 0;
  }
  svm_model* model = nullptr;
  app::succeed(a.input, [&](const dcsvm_call* call) { return dcsvm_svm_train(&prob, &a.param, &model, call); });
  if (svm_save_model(a.model.c_str(), model) != 0) app::fail("can't save model to file %s\n", a.model.c_str());
  svm_free_and_destroy_model(&model);
  return 0;
}

int main(int argc, char** argv) { return app::run(command, argc, argv); }
