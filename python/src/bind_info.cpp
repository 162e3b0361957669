#include <nanobind/stl/string.h>

#include <string>
#include <type_traits>

#include "bindings.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "location/options.hpp"
#include "location/relocate.hpp"
#include "tomography/invert.hpp"
#include "tomography/layers/layer_options.hpp"
#include "tomography/start/first_guess.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class Options>
nb::list described() {
    nb::list list;
    const Options defaults;
    for_each_option(defaults, [&](const auto& option, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        nb::dict entry;
        entry["name"] = std::string(option.name);
        entry["meaning"] = std::string(option.meaning);
        if constexpr (std::is_enum_v<Value>) {
            nb::list names;
            for (const auto& [name, choice] : choices<Value>.entries) {
                if (option.rule.admits(choice)) names.append(std::string(name));
            }
            entry["choices"] = names;
            entry["default"] = std::string(name_of(value));
        } else if constexpr (std::is_arithmetic_v<Value>) {
            entry["default"] = value;
        }
        list.append(entry);
    });
    return list;
}

}  // namespace

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
        "What is in this build: version, compiler, CUDA, MPI, native instructions.\n\n"
        ">>> import fermat as fm\n"
        ">>> sorted(fm.build_info())\n"
        "['compiler', 'cuda', 'mpi', 'native', 'type', 'version']");
    module.def(
        "devices",
        [] {
            nb::list names;
            for (const DeviceInfo& device : list_devices()) names.append(device.name);
            return names;
        },
        nb::sig("def devices() -> list[str]"),
        "Names of the CUDA devices that this build can use; empty without one.\n\n"
        ">>> import fermat as fm\n"
        ">>> device = 'cuda' if fm.devices() else 'cpu'");
    module.def(
        "options",
        [] {
            nb::dict all;
            all["eikonal"] = described<EikonalOptions>();
            all["graph"] = described<GraphOptions>();
            all["bending"] = described<BendingOptions>();
            all["rays"] = described<RayOptions>();
            all["smoothing"] = described<SmoothingOptions>();
            all["guess"] = described<GuessOptions>();
            all["layers"] = described<LayerPrior>();
            all["inversion"] = described<InversionOptions>();
            all["locate"] = described<LocateOptions>();
            all["relocate"] = described<RelocateOptions>();
            return all;
        },
        nb::sig("def options() -> dict[str, list[dict[str, typing.Any]]]"),
        "The options of each method as the library describes them: name, meaning, default and "
        "choices.");
}

}  // namespace fermat::python
