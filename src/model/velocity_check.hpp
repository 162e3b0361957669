#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "core/field.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// What may stand on a node: a finite velocity > 0, or 0 for air.
FERMAT_HD inline bool is_velocity(float value) { return value >= 0 && !std::isinf(value); }

/// What the nodes of a model hold.
struct VelocityCheck {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t first_bad = none;  ///< the first node that holds no velocity
    float bad_value = 0;
    bool has_air = false;
    bool has_rock = false;
};

VelocityCheck check_velocity(FieldView<const float> velocity);
/// On the device; throws ComputeError where the memory cannot be read there.
VelocityCheck check_velocity(FieldView<const float, Space::device> velocity);

/// Throws InputError that names the first bad node, or says that all of them are air.
void require_velocity(const Grid& grid, const VelocityCheck& check);

}  // namespace fermat
