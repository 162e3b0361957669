#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "core/field.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// What may stand on a node or in a cell: a finite velocity > 0, or 0 for air.
FERMAT_HD inline bool is_velocity(float value) { return value >= 0 && !std::isinf(value); }

/// What the nodes or cells of a model hold.
struct VelocityCheck {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t first_bad = none;  ///< the first that holds no velocity
    float bad_value = 0;
    bool has_air = false;
    bool has_rock = false;
};

VelocityCheck check_velocity(FieldView<const float> velocity);
/// On the device; throws ComputeError where the memory cannot be read there.
VelocityCheck check_velocity(FieldView<const float, Space::device> velocity);

/// Throws InputError that names the first bad one of the nodes, or cells, as `what` calls them, or
/// says that all of them are air.
void require_velocity(Shape shape, const VelocityCheck& check, std::string_view what = "node");

}  // namespace fermat
