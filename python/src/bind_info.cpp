#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "core/device.hpp"
#include "core/version.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_info(nb::module_& module) {
    module.def(
        "build_info",
        [] {
            nb::dict info;
            info["version"] = std::string(version);
            info["compiler"] = std::string(build::compiler);
            info["type"] = std::string(build::type);
            info["cuda"] = std::string(build::cuda);
            info["mpi"] = std::string(build::mpi);
            info["native"] = std::string(build::native);
            return info;
        },
        nb::sig("def build_info() -> dict[str, str]"),
        "What is in this build: version, compiler, CUDA, MPI, native instructions.");
    module.def(
        "devices",
        [] {
            nb::list names;
            for (const DeviceInfo& device : list_devices()) names.append(device.name);
            return names;
        },
        nb::sig("def devices() -> list[str]"),
        "Names of the CUDA devices that this build can use; empty without one.");
}

}  // namespace fermat::python
