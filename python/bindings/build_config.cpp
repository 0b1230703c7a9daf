#include "dcsvm/build_config.hpp"

#include <pybind11/stl.h>

#include "register.hpp"

namespace dcsvm::bindings {

void register_build_config(py::module_& m) {
  m.def(
      "build_config",
      [] {
        const BuildConfig c = build_config();
        py::dict d;
        d["version"] = c.version;
        d["compiler"] = c.compiler;
        d["isa_built"] = c.isa_built;
        d["isa"] = c.isa;
        d["n_threads"] = c.n_threads;
        return d;
      },
      R"(How the library was built, and what it uses on this machine.

Returns
-------
dict
    version; compiler; isa_built: the instruction sets that the library has; isa: the one that is used; n_threads: the default
    number of threads.
)");
}

}  // namespace dcsvm::bindings
