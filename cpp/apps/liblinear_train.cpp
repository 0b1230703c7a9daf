// liblinear-train: LIBLINEAR's command `train` over dcsvm.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"
#include "common/train_command.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/liblinear/linear_extra.h"
#include "dcsvm/linear.hpp"

namespace {

constexpr app::Help kHelp{R"(Usage: liblinear-train [options] training_set_file [model_file]
options:
-s type : what is trained (default 1)
  classification, L2 regulariser
	 0 -- logistic regression
	 1 -- SVM with squared hinge loss, tolerance of the dual problem
	 2 -- SVM with squared hinge loss
	 3 -- SVM with hinge loss, tolerance of the dual problem
	 4 -- Crammer and Singer's multi-class SVM
	 7 -- logistic regression, tolerance of the dual problem
  classification, L1 regulariser
	 5 -- SVM with squared hinge loss
	 6 -- logistic regression
  regression, L2 regulariser
	11 -- squared epsilon-insensitive loss
	12 -- squared epsilon-insensitive loss, tolerance of the dual problem
	13 -- epsilon-insensitive loss, tolerance of the dual problem
  outliers
	21 -- one-class SVM
-c cost : C (default 1)
-p epsilon : epsilon in the loss of regression (default 0.1)
-n nu : nu of the one-class SVM (default 0.5)
-e epsilon : tolerance of the stopping criterion
	0, 2    |f'(w)|_2 <= eps*min(pos,neg)/l*|f'(0)|_2 for the primal objective f (default 0.01)
	11      |f'(w)|_2 <= eps*|f'(0)|_2 (default 0.0001)
	5, 6    |f'(w)|_1 <= eps*min(pos,neg)/l*|f'(0)|_1 (default 0.01)
	others  largest violation of the dual problem <= eps (default 0.1; 21: 0.01)
-B bias : if >= 0, every row gets a feature of this value behind all others (default -1)
-R : do not regularise the bias; with -B 1, for -s 0, 2, 5, 6, 11
-wi weight : C of class i is weight*C
-v n : n-fold cross validation
-C : search for C with -s 0 and 2, for C and p with -s 11
-q : quiet
Threads: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else all cores.
)",
                          "unknown option"};

struct Arguments : app::TrainArguments {
  parameter param{};
  double bias = -1;
  bool search = false, solver_given = false, C_given = false, p_given = false;
  void (*print)(const char*) = nullptr;
};

bool is_regression(int type) { return type >= L2R_L2LOSS_SVR && type <= L2R_L1LOSS_SVR_DUAL; }
bool is_searchable(int type) { return type == L2R_LR || type == L2R_L2LOSS_SVC || type == L2R_L2LOSS_SVR; }

/// Infinity for a number that no solver has, which check_parameter() refuses.
double default_tolerance(int type) {
  try {
    return dcsvm::default_tol(dcsvm::linear_solver(type));
  } catch (const dcsvm::ParameterError&) {
    return std::numeric_limits<double>::infinity();
  }
}

/// -q, -C and -R.
bool set_flag(Arguments& a, char letter) {
  if (letter == 'q') a.print = dcsvm_linear_print_null;
  if (letter == 'C') a.search = true;
  if (letter == 'R') a.param.regularize_bias = 0;
  return letter == 'q' || letter == 'C' || letter == 'R';
}

bool set_option(Arguments& a, char letter, const char* value) {
  switch (letter) {
    case 's':
      a.param.solver_type = std::atoi(value);
      a.solver_given = true;
      break;
    case 'c':
      a.param.C = std::atof(value);
      a.C_given = true;
      break;
    case 'p':
      a.param.p = std::atof(value);
      a.p_given = true;
      break;
    case 'n': a.param.nu = std::atof(value); break;
    case 'e': a.param.eps = std::atof(value); break;
    case 'B': a.bias = std::atof(value); break;
    default: return false;
  }
  return true;
}

/// What depends on several options.
void complete(Arguments& a) {
  parameter& p = a.param;
  if (a.search) {
    if (a.folds == 0) a.folds = 5;
    if (!a.solver_given) {
      std::fprintf(stderr, "Solver not specified. Using -s 2\n");
      p.solver_type = L2R_L2LOSS_SVC;
    } else if (!is_searchable(p.solver_type)) {
      std::fprintf(stderr, "Warm-start parameter search only available for -s 0, -s 2 and -s 11\n");
      kHelp.show();
    }
  }
  if (std::isinf(p.eps) && p.eps > 0) p.eps = default_tolerance(p.solver_type);
  a.give_weights(p);
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  a.param.solver_type = L2R_L2LOSS_SVC_DUAL;
  a.param.eps = std::numeric_limits<double>::infinity();
  a.param.C = 1;
  a.param.p = 0.1;
  a.param.nu = 0.5;
  a.param.regularize_bias = 1;
  app::parse_train(
      argc, argv, kHelp, a, [&a](char letter) { return set_flag(a, letter); },
      [&a](char letter, const char* value) { return set_option(a, letter, value); });
  complete(a);
  return a;
}

void search(const dcsvm_linear_data& data, const Arguments& a) {
  double C = 0, p = -1, score = 0;
  std::printf("Doing parameter search with %d-fold cross validation.\n", a.folds);
  app::succeed(a.input, [&](const dcsvm_call* call) {
    return dcsvm_linear_find_parameters_matrix(&data, &a.param, a.folds, a.C_given ? a.param.C : -1.0,
                                               a.p_given ? a.param.p : -1.0, &C, &p, &score, call);
  });
  if (is_regression(a.param.solver_type)) {
    std::printf("Best C = %g Best p = %g  CV MSE = %g\n", C, p, score);
  } else {
    std::printf("Best C = %g  CV accuracy = %g%%\n", C, 100.0 * score);
  }
}

void cross_validate(const dcsvm_linear_data& data, const Arguments& a) {
  std::vector<double> target(static_cast<std::size_t>(data.x.rows));
  app::succeed(a.input, [&](const dcsvm_call* call) {
    return dcsvm_linear_cross_validation_matrix(&data, &a.param, a.folds, target.data(), call);
  });
  app::print_cross_validation(data.y, target, is_regression(a.param.solver_type));
}

void train_and_save(const dcsvm_linear_data& data, const Arguments& a) {
  model* m = nullptr;
  app::succeed(a.input, [&](const dcsvm_call* call) { return dcsvm_linear_train_matrix(&data, &a.param, &m, call); });
  if (save_model(a.model.c_str(), m) != 0) app::fail("can't save model to file %s\n", a.model.c_str());
  free_and_destroy_model(&m);
}

}  // namespace

static int command(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  set_print_string_function(a.print);
  if (a.folds == 0) app::keep_inputs(a.model.c_str(), {a.input});
  const dcsvm::Dataset file = app::read_file(a.input, "input file", app::Indices::from_1);
  const dcsvm_linear_data data{app::matrix(file, a.input), file.y.data(), a.bias};
  problem bias_only{};
  bias_only.bias = a.bias;
  if (a.param.solver_type == DCSVM_MULTINOMIAL) app::fail("ERROR: unknown solver type\n");  // no model file can name it
  if (const char* wrong = check_parameter(&bias_only, &a.param)) app::fail("ERROR: %s\n", wrong);
  if (a.search) {
    search(data, a);
  } else if (a.folds > 0) {
    cross_validate(data, a);
  } else {
    train_and_save(data, a);
  }
  return 0;
}

int main(int argc, char** argv) { return app::run(command, argc, argv); }
