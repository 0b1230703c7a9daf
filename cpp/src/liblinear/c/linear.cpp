// The exported functions. None calls another by its name: a program that links this library may have functions of the same names,
// and the dynamic linker would take those.
#include <cstdio>

#include "c_common/calls.hpp"
#include "c_common/memory.hpp"
#include "c_common/print.hpp"
#include "c_model.hpp"
#include "check.hpp"
#include "dcsvm/liblinear/linear_extra.h"
#include "prediction.hpp"
#include "training.hpp"

namespace face = dcsvm::liblinear;
using dcsvm::c_common::check_target;
using dcsvm::c_common::file_call;
using dcsvm::c_common::file_name;
using dcsvm::c_common::given;
using dcsvm::c_common::guarded;
using dcsvm::c_common::number;
using dcsvm::c_common::release;

namespace {

/// Source: const problem* or const dcsvm_linear_data*.
template <class Source>
int train_on(const Source* source, const parameter* param, model** m, const dcsvm_call* call, double l1_ratio = 0) noexcept {
  return guarded(call, [&] {
    check_target(m);
    face::Input input;
    face::set_input(source, param, input);
    input.l1_ratio = l1_ratio;
    *m = face::train_model(input, *param, call);
  });
}

template <class Source>
int cross_validate_on(const Source* source, const parameter* param, int nr_fold, double* target,
                      const dcsvm_call* call) noexcept {
  return guarded(call, [&] {
    face::Input input;
    face::set_input(source, param, input);
    face::cross_validate(input, *param, nr_fold, target, call);
  });
}

template <class Source>
int find_on(const Source* source, const parameter* param, int nr_fold, double start_C, double start_p, const face::Best& best,
            const dcsvm_call* call) noexcept {
  return guarded(call, [&] {
    face::Input input;
    face::set_input(source, param, input);
    face::find(input, *param, nr_fold, start_C, start_p, best, call);
  });
}

int save(const char* name, const model* m, const dcsvm_call* call) noexcept {
  return guarded(call, [&] {
    face::check_c_model(m);
    dcsvm::save_liblinear_model(face::read_c_model(*m), file_name(name), dcsvm::c_common::make_interrupted(call));
  });
}

int load(const char* name, model** m, const dcsvm_call* call) noexcept {
  return guarded(call, [&] {
    check_target(m);
    *m = face::make_c_model(
        dcsvm::load_liblinear_model(file_name(name), dcsvm::c_common::make_interrupted(call), dcsvm::c_common::warn));
  });
}

/// The weight in row `row` of w for class `label_idx`.
double weight(const model& m, int row, int label_idx) {
  if (row < 0 || row >= face::n_weight_rows(m) || m.w == nullptr) return 0;
  if (!face::is_classifier(m.param.solver_type)) return m.w[row];
  if (label_idx < 0 || label_idx >= m.nr_class) return 0;
  const dcsvm::Index k = face::n_vectors(m);
  if (k == 1) return label_idx == 0 ? m.w[row] : -m.w[row];
  return m.w[row * k + label_idx];
}

}  // namespace

