#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "core/field.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// True for a valid velocity of a node or cell: finite and > 0, or 0 for air.
FERMAT_HD inline bool is_velocity(float value) { return value >= 0 && !std::isinf(value); }
/// True for a valid slowness: > 0; infinite is air.
FERMAT_HD inline bool is_slowness(float value) { return value > 0; }

/// Result of a check of all velocities of a model.
struct VelocityCheck {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t first_bad = none;  ///< index of the first invalid value
    float bad_value = 0;
    bool has_air = false;
    bool has_rock = false;
};

/// Result of a check of a medium that may be given by its slowness.
struct MediumCheck {
    VelocityCheck velocity;
    std::size_t first_bad_slowness = VelocityCheck::none;
    float bad_slowness = 0;
};

VelocityCheck check_velocity(FieldView<const float> velocity);

/// Throws InputError that names the first bad node or cell, or says that all are air. `what` is
/// "node" or "cell".
void require_velocity(Shape shape, const VelocityCheck& check, std::string_view what = "node");
/// Throws InputError that names the first bad slowness.
void require_slowness(Shape shape, const MediumCheck& check);

}  // namespace fermat
