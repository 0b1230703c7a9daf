#include "dcsvm/predict.hpp"

#include "model_kind.hpp"
#include "register.hpp"

namespace dcsvm::bindings {

void register_predict(py::module_& m) {
  def_answer<Model>(m, "predict", predict);
  def_answer<Model>(m, "decision_function", decision_function, decision_columns);
  def_answer<Model>(m, "predict_proba", predict_proba, probability_columns);
}

}  // namespace dcsvm::bindings