extern "C" {

int liblinear_version = LIBLINEAR_VERSION;

int dcsvm_linear_train(const problem* prob, const parameter* param, model** m, const dcsvm_call* call) {
  return train_on(prob, param, m, call);
}

int dcsvm_linear_train_matrix(const dcsvm_linear_data* data, const parameter* param, model** m, const dcsvm_call* call) {
  return train_on(data, param, m, call);
}

int dcsvm_linear_train_elastic_net(const dcsvm_linear_data* data, const parameter* param, double l1_ratio, model** m,
                                   const dcsvm_call* call) {
  return train_on(data, param, m, call, l1_ratio);
}

model* train(const problem* prob, const parameter* param) {
  model* m = nullptr;
  train_on(prob, param, &m, nullptr);
  return m;
}

int dcsvm_linear_cross_validation(const problem* prob, const parameter* param, int nr_fold, double* target,
                                  const dcsvm_call* call) {
  return cross_validate_on(prob, param, nr_fold, target, call);
}

int dcsvm_linear_cross_validation_matrix(const dcsvm_linear_data* data, const parameter* param, int nr_fold, double* target,
                                         const dcsvm_call* call) {
  return cross_validate_on(data, param, nr_fold, target, call);
}

void cross_validation(const problem* prob, const parameter* param, int nr_fold, double* target) {
  cross_validate_on(prob, param, nr_fold, target, nullptr);
}

int dcsvm_linear_find_parameters(const problem* prob, const parameter* param, int nr_fold, double start_C, double start_p,
                                 double* best_C, double* best_p, double* best_score, const dcsvm_call* call) {
  return find_on(prob, param, nr_fold, start_C, start_p, {best_C, best_p, best_score}, call);
}

int dcsvm_linear_find_parameters_matrix(const dcsvm_linear_data* data, const parameter* param, int nr_fold, double start_C,
                                        double start_p, double* best_C, double* best_p, double* best_score,
                                        const dcsvm_call* call) {
  return find_on(data, param, nr_fold, start_C, start_p, {best_C, best_p, best_score}, call);
}

void find_parameters(const problem* prob, const parameter* param, int nr_fold, double start_C, double start_p, double* best_C,
                     double* best_p, double* best_score) {
  find_on(prob, param, nr_fold, start_C, start_p, {best_C, best_p, best_score}, nullptr);
}

double predict_values(const model* m, const feature_node* x, double* dec_values) {
  return number([&] { return face::predict_row(m, x, dec_values); });
}

double predict(const model* m, const feature_node* x) {
  return number([&] { return face::predict_row(m, x, nullptr); });
}

double predict_probability(const model* m, const feature_node* x, double* prob_estimates) {
  return number([&] { return face::predict_row_probability(m, x, prob_estimates); });
}

int dcsvm_linear_predict(const model* m, int l, const feature_node* const* x, int probability, double* labels, double* values,
                         const dcsvm_call* call) {
  return guarded(call, [&] { face::predict_rows(m, l, x, probability != 0, labels, values, call); });
}

int dcsvm_linear_predict_matrix(const model* m, const dcsvm_matrix* x, int probability, double* labels, double* values,
                                const dcsvm_call* call) {
  return guarded(call, [&] { face::predict_matrix(m, x, probability != 0, labels, values, call); });
}

int dcsvm_linear_save_model(const char* name, const model* m, const dcsvm_call* call) { return save(name, m, call); }

int save_model(const char* name, const model* m) {
  return file_call([&](const dcsvm_call* call) { return save(name, m, call); }) == DCSVM_OK ? 0 : -1;
}

int dcsvm_linear_load_model(const char* name, model** m, const dcsvm_call* call) { return load(name, m, call); }

model* load_model(const char* name) {
  model* m = nullptr;
  file_call([&](const dcsvm_call* call) { return load(name, &m, call); });
  return m;
}

int get_nr_feature(const model* m) { return given(m, m) ? m->nr_feature : 0; }
int get_nr_class(const model* m) { return given(m, m) ? m->nr_class : 0; }

void get_labels(const model* m, int* label) {
  if (!given(m, label)) return;
  for (int i = 0; m->label != nullptr && i < m->nr_class; ++i) label[i] = m->label[i];
}

double get_decfun_coef(const model* m, int feat_idx, int label_idx) {
  if (!given(m, m) || feat_idx > m->nr_feature) return 0;
  return weight(*m, feat_idx - 1, label_idx);
}

double get_decfun_bias(const model* m, int label_idx) {
  if (!given(m, m)) return 0;
  if (m->param.solver_type == ONECLASS_SVM) {
    std::fprintf(stderr, "ERROR: get_decfun_bias can not be called for a one-class SVM model\n");
    return 0;
  }
  return m->bias > 0 ? m->bias * weight(*m, m->nr_feature, label_idx) : 0;
}

double get_decfun_rho(const model* m) {
  if (!given(m, m)) return 0;
  if (m->param.solver_type == ONECLASS_SVM) return m->rho;
  std::fprintf(stderr, "ERROR: get_decfun_rho can be called only for a one-class SVM model\n");
  return 0;
}

void free_model_content(model* m) { face::free_content(m); }
void free_and_destroy_model(model** m) { face::destroy(m); }

void destroy_param(parameter* param) {
  if (param == nullptr) return;
  release(param->weight_label);
  release(param->weight);
  release(param->init_sol);
}

const char* check_parameter(const problem* prob, const parameter* param) {
  return face::check(prob != nullptr ? prob->bias : -1, param);
}

int check_probability_model(const model* m) { return given(m, m) && face::has_probabilities(m->param.solver_type) ? 1 : 0; }
int check_regression_model(const model* m) { return given(m, m) && face::is_regression(m->param.solver_type) ? 1 : 0; }
int check_oneclass_model(const model* m) { return given(m, m) && m->param.solver_type == ONECLASS_SVM ? 1 : 0; }

void set_print_string_function(void (*print_func)(const char*)) { dcsvm::c_common::set_print_function(print_func); }

void dcsvm_linear_print_null(const char*) {}

}  // extern "C"
