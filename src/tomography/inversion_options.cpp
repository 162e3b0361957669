#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

void require(bool good, const char* name, double value, const char* right) {
    if (!good) throw InputError(fmt::format("{} is {} (must be {})", name, value, right));
}

void validate(const GaussNewtonOptions& newton) {
    const auto not_negative = [](double value) { return value >= 0 && std::isfinite(value); };
    const Vec3 weights = newton.roughness.weights;
    const bool chosen = weights == Vec3{};
    for (int axis = 0; axis < 3 && !chosen; ++axis) {
        require(weights[axis] > 0 && std::isfinite(weights[axis]), "an axis weight", weights[axis],
                "> 0");
    }
    require(not_negative(newton.roughness.length), "correlation length", newton.roughness.length,
            ">= 0");
    require(not_negative(newton.lambda), "smoothing", newton.lambda, ">= 0; 0: found");
    constexpr int most_iterations = 1000;
    require(newton.iterations >= 1 && newton.iterations <= most_iterations, "iterations",
            newton.iterations, "from 1 to 1000");
    const Index3 ratio = newton.ratio;
    const bool found = ratio == Index3{};
    for (int axis = 0; axis < 3 && !found; ++axis) {
        require(ratio[axis] >= 1, "an unknown ratio", ratio[axis], ">= 1; 0 on all axes: found");
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
    const bool descends = options.tracer == Tracer::descent || options.tracer == Tracer::cells ||
                          options.tracer == Tracer::grid;
    if (!descends) {
        throw InputError(
            fmt::format("tracer of an inversion is '{}' (must be one that follows the "
                        "time field: descent, cells, or grid in 2-D)",
                        name_of(options.tracer)));
    }
    if (!options.schedule.empty()) validate(options.schedule);
    const auto not_negative = [](double value) { return value >= 0 && std::isfinite(value); };
    require(not_negative(options.target_rms), "target rms", options.target_rms, ">= 0");
    require(not_negative(options.target_chi2), "target chi2", options.target_chi2, ">= 0");
    require(options.stagnation >= 0 && options.stagnation < 1, "stagnation", options.stagnation,
            ">= 0 and < 1");
    const double outliers = options.outliers.value_or(0);
    require(outliers == 0 || (outliers >= 1 && std::isfinite(outliers)), "outliers", outliers,
            "0 for none, or >= 1");
    if (options.method == InversionMethod::gauss_newton && !options.schedule.empty()) {
        throw InputError(
            "a schedule is given and the method is 'gauss-newton' (a schedule is for 'hole')");
    }
    validate(options.gauss_newton);
    const UpdateLimits& update = options.update;
    require(update.step > 0 && std::isfinite(update.step), "step", update.step, "> 0");
    require(update.max_change > 0 && update.max_change < 1, "max update", update.max_change,
            "> 0 and < 1");
    require(not_negative(update.min_velocity), "min velocity", update.min_velocity, ">= 0");
    require(update.max_velocity > update.min_velocity && update.max_velocity > 0, "max velocity",
            update.max_velocity, "above min velocity");
    check_picks(options, picks);
    check_points(picks, grid);
}

}  // namespace fermat
