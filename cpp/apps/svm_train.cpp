// svm-train: LIBSVM's command over dcsvm.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "common/train_command.hpp"
#include "dcsvm/libsvm/svm_extra.h"

namespace {

constexpr app::Help kHelp{R"(Usage: svm-train [options] training_set_file [model_file]
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
)",
                          "Unknown option"};

struct Arguments : app::TrainArguments {
  svm_parameter param{};
  void (*print)(const char*) = nullptr;
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

bool set_option(svm_parameter& p, char letter, const char* value) {
  switch (letter) {
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
    default: return false;
  }
  return true;
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  set_defaults(a.param);
  const auto is_flag = [&a](char letter) {
    if (letter == 'q') a.print = [](const char*) {};
    return letter == 'q';
  };
  app::parse_train(argc, argv, kHelp, a, is_flag,
                   [&a](char letter, const char* value) { return set_option(a.param, letter, value); });
  a.give_weights(a.param);
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
  app::print_cross_validation(prob.y, target, a.param.svm_type == EPSILON_SVR || a.param.svm_type == NU_SVR);
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
