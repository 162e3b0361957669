#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/layer_problem.hpp"

namespace fermat {
namespace {

void require_errors(const PhasePicks& picks) {
    for (std::size_t n = 0; n < picks.survey.arrivals.size(); ++n) {
        const double error = picks.survey.arrivals[n].error;
        if (error > 0) continue;
        throw InputError(fmt::format(
            "pick {} has error {:g} (layers need errors > 0, to weigh the phases)", n, error));
    }
}

template <class Point>
std::string name_of_point(const Point& point, std::size_t number, std::string_view what) {
    return point.id.empty() ? fmt::format("{} {}", what, number)
                            : fmt::format("{} '{}'", what, point.id);
}

/// Points lie in the medium.
template <class Points>
void require_layers(const LayeredMedium& medium, const Points& points, std::string_view what) {
    for (std::size_t n = 0; n < points.size(); ++n) {
        medium.layer_of(points[n].position, name_of_point(points[n], n, what));
    }
}

template <class Points>
void note_thin_layers(const LayeredMedium& medium, const Points& points, std::string_view what,
                      Notes& notes) {
    std::size_t count = 0;
    std::string first;
    for (std::size_t n = 0; n < points.size(); ++n) {
        const Vec3 at = points[n].position;
        const int own = medium.layer_of(at, name_of_point(points[n], n, what));
        if (own == 0) continue;
        const double slack = 1e-6 * medium.grid().spacing.z;
        const double top = medium.top_of(own).depth_at(at.x, at.y);
        const double above = medium.top_of(own - 1).depth_at(at.x, at.y);
        if (top - above > slack || at.z - top > slack) continue;
        if (count++ > 0) continue;
        first =
            fmt::format("{} at x = {:g}, where layer {} ends at '{}'",
                        name_of_point(points[n], n, what), at.x, own - 1, medium.top_of(own).id());
    }
    if (count == 0) return;
    notes.add(fmt::format(
        "{} of {} {}s stand where a layer has no thickness, and lie in the one below it: {}", count,
        points.size(), what, first));
}

void require_depths(const LayeredMedium& medium, const LayerPrior& prior) {
    const auto [low, high] = medium.place().corners();
    for (const DepthDatum& datum : prior.depths) {
        const int number = medium.interface_of(datum.interface);
        if (number == 0) {
            throw InputError(fmt::format(
                "a depth is given of '{}', the surface (it stays where it is)", datum.interface));
        }
        const bool inside =
            datum.at.x >= low.x && datum.at.x <= high.x &&
            (medium.grid().is_2d() || (datum.at.y >= low.y && datum.at.y <= high.y));
        if (!inside) {
            throw InputError(fmt::format(
                "a depth of '{}' is given at ({:g}, {:g}) (outside the model, from ({:g}, {:g}) to "
                "({:g}, {:g}))",
                datum.interface, datum.at.x, datum.at.y, low.x, low.y, high.x, high.y));
        }
        if (datum.error > 0 && std::isfinite(datum.error) && std::isfinite(datum.at.z)) continue;
        throw InputError(
            fmt::format("a depth of '{}' is {:g} with error {:g} (the error must be > 0)",
                        datum.interface, datum.at.z, datum.error));
    }
}

void require_options(const LayeredMedium& medium, const PhasePicks& picks,
                     const LayerInversionOptions& options) {
    const InversionOptions& loop = options.loop;
    validate_options(loop);
    const bool other =
        loop.method != InversionMethod::automatic && loop.method != InversionMethod::gauss_newton;
    if (other || !loop.schedule.empty()) {
        const bool later = std::any_of(picks.phases.begin(), picks.phases.end(),
                                       [](const std::string& name) { return name != "P"; });
        throw InputError(fmt::format(
            "{} need `method=gauss-newton` without a schedule (or {})",
            later ? "picks of later phases" : "layers",
            later ? "take the first arrivals alone" : "leave them out: a grid has no layers"));
    }
    if (loop.gauss_newton.terms != Terms::none) {
        throw InputError(
            fmt::format("terms is '{}' in a run of later phases (it finds none: leave it out)",
                        name_of(loop.gauss_newton.terms)));
    }
    if (!picks.survey.differences.empty()) {
        throw InputError(
            "differences of times are given in a run of later phases (leave them out)");
    }
    const LayerPrior& prior = options.prior;
    if (prior.min_depth && prior.max_depth && *prior.min_depth >= *prior.max_depth) {
        throw InputError(fmt::format("min depth is {:g} and max depth {:g} (must be below it)",
                                     *prior.min_depth, *prior.max_depth));
    }
    for (const BlockPrior& block : prior.blocks) {
        if (is_deviation(block.deviation) && is_deviation(block.length)) continue;
        throw InputError(fmt::format("the deviation of '{}' is {:g} over {:g} (must be >= 0)",
                                     block.of, block.deviation, block.length));
    }
    if (loop.joint.relocate == Relocate::none) return;
    if (!medium.layers().front().p.is_plain()) {
        throw InputError(
            "events of later phases are moved in models of x, y, z with equal steps alone (leave "
            "`relocate` out)");
    }
}

}  // namespace

void note_thin_layers(const LayeredMedium& medium, const Survey& survey, Notes& notes) {
    note_thin_layers(medium, survey.events, "source", notes);
    note_thin_layers(medium, survey.stations, "receiver", notes);
}

void require_invertible(const LayeredMedium& start, const PhasePicks& picks,
                        const LayerInversionOptions& options) {
    validate_options(options.prior);
    validate_options(options.rays);
    validate(picks.survey);
    if (picks.survey.arrivals.empty()) throw InputError("there are no picks to invert");
    if (picks.phase_of.size() != picks.survey.arrivals.size()) {
        throw InputError("picks have no phase each");
    }
    require_errors(picks);
    for (const Layer& layer : start.layers()) {
        if (!layer.p.cells() && !(layer.s && layer.s->cells())) continue;
        throw InputError(
            "a layer is a model in cells (layers that are inverted have their velocities on "
            "nodes)");
    }
    require_options(start, picks, options);
    for (const std::string& name : picks.phases) require_waves(branch_of(start, name), start);
    require_layers(start, picks.survey.events, "source");
    require_layers(start, picks.survey.stations, "receiver");
    require_depths(start, options.prior);
    // Its unknowns are what the rest is about: whether there are any, and of which blocks.
    LayerProblem(start, picks, options, {});
}

}  // namespace fermat
