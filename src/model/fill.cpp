#include "model/fill.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>

#include "core/error.hpp"

namespace fermat::detail {

void require_velocity(std::string_view what, double velocity, bool air_allowed) {
    using Limits = std::numeric_limits<float>;
    // A velocity below the smallest normal float would become air, or its slowness infinite.
    if (!(velocity >= static_cast<double>(Limits::min())) ||
        !(velocity <= static_cast<double>(Limits::max()))) {
        throw InputError(fmt::format("{} {} (must be finite and > 0{})", what, velocity,
                                     air_allowed ? ", or 0 for air" : ""));
    }
}

void require_amplitude(double amplitude) {
    if (!(std::abs(amplitude) < 1)) {
        throw InputError(
            fmt::format("amplitude is {} (a relative amplitude must lie between -1 and 1, so that "
                        "velocity stays positive)",
                        amplitude));
    }
}

Field<float> allocate(const Grid& grid, Placement placement) {
    validate(grid);
    try {
        return Field<float>(sample_points(grid, placement).shape);
    } catch (const std::bad_alloc&) {
        throw ComputeError(fmt::format(
            "not enough memory for a model of {} nodes ({:.1f} GiB)", to_string(grid.shape),
            static_cast<double>(grid.node_count()) * sizeof(float) / (1024.0 * 1024.0 * 1024.0)));
    }
}

Model extrude(const Grid& grid, std::span<const float> column, Placement placement) {
    Field<float> values = allocate(grid, placement);
    for (float* out = values.begin(); out != values.end(); out += column.size()) {
        std::copy(column.begin(), column.end(), out);
    }
    return make_model(grid, std::move(values), placement);
}

}  // namespace fermat::detail
