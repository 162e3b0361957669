#include "core/error.hpp"
#include "model/velocity_check.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {

void require_on_device(const float*) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON)");
}
VelocityCheck check_velocity(FieldView<const float, Space::device>) { return {}; }
void fetch_box(FieldView<const float, Space::device>, Index3, FieldView<float>) {}

}  // namespace fermat
