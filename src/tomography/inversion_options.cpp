#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

void check_reference(const Model* reference, const Model& start) {
    if (reference == nullptr) return;
    const Grid& grid = reference->grid();
    if (grid == start.grid() && (reference->cells() != nullptr) == (start.cells() != nullptr)) {
        return;
    }
    const Vec3 h = grid.spacing;
    const Vec3 own = start.grid().spacing;
    throw InputError(fmt::format(
        "the reference model has {} nodes of spacing ({}, {}, {}) and the start model {} of ({}, "
        "{}, {}) (both must be on one grid, and velocity on nodes or in cells of both)",
        to_string(grid.shape), h.x, h.y, h.z, to_string(start.grid().shape), own.x, own.y, own.z));
}

void check_lengths(const RoughnessOptions& roughness, bool is_2d) {
    const Vec3 lengths = roughness.lengths;
    const bool differ = lengths.x != lengths.z || (!is_2d && lengths.x != lengths.y);
    if (differ && !(roughness.weights == Vec3{})) {
        throw InputError(
            "correlation lengths differ along the axes and axis weights are given (lengths are "
            "weights: leave one of them out)");
    }
}

void check_points(const Picks& picks, const Grid& grid) {
    for (std::size_t s = 0; s < picks.sources.size(); ++s) {
        require_inside(grid, picks.sources[s], fmt::format("source {}", s));
    }
    for (std::size_t r = 0; r < picks.receivers.size(); ++r) {
        require_inside(grid, picks.receivers[r], fmt::format("receiver {}", r));
    }
}

void check_picks(const InversionOptions& options, const Picks& picks) {
    if (picks.picks.empty()) throw InputError("there is no pick (at least one is needed)");
    const bool need_errors = options.target_chi2 > 0;
    if (need_errors && !picks.has_errors) {
        throw InputError("target chi2 is given and the picks have no errors (use target rms)");
    }
    for (std::size_t n = 0; n < picks.picks.size(); ++n) {
        const Pick& pick = picks.picks[n];
        const bool there =
            pick.source >= 0 && static_cast<std::size_t>(pick.source) < picks.sources.size() &&
            pick.receiver >= 0 && static_cast<std::size_t>(pick.receiver) < picks.receivers.size();
        if (!there) {
            throw InputError(fmt::format(
                "pick {} is between source {} and receiver {} (there are {} and {})", n,
                pick.source, pick.receiver, picks.sources.size(), picks.receivers.size()));
        }
        if (!std::isfinite(pick.time) || pick.time < 0) {
            throw InputError(fmt::format("time of pick {} is {} (must be finite and not negative)",
                                         n, pick.time));
        }
        if (picks.has_errors && !(pick.error > 0 && std::isfinite(pick.error))) {
            throw InputError(fmt::format(
                "error of pick {} is {} (must be > 0; leave out all errors where they are unknown)",
                n, pick.error));
        }
    }
}

}  // namespace

bool runs_on_cuda(const InversionOptions& options, Device device, const Model& start) {
    const bool smooths =
        options.smoother == Smoother::table || options.smoother == Smoother::running;
    return on_cuda(options.eikonal, device, start) &&
           on_cuda(device, smooths ? ""
                                   : fmt::format("smoother '{}' computes on the CPU",
                                                 name_of(options.smoother)));
}

RayOptions ray_options(const InversionOptions& options) {
    RayOptions rays;
    rays.tracer = options.tracer;
    rays.eikonal = options.eikonal;
    return rays;
}

void validate(const InversionOptions& options, const Picks& picks, const Model& start) {
    const Grid& grid = start.grid();
    validate(ray_options(options), grid);
    if (!options.schedule.empty()) validate(options.schedule);
    validate_options(options);
    if (options.method == InversionMethod::gauss_newton && !options.schedule.empty()) {
        throw InputError(
            "a schedule is given and the method is 'gauss-newton' (a schedule is for 'hole')");
    }
    check_reference(options.gauss_newton.reference.get(), start);
    check_lengths(options.gauss_newton.roughness, grid.is_2d());
    const bool targets = options.target_rms > 0 || options.target_chi2 > 0;
    if (options.method == InversionMethod::gauss_newton && targets &&
        options.gauss_newton.lambda > 0) {
        throw InputError(fmt::format(
            "smoothing is kept at {} and a target is given (one of them decides: leave the other "
            "out)",
            options.gauss_newton.lambda));
    }
    const UpdateLimits& update = options.update;
    if (!(update.step > 0 && std::isfinite(update.step))) {
        throw InputError(fmt::format("step is {} (must be > 0)", update.step));
    }
    if (!(update.max_velocity > update.min_velocity && update.max_velocity > 0)) {
        throw InputError(fmt::format("max velocity is {} (must be above min velocity, which is {})",
                                     update.max_velocity, update.min_velocity));
    }
    check_picks(options, picks);
    check_points(picks, grid);
}

}  // namespace fermat
