#include "cli/eikonal_flags.hpp"

#include <fmt/format.h>

#include "cli/flags.hpp"
#include "core/error.hpp"
#include "core/version.hpp"

namespace fermat::cli {

Device usable_device(const CommonOptions& common) {
    if (common.device == Device::opengl) {
        throw InputError(
            "--device is 'opengl' (it computes times by --solver fim, and times and paths by "
            "bellman-ford: use cpu or cuda)");
    }
    if (common.device == Device::cuda && build::cuda == "no") {
        throw InputError(
            "--device is 'cuda' (CUDA is not in this build: configure with -DFERMAT_CUDA=ON, or "
            "use cpu)");
    }
    if (common.device == Device::cuda && device_count() == 0) {
        throw InputError(
            "--device is 'cuda' (this machine has no CUDA device, or its driver is too old: use "
            "cpu)");
    }
    return common.device;
}

void require_cpu(const CommonOptions& common, std::string_view command) {
    if (usable_device(common) != Device::cuda) return;
    throw InputError(fmt::format("--device is 'cuda' ({} computes on the CPU: use cpu)", command));
}

}  // namespace fermat::cli
