// dcsvm/dc_pred.h.
#include "dcsvm/any_model.hpp"
#include "dcsvm/dc_pred.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "dcsvm/dc_pred.hpp"

struct dcsvm_predictor {
  explicit dcsvm_predictor(dcsvm::DcPredModel m) : model(std::move(m)), row(model) {}
  dcsvm::DcPredModel model;
  dcsvm::DcPredRow row;
};

namespace {

void explain(const char* what, char* error, std::size_t size) {
  if (error == nullptr || size == 0) return;
  const std::size_t n = std::min(std::strlen(what), size - 1);
  std::memcpy(error, what, n);
  error[n] = '\0';
}

}  // namespace

dcsvm_predictor* dcsvm_predictor_load(const char* path, char* error, std::size_t error_size) {
  try {
    return new dcsvm_predictor(dcsvm::load_as<dcsvm::DcPredModel>(path == nullptr ? "" : path));
  } catch (const std::exception& e) {
    explain(e.what(), error, error_size);
  } catch (...) {
    explain("unknown error", error, error_size);
  }
  return nullptr;
}

dcsvm_predictor* dcsvm_predictor_clone(const dcsvm_predictor* predictor) {
  try {
    return new dcsvm_predictor(predictor->model);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void dcsvm_predictor_free(dcsvm_predictor* predictor) { delete predictor; }

std::ptrdiff_t dcsvm_predictor_features(const dcsvm_predictor* predictor) { return predictor->model.n_features(); }
std::ptrdiff_t dcsvm_predictor_outputs(const dcsvm_predictor* predictor) { return dcsvm::decision_columns(predictor->model); }
void dcsvm_predictor_decide(dcsvm_predictor* predictor, const float* x, float* out) { predictor->row.decide(x, out); }
double dcsvm_predictor_predict(dcsvm_predictor* predictor, const float* x) { return predictor->row.predict(x); }
