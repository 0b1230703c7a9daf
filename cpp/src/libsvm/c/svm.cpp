// The exported functions.
#include <cstdio>
#include <cstdlib>

#include "c_common/calls.hpp"
#include "c_common/memory.hpp"
#include "c_common/print.hpp"
#include "c_model.hpp"
#include "check.hpp"
#include "dcsvm/libsvm/svm_extra.h"
#include "prediction.hpp"
#include "training.hpp"

namespace face = dcsvm::libsvm;
using dcsvm::c_common::check_target;
using dcsvm::c_common::file_call;
using dcsvm::c_common::file_name;
using dcsvm::c_common::given;
using dcsvm::c_common::guarded;
using dcsvm::c_common::number;
using dcsvm::c_common::release;

extern "C" {

int libsvm_version = LIBSVM_VERSION;

int dcsvm_svm_train(const svm_problem* prob, const svm_parameter* param, svm_model** model, const dcsvm_call* call) {
  return guarded(call, [&] {
    check_target(model);
    *model = face::train_model(prob, param, call);
  });
}

svm_model* svm_train(const svm_problem* prob, const svm_parameter* param) {
  svm_model* model = nullptr;
  dcsvm_svm_train(prob, param, &model, nullptr);
  return model;
}

int dcsvm_svm_cross_validation(const svm_problem* prob, const svm_parameter* param, int nr_fold, double* target,
                               const dcsvm_call* call) {
  return guarded(call, [&] { face::cross_validate_problem(prob, param, nr_fold, target, call); });
}

void svm_cross_validation(const svm_problem* prob, const svm_parameter* param, int nr_fold, double* target) {
  dcsvm_svm_cross_validation(prob, param, nr_fold, target, nullptr);
}

int dcsvm_svm_save_model(const char* model_file_name, const svm_model* model, int sv_digits, const dcsvm_call* call) {
  return guarded(call, [&] {
    face::check_c_model(model);
    dcsvm::save_libsvm_model(face::read_c_model(*model), file_name(model_file_name), {sv_digits},
                             dcsvm::c_common::make_interrupted(call));
  });
}

int svm_save_model(const char* model_file_name, const svm_model* model) {
  const auto save = [&](const dcsvm_call* call) { return dcsvm_svm_save_model(model_file_name, model, 17, call); };
  return file_call(save) == DCSVM_OK ? 0 : -1;
}

int dcsvm_svm_load_model(const char* model_file_name, svm_model** model, const dcsvm_call* call) {
  return guarded(call, [&] {
    check_target(model);
    *model = face::make_c_model(
        dcsvm::load_libsvm_model(file_name(model_file_name), dcsvm::c_common::make_interrupted(call), dcsvm::c_common::warn));
  });
}

svm_model* svm_load_model(const char* model_file_name) {
  svm_model* model = nullptr;
  file_call([&](const dcsvm_call* call) { return dcsvm_svm_load_model(model_file_name, &model, call); });
  return model;
}

int svm_get_svm_type(const svm_model* model) { return given(model, model) ? model->param.svm_type : -1; }
int svm_get_nr_class(const svm_model* model) { return given(model, model) ? model->nr_class : 0; }
int svm_get_nr_sv(const svm_model* model) { return given(model, model) ? model->l : 0; }

void svm_get_labels(const svm_model* model, int* label) {
  if (!given(model, label)) return;
  for (int i = 0; model->label != nullptr && i < model->nr_class; ++i) label[i] = model->label[i];
}

void svm_get_sv_indices(const svm_model* model, int* sv_indices) {
  if (!given(model, sv_indices)) return;
  for (int i = 0; model->sv_indices != nullptr && i < model->l; ++i) sv_indices[i] = model->sv_indices[i];
}

double svm_get_svr_probability(const svm_model* model) {
  if (model != nullptr && face::is_regression(model->param.svm_type) && model->probA != nullptr) return model->probA[0];
  std::fprintf(stderr, "Model doesn't contain information for SVR probability inference\n");
  return 0;
}

double svm_predict_values(const svm_model* model, const svm_node* x, double* dec_values) {
  return number([&] { return face::predict_row(model, x, dec_values); });
}

double svm_predict(const svm_model* model, const svm_node* x) {
  return number([&] { return face::predict_row(model, x, nullptr); });
}

double svm_predict_probability(const svm_model* model, const svm_node* x, double* prob_estimates) {
  return number([&] { return face::predict_row_probability(model, x, prob_estimates); });
}

int dcsvm_svm_predict(const svm_model* model, int l, const svm_node* const* x, int probability, double* labels, double* values,
                      const dcsvm_call* call) {
  return guarded(call, [&] {
    face::check_c_model(model);
    face::predict_rows(model, l, x, probability != 0, labels, values, call);
  });
}

int dcsvm_svm_predict_matrix(const svm_model* model, const dcsvm_matrix* x, int probability, double* labels, double* values,
                             const dcsvm_call* call) {
  return guarded(call, [&] { face::predict_matrix(model, x, probability != 0, labels, values, call); });
}

void svm_free_model_content(svm_model* m) {
  if (m == nullptr) return;
  if (m->free_sv != 0 && m->l > 0 && m->SV != nullptr) std::free(m->SV[0]);
  for (int i = 0; m->sv_coef != nullptr && i < m->nr_class - 1; ++i) std::free(m->sv_coef[i]);
  release(m->SV);
  release(m->sv_coef);
  release(m->rho);
  release(m->label);
  release(m->probA);
  release(m->probB);
  release(m->prob_density_marks);
  release(m->sv_indices);
  release(m->nSV);
}

void svm_free_and_destroy_model(svm_model** model_ptr_ptr) {
  if (model_ptr_ptr == nullptr || *model_ptr_ptr == nullptr) return;
  svm_free_model_content(*model_ptr_ptr);
  release(*model_ptr_ptr);
}

void svm_destroy_param(svm_parameter* param) {
  if (param == nullptr) return;
  std::free(param->weight_label);
  std::free(param->weight);
}

const char* svm_check_parameter(const svm_problem* prob, const svm_parameter* param) {
  const char* wrong = "out of memory";  // the one reason for which check_parameter throws
  guarded(nullptr, [&] { wrong = face::check_parameter(prob, param); });
  return wrong;
}

int svm_check_probability_model(const svm_model* model) {
  if (!given(model, model)) return 0;
  const int type = model->param.svm_type;
  if (face::is_classifier(type)) return model->probA != nullptr && model->probB != nullptr ? 1 : 0;
  if (type == ONE_CLASS) return model->prob_density_marks != nullptr ? 1 : 0;
  return face::is_regression(type) && model->probA != nullptr ? 1 : 0;
}

void svm_set_print_string_function(void (*print_func)(const char*)) { dcsvm::c_common::set_print_function(print_func); }

void dcsvm_svm_print_null(const char*) {}

}  // extern "C"
