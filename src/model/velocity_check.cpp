#include "model/velocity_check.hpp"

#include <fmt/format.h>

#include <string>

#include "core/error.hpp"

namespace fermat {
namespace {

std::string place_name(Shape shape, std::size_t offset) {
    const auto nz = static_cast<std::size_t>(shape.z);
    const auto ny = static_cast<std::size_t>(shape.y);
    const std::size_t k = offset % nz;
    const std::size_t j = offset / nz % ny;
    const std::size_t i = offset / nz / ny;
    return shape.y == 1 ? fmt::format("({}, {})", i, k) : fmt::format("({}, {}, {})", i, j, k);
}

}  // namespace

VelocityCheck check_velocity(FieldView<const float> velocity) {
    VelocityCheck check;
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        const float v = velocity[n];
        if (!is_velocity(v)) {
            check.first_bad = n;
            check.bad_value = v;
            return check;
        }
        check.has_air |= v == 0;
        check.has_rock |= v > 0;
    }
    return check;
}

void require_velocity(Shape shape, const VelocityCheck& check, std::string_view what) {
    if (check.first_bad != VelocityCheck::none) {
        throw InputError(
            fmt::format("velocity at {} {} is {} (must be finite and > 0, or 0 for air)", what,
                        place_name(shape, check.first_bad), check.bad_value));
    }
    if (!check.has_rock) {
        throw InputError(
            fmt::format("velocity is 0 at every {} (all air; nothing can propagate)", what));
    }
}

void require_slowness(Shape shape, const MediumCheck& check) {
    if (check.first_bad_slowness == VelocityCheck::none) return;
    throw InputError(fmt::format("slowness at {} is {:g} (must be > 0, or inf for air)",
                                 place_name(shape, check.first_bad_slowness), check.bad_slowness));
}

}  // namespace fermat
