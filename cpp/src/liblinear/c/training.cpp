#include "training.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "c_common/exceptions.hpp"
#include "c_common/matrix.hpp"
#include "c_common/print.hpp"
#include "c_model.hpp"
#include "check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/linear_path.hpp"
#include "training_text.hpp"

namespace dcsvm::liblinear {

namespace {

using c_common::info;

void check_arguments(double bias, const parameter* param) {
  if (const char* wrong = check(bias, param)) throw ParameterError(wrong);
  if (!std::isfinite(bias)) throw ParameterError("bias must be a finite number (below 0: none), got " + std::to_string(bias));
  if (param->nr_weight > 0 && (param->weight == nullptr || param->weight_label == nullptr)) {
    throw ParameterError("nr_weight: weight or weight_label is a null pointer");
  }
}

void set_targets(const double* y, const parameter& param, Input& out) {
  if (y == nullptr && out.rows() > 0) throw DataError("the problem has no y");
  out.y = y;
  if (is_classifier(param.solver_type)) {
    out.grouping = c_common::group(y, out.rows());
    out.labels.reserve(static_cast<std::size_t>(out.rows()));
    for (const double code : out.grouping.codes) out.labels.push_back(out.grouping.labels[static_cast<std::size_t>(code)]);
  }
  if (param.regularize_bias == 0 && out.added_bias < 0) {
    throw DataError("regularize_bias 0: every row must end with the bias, a node of index n and value 1");
  }
}

LinearParams make_params(const Input& input, const parameter& param, const dcsvm_call* call) {
  LinearParams p;
  p.solver = solver_of(param.solver_type);
  p.l1_ratio = input.l1_ratio;
  p.tol = param.eps;
  p.bias = input.added_bias;
  p.regularize_bias = param.regularize_bias != 0;
  p.cache_size = 1e9;  // MB: LIBLINEAR has no limit
  p.seed = call != nullptr ? call->seed : 0;
  p.n_threads = call != nullptr ? call->n_threads : 0;
  // What the solver does not use may hold anything.
  if (param.solver_type != ONECLASS_SVM) p.C = param.C;
  if (param.solver_type == ONECLASS_SVM) p.nu = param.nu;
  if (is_regression(param.solver_type)) p.epsilon = param.p;
  if (!is_classifier(param.solver_type)) return p;
  const auto& labels = input.grouping.labels;
  std::vector<double> factor(labels.size(), 1.0);
  for (int i = 0; i < param.nr_weight; ++i) {
    const auto found = std::find(labels.begin(), labels.end(), param.weight_label[i]);
    if (found == labels.end()) {
      std::fprintf(stderr, "WARNING: class label %d specified in weight is not found\n", param.weight_label[i]);
    } else {
      factor[static_cast<std::size_t>(found - labels.begin())] *= param.weight[i];
    }
  }
  for (std::size_t c = 0; c < factor.size(); ++c) {
    if (factor[c] != 1.0) p.class_weight.emplace_back(labels[c], factor[c]);
  }
  return p;
}

LinearInputs make_inputs(const Input& input, const parameter& param) {
  LinearInputs out;
  out.initial_w = param.init_sol;
  out.classes.assign(input.grouping.labels.begin(), input.grouping.labels.end());
  return out;
}

Hooks make_hooks(const dcsvm_call* call) {
  Hooks hooks;
  hooks.interrupted = c_common::make_interrupted(call);
  return hooks;
}

/// The library refuses data without columns: they get one of zeros, whose weights are taken out again.
LinearModel train_input(const Input& input, const parameter& param, const dcsvm_call* call) {
  DataView x = input.x;
  const std::vector<double> zeros(cols_of(x) == 0 ? static_cast<std::size_t>(input.rows()) : 0);
  if (!zeros.empty()) x = DenseView{zeros.data(), ScalarType::float64, input.rows(), 1, 1, 1};
  return train_linear(x, input.targets(), make_params(input, param, call), make_inputs(input, param), make_hooks(call));
}

/// The model before w is known.
LiblinearModel frame(const Input& input, const parameter& param) {
  LiblinearModel m;
  m.solver = param.solver_type;
  m.n_classes = m.is_classifier() ? static_cast<int>(input.grouping.labels.size()) : 2;
  m.labels = input.grouping.labels;
  m.n_features = input.n_features();
  m.bias = input.bias;
  return m;
}

int checked_folds(const Input& input, int nr_fold) {
  if (nr_fold < 2) throw ParameterError("nr_fold must be >= 2, got " + std::to_string(nr_fold));
  if (nr_fold <= input.rows()) return nr_fold;
  std::fprintf(stderr, "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)\n");
  if (input.rows() < 2) throw DataError("cross-validation needs at least 2 rows, got " + std::to_string(input.rows()));
  return static_cast<int>(input.rows());
}

}  // namespace

void set_input(const problem* prob, const parameter* param, Input& out) {
  if (prob == nullptr || param == nullptr) throw ParameterError("problem or parameter: a null pointer");
  check_arguments(prob->bias, param);
  if (prob->l < 0 || prob->n < 0) throw DataError("problem: l or n is negative");
  if (prob->x == nullptr && prob->l > 0) throw DataError("the problem has no x");
  TrainingRows rows = training_rows(*prob);
  out.copy = std::move(rows.rows);
  out.x = out.copy.view();
  out.bias = prob->bias;
  out.added_bias = rows.bias;
  set_targets(prob->y, *param, out);
}

void set_input(const dcsvm_linear_data* data, const parameter* param, Input& out) {
  if (data == nullptr || param == nullptr) throw ParameterError("data or parameter: a null pointer");
  check_arguments(data->bias, param);
  c_common::check_matrix(&data->x);
  out.x = c_common::view(data->x);
  out.bias = out.added_bias = data->bias;
  set_targets(data->y, *param, out);
}

model* train_model(const Input& input, const parameter& param, const dcsvm_call* call) {
  LiblinearModel parts = frame(input, param);
  if (input.rows() == 0) {
    parts.w.assign(static_cast<std::size_t>(parts.n_rows() * parts.n_weights()), 0.0);
  } else {
    const LinearModel trained = train_input(input, param, call);
    print_training(trained);
    parts.rho = trained.rho();
    const auto& w = trained.w();
    parts.w.assign(w.begin() + (cols_of(input.x) == 0 ? trained.n_vectors() : 0), w.end());
  }
  model* out = make_c_model(parts);
  out->param = param;
  if (param.solver_type == DCSVM_MULTINOMIAL && parts.n_classes == 2) out->param.solver_type = L2R_LR;  // the same problem
  return out;
}

void cross_validate(const Input& input, const parameter& param, int nr_fold, double* target, const dcsvm_call* call) {
  if (target == nullptr) throw ParameterError("target: a null pointer");
  std::fill_n(target, input.rows(), std::numeric_limits<double>::quiet_NaN());
  const LinearFolds folds = liblinear_folds(input.rows(), checked_folds(input, nr_fold));
  cross_validate_linear(input.x, input.targets(), make_params(input, param, call), folds, target, make_inputs(input, param),
                        make_hooks(call));
}

void find(const Input& input, const parameter& param, int nr_fold, double start_C, double start_p, const Best& best,
          const dcsvm_call* call) {
  if (best.C == nullptr || best.p == nullptr || best.score == nullptr)
    throw ParameterError("best_C, best_p or best_score: a null pointer");
  *best.p = -1;
  const int type = param.solver_type;
  if (type != L2R_LR && type != L2R_L2LOSS_SVC && type != L2R_L2LOSS_SVR) return;
  const bool regression = is_regression(type);
  LinearPathOptions options;
  options.folds = liblinear_folds(input.rows(), checked_folds(input, nr_fold));
  options.start_C = start_C;
  options.start_epsilon = start_p;
  options.visit = [&](const LinearPathPoint& point) {
    if (regression) {
      info("log2c=%7.2f\tp=%7.2f\tMean squared error=%g\n", std::log2(point.C), point.epsilon, point.score);
    } else {
      info("log2c=%7.2f\trate=%g\n", std::log2(point.C), 100.0 * point.score);
    }
    if (point.at_largest_C) info("WARNING: maximum C reached.\n");
  };
  LinearInputs inputs = make_inputs(input, param);
  inputs.initial_w = nullptr;  // LIBLINEAR's search starts from 0 whatever init_sol holds
  const LinearPath path =
      linear_path(input.x, input.targets(), make_params(input, param, call), options, inputs, make_hooks(call));
  *best.C = path.best_C;
  *best.score = path.best_score;
  if (regression) *best.p = path.best_epsilon;
}

}  // namespace dcsvm::liblinear
