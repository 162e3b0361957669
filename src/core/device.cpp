#include "core/device.hpp"

#include "core/error.hpp"
#include "core/version.hpp"

namespace fermat {

std::vector<DeviceInfo> list_devices() {
    std::vector<DeviceInfo> devices;
    const int count = device_count();
    for (int number = 0; number < count; ++number) devices.push_back(device_info(number));
    return devices;
}

void refuse_opengl(Device wanted) {
    if (wanted != Device::opengl) return;
    throw InputError(
        "device is 'opengl' (it computes times by fim, and times and paths by bellman-ford: use "
        "cpu "
        "or cuda)");
}

bool on_cuda(Device wanted, const std::string& obstacle, const std::string& other_way) {
    refuse_opengl(wanted);
    if (wanted == Device::cpu) return false;
    if (wanted == Device::automatic) return obstacle.empty() && device_count() > 0;
    // First what no build could do: installing CUDA would not help.
    if (!obstacle.empty()) {
        throw InputError("device is 'cuda' (" + obstacle + ": use cpu" +
                         (other_way.empty() ? "" : ", or " + other_way) + ")");
    }
    if (build::cuda == "no") {
        throw InputError(
            "device is 'cuda' (CUDA is not in this build: configure with -DFERMAT_CUDA=ON, or use "
            "cpu)");
    }
    if (device_count() == 0) {
        throw InputError(
            "device is 'cuda' (this machine has no CUDA device, its driver is too old, or the "
            "process was forked after its parent used CUDA: use cpu, or spawn)");
    }
    return true;
}

}  // namespace fermat
