#include "core/no_cuda.hpp"
#include "model/velocity_check.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {

void require_on_device(const float*) { refuse_cuda(); }
VelocityCheck check_velocity(FieldView<const float, Space::device>) { return {}; }
void fetch_box(FieldView<const float, Space::device>, Index3, FieldView<float>) {}

}  // namespace fermat
