#include "tomography/start/first_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "model/analytic.hpp"
#include "tomography/start/far_events.hpp"

namespace fermat {
namespace {

/// One pick with its ends by their depths below the ground.
struct FlatPick {
    Vec3 source;
    Vec3 receiver;
    double time;
};

std::vector<FlatPick> flattened(const Survey& picks, double top,
                                const std::optional<Surface>& ground) {
    const auto flat = [&](Vec3 p) {
        p.z -= ground ? surface_at(*ground, p) : top;
        return p;
    };
    constexpr std::size_t most = 1000;  // two numbers are fitted: no more picks are needed
    const std::size_t stride = std::max<std::size_t>(1, picks.arrivals.size() / most);
    std::vector<FlatPick> out;
    for (std::size_t n = 0; n < picks.arrivals.size(); n += stride) {
        const Arrival& pick = picks.arrivals[n];
        if (!(pick.time > 0)) continue;
        out.push_back({flat(picks.event_of(pick).position), flat(picks.station_of(pick).position),
                       pick.time});
    }
    return out;
}

double sum_of_differences(std::span<const FlatPick> picks, double v0, double gradient) {
    const LinearVelocity medium{v0, {0, 0, gradient}};
    double sum = 0;
    for (const FlatPick& pick : picks) {
        sum += std::abs(medium.time(pick.source, pick.receiver) - pick.time);
    }
    return sum;
}

/// Nodes along each axis of a box of some size, margins and all.
Shape nodes_for(Vec3 size, double h, bool is_2d) {
    const auto nodes = [&](double length) {
        return static_cast<int>(std::ceil(length / h - 1e-9)) + 1;
    };
    return {nodes(size.x), is_2d ? 1 : std::max(2, nodes(size.y)), std::max(2, nodes(size.z))};
}

/// How deep a model is below the ground: a third deeper than the longest ray dives.
double reach_of_rays(const GradientFit& fit, const SurveyShape& shape) {
    return std::clamp(4 * fit.deepest / 3, shape.longest / 6, shape.longest / 2);
}

double lowest_of(std::span<const Vec3> points) {
    double lowest = points.front().z;
    for (const Vec3& p : points) lowest = std::max(lowest, p.z);
    return lowest;
}

/// Velocity where the longest ray turns. Rays between boreholes, or from events below, dive no
/// deeper than their ends: there the velocity of the deepest point is seen as well.
double fastest_seen(const GradientFit& fit, const SurveyShape& shape) {
    if (!(fit.gradient > 0)) return fit.v0;
    const double turning = std::hypot(fit.v0, fit.gradient * shape.longest / 2);
    if (shape.along_surface) return turning;
    return std::max(turning, fit.v0 + fit.gradient * (shape.high.z - shape.low.z));
}

/// Relief that hardly tells in times over distance.
bool is_level(const SurveyShape& shape) {
    constexpr double little = 0.02;  // of the longest distance
    const auto by_depth = [](const Vec3& a, const Vec3& b) { return a.z < b.z; };
    const std::vector<Vec3>& points = shape.ground.points;
    if (points.empty()) return true;
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_depth);
    return high->z - low->z <= little * shape.longest;
}

double spacing_for(const SurveyShape& shape, Vec3 size) {
    const double most = shape.is_2d ? 1e5 : 5e5;
    const double longest = std::max({size.x, shape.is_2d ? 0 : size.y, size.z});
    double h = std::min(shape.point_distance / 2, longest / 40);
    const auto count = [&](double spacing) {
        return static_cast<double>(nodes_for(size, spacing, shape.is_2d).count());
    };
    while (count(h) > most) h *= 1.1;
    // Two digits: a number that people would choose.
    const double unit = std::pow(10, std::floor(std::log10(h)) - 1);
    return std::ceil(h / unit - 1e-9) * unit;
}

}  // namespace

