#include "dcsvm/params.hpp"

#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {

void register_params(py::module_& m) {
  py::class_<KernelParams>(m, "KernelParams")
      .def_property_readonly("type", [](const KernelParams& self) { return name_of(self.type); })
      .def_readonly("degree", &KernelParams::degree)
      .def_readonly("gamma", &KernelParams::gamma)
      .def_readonly("coef0", &KernelParams::coef0);
  params_class<TrainParams>(m, "TrainParams");
}

}  // namespace dcsvm::bindings
