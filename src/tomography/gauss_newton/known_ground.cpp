#include "tomography/gauss_newton/known_ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "model/interface.hpp"

namespace fermat {
namespace {

void require_velocity(double velocity, double error, const std::string& what) {
    if (velocity > 0 && std::isfinite(velocity) && error > 0 && std::isfinite(error)) return;
    throw InputError(fmt::format("{} has velocity {} and error {} (both must be > 0 and finite)",
                                 what, velocity, error));
}

Grid sample_grid(const Model& model) {
    return model.cells() ? model.grid().cell_middles() : model.grid();
}

/// Calls visit(sample, weight) for the samples of rock round a point of the grid; the weights add
/// up to 1. Gives false in air.
template <class Visit>
bool for_each_sample(const Model& model, Vec3 at, Visit visit) {
    const Grid grid = sample_grid(model);
    const auto velocity = model.given();
    double rock = 0;
    for_each_corner(grid, at, [&](Index3 node, double weight) {
        if (velocity[grid.shape.offset(node)] > 0) rock += weight;
    });
    if (!(rock > 0)) return false;
    for_each_corner(grid, at, [&](Index3 node, double weight) {
        const std::size_t sample = grid.shape.offset(node);
        if (velocity[sample] > 0 && weight > 0) visit(sample, weight / rock);
    });
    return true;
}

Vec3 user_point(const Unknowns& unknowns, const Model& start, std::size_t unknown) {
    const Shape shape = unknowns.grid().shape;
    const std::int64_t place = unknowns.places()[unknown];
    const Index3 node{static_cast<int>(place / (std::int64_t{shape.y} * shape.z)),
                      static_cast<int>(place / shape.z % shape.y),
                      static_cast<int>(place % shape.z)};
    // The last node of the unknowns may lie beyond the model.
    return start.place().mapping().to_user(start.grid().clamp(unknowns.grid().position(node)));
}

/// By the number of edges that a line to the right crosses.
bool is_inside(const std::vector<Vec3>& corners, Vec3 p) {
    bool inside = false;
    for (std::size_t n = 0; n < corners.size(); ++n) {
        const Vec3 a = corners[n];
        const Vec3 b = corners[(n + 1) % corners.size()];
        if ((a.z > p.z) == (b.z > p.z)) continue;
        if (p.x < a.x + (b.x - a.x) * (p.z - a.z) / (b.z - a.z)) inside = !inside;
    }
    return inside;
}

class KnownRowMaker {
  public:
    KnownRowMaker(const Parameters& parameters, KnownRows& out)
        : parameters_(parameters), out_(out) {}

    /// `row`: weights of unknowns; `start`: what the start model has there, as an unknown.
    void add(const std::map<std::size_t, double>& row, double start, double velocity,
             double error) {
        const VelocityBounds& bounds = parameters_.bounds();
        const double wanted = bounds.unknown_of(-std::log(inner(velocity)));
        const double deviation = error / velocity / bounds.slope_at(wanted);
        for (const auto& [unknown, weight] : row) {
            out_.rows.column.push_back(static_cast<std::int32_t>(unknown));
            out_.rows.value.push_back(static_cast<float>(weight / deviation));
        }
        out_.rows.start.push_back(static_cast<std::int64_t>(out_.rows.column.size()));
        out_.target.push_back((wanted - start) / deviation);
    }

  private:
    /// Bounds are never reached.
    double inner(double velocity) const {
        const VelocityBounds& bounds = parameters_.bounds();
        if (!bounds.bounded()) return velocity;
        constexpr double little = 1.01;
        return std::clamp(velocity, little * bounds.low(), bounds.high() / little);
    }

