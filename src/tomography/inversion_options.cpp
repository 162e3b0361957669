#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "model/metric_makers.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/gauss_newton/known_ground.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint/invert_joint.hpp"

namespace fermat {
namespace {

void check_reference(const Model* reference, const Model& start) {
    if (reference == nullptr) return;
    const Grid& grid = reference->grid();
    if (!same_coordinates(*reference, start)) {
        throw InputError(
            "the reference model has other coordinates than the start model (must have the same)");
    }
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

void check_picks(const InversionOptions& options, const Survey& picks) {
    if (picks.arrivals.empty()) throw InputError("there is no pick (at least one is needed)");
    validate(picks);
    const bool need_errors = options.target_chi2 > 0;
    if (need_errors && !picks.has_errors) {
        throw InputError("target chi2 is given and the picks have no errors (use target rms)");
    }
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        const bool early = options.joint.relocate == Relocate::none &&
                           pick.time < picks.event_of(pick).origin_time;
        if (!std::isfinite(pick.time) || early) {
            throw InputError(
                fmt::format("time of pick {} is {} (must be finite and not before the origin time)",
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
    // Only boxes are smoothed.
    const bool smooths = !by_boxes(options) || options.smoother == Smoother::table ||
                         options.smoother == Smoother::running;
    if (!follows_a_field(options.tracer)) {
        return on_cuda(device, fmt::format("tracer '{}' of an inversion computes on the CPU",
                                           name_of(options.tracer)));
    }
    if (options.method == InversionMethod::adjoint) {
        return on_cuda(options.eikonal, device, start);
    }
    return traces_on_cuda(ray_options(options), device, start) &&
           on_cuda(device, smooths ? ""
                                   : fmt::format("smoother '{}' computes on the CPU",
                                                 name_of(options.smoother)));
}

RayOptions ray_options(const InversionOptions& options) {
    RayOptions rays;
    rays.tracer = options.tracer;
    rays.eikonal = options.eikonal;
    rays.bending.starts = options.fieldless.starts;
    rays.bending.segment = options.fieldless.segment;
    rays.graph.radius = options.fieldless.radius;
    return rays;
}

void validate(const InversionOptions& options, const Survey& picks, const Medium& medium) {
    const Model& start = medium.first();
    const Grid& grid = start.grid();
    validate(ray_options(options), grid);
    if (options.tracer == Tracer::bending) require_nodes(start, "tracer 'bending'");
    if (!options.schedule.empty()) validate(options.schedule);
    validate_options(options);
    if (options.method == InversionMethod::gauss_newton && !options.schedule.empty()) {
        throw InputError(
            "a schedule is given and the method is 'gauss-newton' (a schedule is for 'hole')");
    }
    if (options.gauss_newton.norm == DataNorm::l2 && options.outliers.value_or(0) > 0) {
        throw InputError(
            fmt::format("outliers is {} and the norm is 'l2', which leaves none out (use "
                        "`norm=trimmed`, or leave "
                        "outliers away)",
                        *options.outliers));
    }
    if (options.gauss_newton.known) {
        if (by_boxes(options) || options.method == InversionMethod::adjoint ||
            is_joint(picks, options)) {
            throw InputError(
                "a log, regions, edges, a guide or a prior model are given and the run is not "
                "of one velocity by 'gauss-newton' (only that method knows them)");
        }
        validate(*options.gauss_newton.known, start);
    }
    const bool mixed = options.gauss_newton.roughness.kind == Regularisation::mixed;
    if (mixed &&
        (!grid.is_2d() || is_joint(picks, options) || options.method == InversionMethod::adjoint)) {
        throw InputError(
            "regularisation is 'mixed' (it is for one velocity in 2-D by 'gauss-newton': use "
            "`regularisation=second` or `regularisation=blocky`)");
    }
    check_reference(options.gauss_newton.reference.get(), start);
    check_lengths(options.gauss_newton.roughness, grid.is_2d());
    const UpdateLimits& update = options.update;
    if (!(update.step > 0 && std::isfinite(update.step))) {
        throw InputError(fmt::format("step is {} (must be > 0)", update.step));
    }
    if (!(update.max_velocity > update.min_velocity && update.max_velocity > 0)) {
        throw InputError(fmt::format("max velocity is {} (must be above min velocity, which is {})",
                                     update.max_velocity, update.min_velocity));
    }
    check_picks(options, picks);
    validate(picks, start);
    validate_joint(options, picks, medium);
}

}  // namespace fermat
