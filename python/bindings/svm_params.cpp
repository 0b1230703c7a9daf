#include "dcsvm/params.hpp"

#include <cstddef>

#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// traits_of each formulation, by its name.
py::dict formulations() {
  py::dict all;
  for (std::size_t i = 0; i < names_of(Formulation{}).size(); ++i) {
    const FormulationTraits has = traits_of(static_cast<Formulation>(i));
    py::dict one;
    one["classes"] = has.classes;
    one["numbers"] = has.numbers;
    one["sides"] = has.sides;
    one["C"] = has.C;
    one["nu"] = has.nu;
    one["epsilon"] = has.epsilon;
    all[has.name] = one;
  }
  return all;
}

}  // namespace

void register_params(py::module_& m) {
  py::class_<KernelParams>(m, "KernelParams")
      .def_property_readonly("type", [](const KernelParams& self) { return name_of(self.type); })
      .def_readonly("degree", &KernelParams::degree)
      .def_readonly("gamma", &KernelParams::gamma)
      .def_readonly("coef0", &KernelParams::coef0);
  params_class<TrainParams>(m, "TrainParams");
  m.def("formulations", formulations);
}

}  // namespace dcsvm::bindings
