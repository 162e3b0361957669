#include "rays/bending/lots.hpp"

#include "core/error.hpp"
#include "model/velocity_check.hpp"

namespace fermat::detail {

int segments_for(double length, double segment) {
    constexpr int least = 4;
    constexpr int most = 1024;
    int segments = least;
    while (segments < most && segments * segment < length) segments *= 2;
    return segments;
}

double segment_length(const BendingOptions& options, const Grid& grid) {
    if (options.segment > 0) return options.segment;
    const double level = grid.is_2d() ? grid.spacing.x : std::min(grid.spacing.x, grid.spacing.y);
    return 0.5 * std::min(level, grid.spacing.z);
}

Field<float> slowness_of(const Model& model) {
    // The model may view memory that others write to. A bad velocity would lead a ray out of the
    // grid.
    const auto velocity = model.velocity();
    const VelocityCheck check = check_velocity(velocity);
    require_velocity(model.grid().shape, check);
    if (check.has_air && !model.has_air()) {
        throw InputError(
            "velocity became 0 (air) at some nodes after the model was made (make a model of the "
            "array as it is now)");
    }
    Field<float> slowness(model.grid().shape);
    for (std::size_t n = 0; n < slowness.size(); ++n) {
        slowness[n] = velocity[n] > 0 ? 1 / velocity[n] : 0;
    }
    return slowness;
}

}  // namespace fermat::detail
