#include "core/no_cuda.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {

void require_on_device(const float*) { refuse_cuda(); }
void wait_for_writers() {}
std::shared_ptr<float> memory_in_stream(std::size_t) { return {}; }
MediumCheck look_at(const LookedAt&, std::span<const NodeBox>, std::span<Field<float>>) {
    return {};
}

}  // namespace fermat
