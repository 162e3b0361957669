#include "model/by_depth.hpp"

#include <algorithm>

namespace fermat {

bool depends_on_depth(const Model& model) {
    const FieldView<const float> given = model.given();
    const auto depth = static_cast<std::size_t>(given.shape().z);
    const float* const first = given.data();
    for (std::size_t n = depth; n < given.size(); n += depth) {
        if (!std::equal(first, first + depth, first + n)) return false;
    }
    return true;
}

}  // namespace fermat
