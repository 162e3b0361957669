#include "core/device.hpp"

namespace fermat {

std::vector<DeviceInfo> list_devices() {
    std::vector<DeviceInfo> devices;
    const int count = device_count();
    for (int number = 0; number < count; ++number) devices.push_back(device_info(number));
    return devices;
}

}  // namespace fermat