    const Parameters& parameters_;
    KnownRows& out_;
};

void check_log(const KnownGround& known, const Model& start) {
    for (std::size_t n = 0; n < known.log.size(); ++n) {
        const KnownVelocity& one = known.log[n];
        const std::string what = fmt::format("point {} of the log", n);
        require_velocity(one.velocity, one.error, what);
        const Vec3 at = start.place().inside(one.point, what);
        if (!for_each_sample(start, at, [](std::size_t, double) {})) {
            throw InputError(fmt::format("{} at ({:g}, {:g}, {:g}) is in air (must be in rock)",
                                         what, one.point.x, one.point.y, one.point.z));
        }
    }
}

/// Throws InputError where points are all beyond the model to one side: a unit or a sign is wrong.
void require_overlap(const std::vector<Vec3>& points, const Model& start, const std::string& what) {
    const auto [low, high] = start.place().corners();
    const bool is_2d = start.grid().is_2d();
    for (const int axis : {0, 1, 2}) {
        const bool everywhere = axis != 2 && points.size() == 1;  // it goes on as it ends
        if ((is_2d && axis == 1) || everywhere) continue;
        const auto [least, most] =
            std::minmax_element(points.begin(), points.end(),
                                [&](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
        if ((*least)[axis] <= high[axis] && (*most)[axis] >= low[axis]) continue;
        throw InputError(fmt::format(
            "{} is beyond the model: its {} is {:g} to {:g}, and the model's {:g} to {:g} (z grows "
            "downwards, and units are those of the picks)",
            what, "xyz"[axis], (*least)[axis], (*most)[axis], low[axis], high[axis]));
    }
}

void check_shapes(const KnownGround& known, const Model& start) {
    for (const KnownRegion& one : known.regions) {
        const std::string what = fmt::format("region '{}'", one.id);
        require_velocity(one.velocity, one.error, what);
        if (!start.grid().is_2d()) {
            throw InputError(fmt::format(
                "{} is given for a 3-D model (regions are polygons of sections: give its points as "
                "a log)",
                what));
        }
        if (one.corners.size() < 3) {
            throw InputError(
                fmt::format("{} has {} corners (at least 3 are needed)", what, one.corners.size()));
        }
        require_overlap(one.corners, start, what);
    }
    for (const KnownInterface& one : known.interfaces) {
        Interface::of_points(one.id, one.points, start.place(), InterfaceShape::linear);
        require_overlap(one.points, start, fmt::format("interface '{}'", one.id));
    }
}

}  // namespace

void validate(const KnownGround& known, const Model& start) {
    check_log(known, start);
    check_shapes(known, start);
    if (!known.prior) return;
    if (!(known.prior_deviation > 0 && std::isfinite(known.prior_deviation))) {
        throw InputError(
            fmt::format("the prior model's deviation is {} (must be > 0)", known.prior_deviation));
    }
    if (known.prior->grid() == start.grid() &&
        (known.prior->cells() != nullptr) == (start.cells() != nullptr)) {
        return;
    }
    throw InputError(
        "the prior model is on another grid than the start model (both must be on one grid, and "
        "velocity on nodes or in cells of both)");
}

std::vector<double> KnownRows::left(std::span<const double> x) const {
    std::vector<double> out = target;
    for (std::size_t r = 0; r < out.size(); ++r) {
        for (auto e = rows.start[r]; e < rows.start[r + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            out[r] -= static_cast<double>(rows.value[entry]) *
                      x[static_cast<std::size_t>(rows.column[entry])];
        }
    }
    return out;
}

KnownRows known_rows(const GaussNewtonOptions& options, const Parameters& parameters,
                     const Model& start) {
    KnownRows out;
    if (!options.known) return out;
    const KnownGround& known = *options.known;
    KnownRowMaker maker(parameters, out);
    const Unknowns& unknowns = parameters.unknowns();
    for (const KnownVelocity& one : known.log) {
        std::map<std::size_t, double> row;
        double value = 0;
        for_each_sample(
            start, start.place().nearest(one.point), [&](std::size_t sample, double part) {
                value += part * parameters.start_at(sample);
                unknowns.for_each_of_sample(
                    sample, [&](std::size_t u, double weight) { row[u] += part * weight; });
            });
        maker.add(row, value, one.velocity, one.error);
    }
    const std::vector<double>& coarse = parameters.start_on_unknowns();
    for (const KnownRegion& one : known.regions) {
        for (std::size_t u = 0; u < unknowns.size(); ++u) {
            if (!is_inside(one.corners, user_point(unknowns, start, u))) continue;
            maker.add({{u, 1.0}}, coarse[u], one.velocity, one.error);
        }
    }
    if (!known.prior) return out;
    const std::vector<double> wanted = parameters.on_unknowns(*known.prior);
    const Vec3 h = unknowns.grid().spacing;
    const bool flat = unknowns.grid().is_2d();
    const Vec3 lengths = options.roughness.lengths;
    const double correlation_length =
        lengths.x > 0 ? std::max(lengths.x, lengths.z) : unknowns.sizes().least_side / 4;
    double cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && flat) continue;
        cells *= std::max(1.0, correlation_length / h[axis]);
    }
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
        const double velocity = std::exp(-parameters.bounds().log_slowness_of(wanted[u]));
        maker.add({{u, 1.0}}, coarse[u], velocity,
                  known.prior_deviation * std::sqrt(cells) * velocity);
    }
    return out;
}

std::vector<Vec3> known_edges(const KnownGround& known, const Unknowns& unknowns,
                              const Model& start) {
    if (!known.holds_edges()) return {};
    const std::size_t n = unknowns.size();
    std::vector<Vec3> factors(n, Vec3{1, 1, 1});
    std::vector<Vec3> points;
    for (std::size_t u = 0; u < n; ++u) points.push_back(user_point(unknowns, start, u));
    const Shape shape = unknowns.grid().shape;
    const std::array<std::int64_t, 3> strides = {std::int64_t{shape.y} * shape.z, shape.z, 1};
    const auto for_each_edge = [&](const auto& visit) {
        for (std::size_t u = 0; u < n; ++u) {
            const std::int64_t place = unknowns.places()[u];
            const Index3 node{static_cast<int>(place / strides[0]),
                              static_cast<int>(place / shape.z % shape.y),
                              static_cast<int>(place % shape.z)};
            for (int axis = 0; axis < 3; ++axis) {
                if (node[axis] + 1 >= shape[axis]) continue;
                const auto next =
                    static_cast<std::size_t>(place + strides[static_cast<std::size_t>(axis)]);
                const std::int32_t other = unknowns.numbers()[next];
                if (other >= 0) visit(u, static_cast<std::size_t>(other), axis);
            }
        }
    };
    // Not 0: rock that nothing else holds would be without bounds.
    constexpr double open = 1e-4;
    for (const KnownInterface& one : known.interfaces) {
        const Interface surface =
            Interface::of_points(one.id, one.points, start.place(), InterfaceShape::linear);
        const auto below = [&](std::size_t u) {
            return points[u].z > surface.depth_at(points[u].x, points[u].y);
        };
        for_each_edge([&](std::size_t u, std::size_t other, int axis) {
            if (below(u) != below(other)) factors[u][axis] = open;
        });
    }
    if (!known.guide) return factors;
    std::vector<double> image(n, std::nan(""));
    for (std::size_t u = 0; u < n; ++u) {
        if (!known.guide->place().holds(points[u])) continue;
        double value = 0;
        const auto of_guide = known.guide->given();
        const bool rock = for_each_sample(
            *known.guide, known.guide->place().nearest(points[u]),
            [&](std::size_t sample, double part) { value += part * std::log(of_guide[sample]); });
        if (rock) image[u] = value;
    }
    double squares = 0;
    double edges = 0;
    for_each_edge([&](std::size_t u, std::size_t other, int) {
        const double step = image[other] - image[u];
        if (std::isnan(step)) return;
        squares += step * step;
        edges += 1;
    });
    if (!(squares > 0)) return factors;
    // As large as most steps of the image, or larger: there it has an edge.
    const double level = 0.5 * std::sqrt(squares / edges);
    for_each_edge([&](std::size_t u, std::size_t other, int axis) {
        const double step = (image[other] - image[u]) / level;
        if (std::isnan(step)) return;
        factors[u][axis] *= std::max(open, 1 / (1 + step * step));
    });
    return factors;
}

Roughness known_roughness(const Unknowns& unknowns, const GaussNewtonOptions& options,
                          const Model& start) {
    Roughness roughness(unknowns, options.roughness);
    if (options.known) roughness.take_edges(known_edges(*options.known, unknowns, start));
    return roughness;
}

void RowsWithKnown::times(std::span<const double> x, std::span<double> out, int threads) const {
    const std::size_t picks = picks_.rows();
    picks_.times(x, out.first(picks), threads);
    const std::vector<double> left = known_.left(x);
    for (std::size_t r = 0; r < left.size(); ++r) out[picks + r] = known_.target[r] - left[r];
}

void RowsWithKnown::transposed_times(std::span<const double> y, std::span<double> out,
                                     int threads) const {
    const std::size_t picks = picks_.rows();
    picks_.transposed_times(y.first(picks), out, threads);
    for (std::size_t r = 0; r < known_.target.size(); ++r) {
        for (auto e = known_.rows.start[r]; e < known_.rows.start[r + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            out[static_cast<std::size_t>(known_.rows.column[entry])] +=
                static_cast<double>(known_.rows.value[entry]) * y[picks + r];
        }
    }
}

}  // namespace fermat
