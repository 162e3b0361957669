#include "core/device.hpp"
#include "core/error.hpp"

namespace fermat {

int device_count() { return 0; }

DeviceInfo device_info(int) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON)");
}

void use_device(int) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON)");
}

int device_in_use() { return 0; }

std::shared_ptr<float> allocate_on_device(std::size_t) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON)");
}

}  // namespace fermat
