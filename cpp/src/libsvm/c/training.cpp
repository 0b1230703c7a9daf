#include "training.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "c_common/exceptions.hpp"
#include "c_common/print.hpp"
#include "c_model.hpp"
#include "dcsvm/cross_validate.hpp"
#include "dcsvm/errors.hpp"
#include "prediction.hpp"
#include "training_text.hpp"

namespace dcsvm::libsvm {

namespace {

using c_common::group;
using c_common::info;

// -m is for kernel rows alone in LIBSVM; the library's cap also holds packed data and its working tile.
double cache_size(const svm_parameter& param, const Rows& data) {
  constexpr double kTile = 64.0, kMegabyte = 1048576.0;
  const auto entries = static_cast<double>(data.sparse ? data.values.size() * 2 : data.values.size());
  return param.cache_size + kTile + 2.0 * 8.0 * entries / kMegabyte;
}

void set_weights(const svm_parameter& param, const c_common::Grouping& grouping, TrainParams& out) {
  std::vector<double> factor(grouping.labels.size(), 1.0);
  for (int i = 0; i < param.nr_weight; ++i) {
    const auto found = std::find(grouping.labels.begin(), grouping.labels.end(), param.weight_label[i]);
    if (found == grouping.labels.end()) {
      std::fprintf(stderr, "WARNING: class label %d specified in weight is not found\n", param.weight_label[i]);
    } else {
      factor[found - grouping.labels.begin()] *= param.weight[i];
    }
  }
  if (out.formulation != Formulation::c_svc) return;
  for (std::size_t c = 0; c < factor.size(); ++c) {
    if (factor[c] == 0.0) {
      const std::string label = std::to_string(grouping.labels[c]);
      throw ParameterError("weight (-w" + label + ") is 0, which leaves nothing of class " + label +
                           ": give a weight above 0, or leave the rows of this class out");
    }
    if (factor[c] != 1.0) out.class_weight.emplace_back(static_cast<double>(c), factor[c]);
  }
}

TrainParams make_params(const svm_parameter& param, const Rows& data, const dcsvm_call* call) {
  TrainParams p;
  p.formulation = static_cast<Formulation>(param.svm_type);
  p.kernel = {static_cast<KernelType>(param.kernel_type), param.degree, param.gamma, param.coef0};
  p.gamma_rule = GammaRule::value;
  if (param.gamma == 0)
    p.kernel.gamma = std::numeric_limits<double>::min();  // LIBSVM takes 0 at its word: K does not depend on x
  p.C = param.C;
  p.nu = param.nu;
  p.epsilon = param.p;
  p.tol = param.eps;
  p.absolute_tol = true;
  p.cache_size = cache_size(param, data);
  p.shrinking = param.shrinking != 0;

  p.probability = param.probability != 0;
  p.seed = call != nullptr ? call->seed : 0;
  p.n_threads = call != nullptr ? call->n_threads : 0;
  // What the formulation does not use may hold anything.
  if (!is_regression(param.svm_type) && param.svm_type != C_SVC) p.C = 1.0;
  if (param.svm_type == C_SVC || param.svm_type == EPSILON_SVR) p.nu = 0.5;
  if (param.svm_type != EPSILON_SVR) p.epsilon = 0.1;
  return p;
}

Rows copy_data(const svm_problem& prob, const svm_parameter& param) {
  if (param.kernel_type != PRECOMPUTED) {
    Extent extent = measure(prob.x, prob.l);
    if (extent.is_wide()) {
      std::vector<int> indices;
      add_indices(prob.x, prob.l, indices);
      extent.narrow(std::move(indices));
    }
    return copy_rows(prob.x, prob.l, extent);
  }
  std::vector<int> serials;
  serials.reserve(prob.l);
  for (int i = 0; i < prob.l; ++i) serials.push_back(serial_number(prob.x[i], i));
  return copy_kernel(prob.x, prob.l, serials);
}

void check_problem(const svm_problem* prob, const svm_parameter* param) {
  if (prob == nullptr || param == nullptr) throw ParameterError("problem or parameter: a null pointer");
  if (const char* wrong = svm_check_parameter(prob, param)) throw ParameterError(wrong);
  if (prob->l < 1) throw DataError("the problem has no rows");
  if (prob->x == nullptr || prob->y == nullptr) throw DataError("the problem has no x or no y");
  if (param->nr_weight > 0 && (param->weight == nullptr || param->weight_label == nullptr)) {
    throw ParameterError("nr_weight: weight or weight_label is a null pointer");
  }
}

/// What LIBSVM makes of data with one class: a model without support vectors.
LibsvmModel one_class_only(const svm_parameter& param, int label) {
  info("WARNING: training data in only one class. See README for details.\n");
  LibsvmModel m;
  m.formulation = static_cast<Formulation>(param.svm_type);
  m.n_classes = 1;
  m.labels = {label};
  m.n_sv = {0};
  info("Total nSV = 0\n");
  return m;
}

LibsvmModel to_parts(const Model& model, const Input& input) {
  LibsvmModel m;
  m.formulation = model.formulation();
  m.n_classes = is_classifier(m.formulation) ? static_cast<int>(input.grouping.labels.size()) : 2;
  m.rho = model.rho();
  m.sv_coef = model.sv_coef();
  m.training_rows = model.support();
  m.prob_a = model.calibration().a;
  m.prob_b = model.calibration().b;
  m.density_marks = model.calibration().density_marks;
  if (!is_classifier(m.formulation)) return m;
  m.labels = input.grouping.labels;
  for (const Index n : model.n_support_per_class()) m.n_sv.push_back(static_cast<int>(n));
  return m;
}

/// svm_cross_validation with probability = 1: a held-out row gets the class of largest probability.
void cross_validate_probable(const svm_problem& prob, const svm_parameter& param, int nr_fold, const Input& input, double* target,
                             const dcsvm_call* call) {
  for (const Fold& fold : make_folds(input.y, prob.l, nr_fold, true, input.params.seed)) {
    std::vector<double> y, labels(fold.test.size());
    std::vector<svm_node*> rows, held_out;
    for (const Index i : fold.train) {
      y.push_back(prob.y[i]);
      rows.push_back(prob.x[i]);
    }
    for (const Index i : fold.test) held_out.push_back(prob.x[i]);
    const svm_problem part{static_cast<int>(rows.size()), y.data(), rows.data()};
    svm_model* model = train_model(&part, &param, call);
    const std::unique_ptr<svm_model, void (*)(svm_model*)> owner(model, [](svm_model* m) { svm_free_and_destroy_model(&m); });
    predict_rows(model, static_cast<int>(held_out.size()), held_out.data(), true, labels.data(), nullptr, call);
    for (std::size_t t = 0; t < labels.size(); ++t) target[fold.test[t]] = labels[t];
  }
}

}  // namespace

Input make_input(const svm_problem* prob, const svm_parameter* param, const dcsvm_call* call) {
  check_problem(prob, param);
  Input input;
  input.y = prob->y;
  if (is_classifier(param->svm_type)) {
    input.grouping = group(prob->y, prob->l);
    input.y = input.grouping.codes.data();
  }
  input.data = copy_data(*prob, *param);
  input.params = make_params(*param, input.data, call);
  set_weights(*param, input.grouping, input.params);
  return input;
}

Hooks make_hooks(const dcsvm_call* call) {
  Hooks hooks;
  hooks.interrupted = c_common::make_interrupted(call);
  hooks.progress = [interrupted = hooks.interrupted](const Progress&) {
    // Before the print function runs: a print function in Python would swallow the KeyboardInterrupt.
    if (interrupted && interrupted()) throw Interrupted();
    info(".");
    return false;
  };
  return hooks;
}

svm_model* train_model(const svm_problem* prob, const svm_parameter* param, const dcsvm_call* call) {
  LibsvmModel parts;
  {
    const Input input = make_input(prob, param, call);
    if (is_classifier(param->svm_type) && input.grouping.labels.size() == 1) {
      parts = one_class_only(*param, input.grouping.labels[0]);
    } else {
      const Model model = train(input.data.view(), input.y, input.params, {}, make_hooks(call));
      print_training(model, input, *param);
      parts = to_parts(model, input);
    }
  }
  svm_model* out = make_c_model(parts, prob->x);
  out->param = *param;
  return out;
}

void cross_validate_problem(const svm_problem* prob, const svm_parameter* param, int nr_fold, double* target,
                            const dcsvm_call* call) {
  if (target == nullptr) throw ParameterError("target: a null pointer");
  if (prob != nullptr && prob->l > 0) std::fill_n(target, prob->l, std::numeric_limits<double>::quiet_NaN());
  Input input = make_input(prob, param, call);
  if (nr_fold < 2) throw ParameterError("nr_fold must be >= 2, got " + std::to_string(nr_fold));
  if (nr_fold > prob->l) {
    std::fprintf(
        stderr, "WARNING: # folds (%d) > # data (%d). Will use # folds = # data instead (i.e., leave-one-out cross validation)\n",
        nr_fold, prob->l);
    nr_fold = prob->l;
  }
  const bool classifier = is_classifier(param->svm_type);
  const auto& labels = input.grouping.labels;
  if (classifier && labels.size() == 1) {
    info("WARNING: training data in only one class. See README for details.\n");
    std::fill_n(target, prob->l, labels[0]);
    return;
  }
  if (classifier && input.params.probability) {
    cross_validate_probable(*prob, *param, nr_fold, input, target, call);
    return;
  }
  input.params.probability = false;
  const CrossValidation done = cross_validate(input.data.view(), input.y, input.params, nr_fold, target, {}, make_hooks(call));
  print_cross_validation(done);
  for (int i = 0; classifier && i < prob->l; ++i) target[i] = labels[static_cast<Index>(target[i])];
}

}  // namespace dcsvm::libsvm