GradientFit fit_gradient(const Survey& picks, const SurveyShape& shape,
                         const std::optional<Surface>& ground) {
    const auto flat = flattened(picks, shape.low.z, ground);
    // In logarithms of v0 and of gradient * longest / v0: coarse first, then closer three times.
    double v_low = std::log(0.3 * shape.slowest);
    double v_high = std::log(1.5 * shape.fastest);
    double g_low = std::log(1e-3);
    double g_high = std::log(300.0);
    double best = std::numeric_limits<double>::infinity();
    GradientFit fit;
    for (int round = 0; round < 4; ++round) {
        constexpr int steps = 16;
        double best_v = 0;
        double best_g = 0;
        best = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= steps; ++i) {
            for (int j = 0; j <= steps; ++j) {
                const double v = v_low + (v_high - v_low) * i / steps;
                const double g = g_low + (g_high - g_low) * j / steps;
                const double v0 = std::exp(v);
                const double gradient = std::exp(g) * v0 / shape.longest;
                const double sum = sum_of_differences(flat, v0, gradient);
                if (sum >= best) continue;
                best = sum;
                best_v = v;
                best_g = g;
                fit.v0 = v0;
                fit.gradient = gradient;
            }
        }
        const double v_step = (v_high - v_low) / steps;
        const double g_step = (g_high - g_low) / steps;
        v_low = best_v - v_step;
        v_high = best_v + v_step;
        g_low = best_g - g_step;
        g_high = best_g + g_step;
    }
    // A gradient that hardly helps, as between boreholes, is left out.
    double constant = std::numeric_limits<double>::infinity();
    double velocity = 0;
    for (int i = 0; i <= 400; ++i) {
        const double v = shape.slowest * std::pow(shape.fastest / shape.slowest, i / 400.0);
        const double sum = sum_of_differences(flat, v, 0);
        if (sum < constant) {
            constant = sum;
            velocity = v;
        }
    }
    if (constant < 1.02 * best || !shape.along_surface) {
        const bool simple = constant < 1.1 * best;
        if (simple) {
            fit.v0 = velocity;
            fit.gradient = 0;
        }
    }
    std::vector<double> differences;
    const LinearVelocity medium{fit.v0, {0, 0, fit.gradient}};
    for (const FlatPick& pick : flat) {
        differences.push_back(std::abs(medium.time(pick.source, pick.receiver) / pick.time - 1));
    }
    std::nth_element(differences.begin(),
                     differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2),
                     differences.end());
    fit.misfit = differences[differences.size() / 2];
    if (fit.gradient > 0) {
        fit.deepest =
            (std::hypot(fit.v0, fit.gradient * shape.longest / 2) - fit.v0) / fit.gradient;
    }
    return fit;
}

FirstGuess first_guess(const Survey& picks, const GuessOptions& options, bool buried) {
    const auto shape_of = [&](const Survey& survey) {
        SurveyShape out = survey_shape(survey);
        if (buried) {
            out.along_surface = false;
            out.ground = {};
        }
        return out;
    };
    const SurveyShape shape = shape_of(picks);
    const std::optional<Surface> ground = ground_of(shape);
    // The grid holds all points, but velocity is that below the network.
    const FarEvents far = far_events(picks);
    std::optional<Survey> near;
    if (!far.events.empty()) near = without(far, picks);
    const SurveyShape near_shape = near ? shape_of(*near) : shape;
    const GradientFit fit = fit_gradient(near ? *near : picks, near_shape, ground);

    Vec3 low = shape.low;
    Vec3 high = shape.high;
    const double across = std::max(high.x - low.x, high.y - low.y);
    // Points of one borehole lie above each other: their rays need room beside them too.
    const double margin = std::max(0.03 * across, shape.along_surface ? 0 : 0.05 * shape.longest);
    for (int axis = 0; axis < 2; ++axis) {
        low[axis] -= margin;
        high[axis] += margin;
    }
    if (options.depth > 0) {
        high.z = std::max(high.z, shape.high.z + options.depth);
    } else if (shape.along_surface) {
        high.z += reach_of_rays(fit, shape);
    } else {
        const double deep = 0.05 * (high.z - low.z);
        high.z += deep;
        if (shape.ground.points.empty()) {
            // Events below stations: their level is the top. Boreholes: rock above them too.
            low.z -= picks.is_2d ? deep : 0;
        } else if (shape.ground.dives) {
            high.z = std::max(high.z, lowest_of(shape.ground.points) + reach_of_rays(fit, shape));
        }
    }
    const double h = options.spacing > 0 ? options.spacing : spacing_for(shape, high - low);
    if (ground) low.z -= h;
    if (shape.is_2d) low.y = high.y = picks.is_2d ? 0 : shape.low.y;
    // Nodes at whole multiples of the spacing from the first point: sources often stand on them.
    const auto snapped = [&](int axis, double from) {
        return from - std::ceil((from - low[axis]) / h - 1e-9) * h;
    };
    Grid grid;
    grid.origin = {snapped(0, shape.low.x), shape.is_2d ? low.y : snapped(1, shape.low.y),
                   snapped(2, shape.low.z)};
    grid.spacing = {h, h, h};
    grid.shape = nodes_for(grid.from_origin(high), h, shape.is_2d);
    validate(grid);

    // Not faster than where rays turn or end, nor than picks far from their source tell: a gradient
    // that explains slow ground above rock would otherwise go on growing in the rock.
    double fastest = fastest_seen(fit, near_shape);
    const bool dives = shape.along_surface || shape.ground.dives;
    if (dives && !shape.ground.points.empty() && shape.refractor > fit.v0) {
        fastest = std::min(fastest, shape.refractor);
    }
    std::optional<DepthProfile> profile;
    if (hardly_differs(shape) && is_level(shape)) {
        constexpr double beyond = 1.25;
        profile = profile_of_times(picks, beyond * std::max(shape.fastest, shape.refractor));
    }
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 p = grid.position({i, j, k});
                const double top = ground ? surface_at(*ground, p) : shape.low.z;
                const double depth = std::max(0.0, p.z - top);
                const double v = profile ? profile->velocity_at(depth)
                                         : std::min(fit.v0 + fit.gradient * depth, fastest);
                velocity(i, j, k) = static_cast<float>(v);
            }
        }
    }
    Model start(grid, std::move(velocity));
    if (ground) start = cut_by_surface(start, *ground);
    return {std::move(start), shape, fit, ground.has_value(), std::move(profile)};
}

}  // namespace fermat
