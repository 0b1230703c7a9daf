#include <pybind11/stl.h>

#include "dcsvm/params.hpp"
#include "names.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
void register_params(py::module_& m) {
  py::class_<KernelParams> kernel(m, "KernelParams");
  kernel.def(py::init<>())
      .def_readwrite("degree", &KernelParams::degree)
      .def_readwrite("gamma", &KernelParams::gamma)
      .def_readwrite("coef0", &KernelParams::coef0);
  named<&KernelParams::type>(kernel, "type");

  py::class_<TrainParams> train(m, "TrainParams");
  train.def(py::init<>())
      .def_readwrite("kernel", &TrainParams::kernel)
      .def_readwrite("C", &TrainParams::C)
      .def_readwrite("nu", &TrainParams::nu)
      .def_readwrite("epsilon", &TrainParams::epsilon)
      .def_readwrite("fit_intercept", &TrainParams::fit_intercept)
      .def_readwrite("tol", &TrainParams::tol)
      .def_readwrite("cache_size", &TrainParams::cache_size)
      .def_readwrite("shrinking", &TrainParams::shrinking)
      .def_readwrite("max_iter", &TrainParams::max_iter)
      .def_readwrite("class_weight", &TrainParams::class_weight)
      .def_readwrite("balanced", &TrainParams::balanced)
      .def_readwrite("probability", &TrainParams::probability)
      .def_readwrite("n_levels", &TrainParams::n_levels)
      .def_readwrite("branching", &TrainParams::branching)
      .def_readwrite("sample_size", &TrainParams::sample_size)
      .def_readwrite("balance_clusters", &TrainParams::balance_clusters)
      .def_readwrite("early_level", &TrainParams::early_level)
      .def_readwrite("n_support_estimate", &TrainParams::n_support_estimate)
      .def_readwrite("rand_epsilon", &TrainParams::rand_epsilon)
      .def_readwrite("rand_delta", &TrainParams::rand_delta)
      .def_readwrite("sample_factor", &TrainParams::sample_factor)
      .def_readwrite("cascade_leaves", &TrainParams::cascade_leaves)
      .def_readwrite("cascade_passes", &TrainParams::cascade_passes)
      .def_readwrite("seed", &TrainParams::seed)
      .def_readwrite("n_threads", &TrainParams::n_threads);
  named<&TrainParams::formulation>(train, "formulation");
  named<&TrainParams::gamma_rule>(train, "gamma_rule");
  named<&TrainParams::precision>(train, "precision");
  named<&TrainParams::solver>(train, "solver");
  named<&TrainParams::clustering>(train, "clustering");
  named<&TrainParams::prediction>(train, "prediction");
}

}  // namespace dcsvm::bindings
