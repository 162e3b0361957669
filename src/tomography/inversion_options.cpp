#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "core/version.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

void require(bool good, const char* name, double value, const char* right) {
    if (!good) throw InputError(fmt::format("{} is {} (must be {})", name, value, right));
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

bool runs_on_cuda(const InversionOptions& options) {
    std::string obstacle;
    if (options.eikonal.solver != Solver::fim) {
        obstacle = fmt::format("solver '{}' computes on the CPU", name_of(options.eikonal.solver));
    } else if (options.smoother != Smoother::table && options.smoother != Smoother::running) {
        obstacle = fmt::format("smoother '{}' computes on the CPU", name_of(options.smoother));
    }
    return on_cuda(options.eikonal.device, obstacle);
}

RayOptions ray_options(const InversionOptions& options) {
    RayOptions rays;
    rays.tracer = options.tracer;
    rays.eikonal = options.eikonal;
    return rays;
}

void validate(const InversionOptions& options, const Picks& picks, const Grid& grid) {
    validate(ray_options(options), grid);
    runs_on_cuda(options);
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
    require(options.outliers == 0 || (options.outliers >= 1 && std::isfinite(options.outliers)),
            "outliers", options.outliers, "0 for none, or >= 1");
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

std::string run_fingerprint(const Model& start, const Picks& picks,
                            const InversionOptions& options) {
    Fingerprint print;
    print.add(version);
    const Grid& grid = start.grid();
    for (int axis = 0; axis < 3; ++axis) {
        print.add(grid.shape[axis]);
        print.add(grid.origin[axis]);
        print.add(grid.spacing[axis]);
    }
    print.add(std::span<const float>(start.velocity().begin(), start.velocity().end()));
    for (const auto* points : {&picks.sources, &picks.receivers}) {
        print.add(points->size());
        for (const Vec3 p : *points) {
            for (int axis = 0; axis < 3; ++axis) print.add(p[axis]);
        }
    }
    for (const Pick& pick : picks.picks) {
        print.add(pick.source);
        print.add(pick.receiver);
        print.add(pick.time);
        print.add(pick.error);
    }
    print.add(picks.has_errors);
    print.add(options.eikonal.solver);
    print.add(options.eikonal.order);
    print.add(runs_on_cuda(options));
    print.add(options.tracer);
    for (const Stage& stage : options.schedule) {
        for (const SmoothingSize& size : {stage.cell, stage.vertex}) {
            for (int axis = 0; axis < 3; ++axis) print.add(size[axis]);
        }
        print.add(stage.iterations);
        print.add(stage.cell_passes);
        print.add(stage.vertex_passes);
    }
    print.add(options.smoother);
    print.add(options.share);
    print.add(options.weights);
    for (const double value : {options.target_rms, options.target_chi2, options.stagnation,
                               options.outliers, options.update.step, options.update.max_change,
                               options.update.min_velocity, options.update.max_velocity}) {
        print.add(value);
    }
    return print.text();
}

}  // namespace fermat
