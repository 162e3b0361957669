#include "model/topography.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/corner_weight.hpp"
#include "core/error.hpp"
#include "model/fill.hpp"
#include "model/metric_makers.hpp"

namespace fermat {
namespace {

constexpr std::size_t neighbours_used = 12;

std::vector<Vec3> sorted_points(Surface::Kind kind, std::span<const Vec3> given) {
    if (given.empty()) throw InputError("surface has no points (need at least one)");
    const bool line = kind == Surface::Kind::line;
    for (std::size_t n = 0; n < given.size(); ++n) {
        if (!is_finite(given[n])) {
            throw InputError(fmt::format("surface point {} is ({}, {}, {}) (must be finite)", n + 1,
                                         given[n].x, given[n].y, given[n].z));
        }
    }
    const auto before = [&](const Vec3& a, const Vec3& b) {
        return a.x != b.x ? a.x < b.x : !line && a.y < b.y;
    };
    std::vector<Vec3> points(given.begin(), given.end());
    std::stable_sort(points.begin(), points.end(), before);
    const auto same_place = [&](const Vec3& a, const Vec3& b) {
        return a.x == b.x && (line || a.y == b.y);
    };
    for (std::size_t n = 1; n < points.size(); ++n) {
        const Vec3 a = points[n - 1];
        const Vec3 b = points[n];
        if (same_place(a, b) && a.z != b.z) {
            const auto place =
                line ? fmt::format("x = {}", a.x) : fmt::format("(x, y) = ({}, {})", a.x, a.y);
            throw InputError(
                fmt::format("surface has depths {} and {} at {} (must have one)", a.z, b.z, place));
        }
    }
    points.erase(std::unique(points.begin(), points.end(), same_place), points.end());
    return points;
}

/// The interval of sorted lines that holds a coordinate, and the position in it, clamped to the
/// ends.
struct Interval {
    std::size_t lower;
    std::size_t upper;
    double fraction;
};

Interval interval(std::span<const double> lines, double u) {
    if (!(u > lines.front())) return {0, 0, 0};
    const auto above = std::upper_bound(lines.begin(), lines.end(), u);
    if (above == lines.end()) return {lines.size() - 1, lines.size() - 1, 0};
    const auto n = static_cast<std::size_t>(above - lines.begin());
    return {n - 1, n, (u - lines[n - 1]) / (lines[n] - lines[n - 1])};
}

double mix(double a, double b, double fraction) { return (1 - fraction) * a + fraction * b; }

/// For each column of nodes or cells, the index of the first one along z that is kept. The position
/// of a cell is its middle.
class KeptGround {
  public:
    KeptGround(const Model& model, const Surface& surface)
        : model_(model),
          points_(sample_points(model.grid(), placement_of(model))),
          first_(static_cast<std::size_t>(points_.shape.x) * points_.shape.y) {
        for (int i = 0; i < points_.shape.x; ++i) {
            for (int j = 0; j < points_.shape.y; ++j) {
                const Vec3 top = points_.position({i, j, 0});
                first_[column_of(i, j)] = first_at_or_below(surface_at(surface, top));
            }
        }
    }

    /// Extends the ground up to a point of the surface.
    void join(Vec3 p) {
        const Grid& grid = model_.grid();
        const Index3 cell = locate(grid, p).cell;
        const Index3 place = model_.cells() ? cell : grid.nearest_node(p);
        const int from = model_.cells() ? cell.z : first_at_or_below(p.z);
        int& kept = first_[column_of(place.x, place.y)];
        kept = std::min(kept, from);
    }

    int first(int i, int j) const { return first_[column_of(i, j)]; }

    bool touches_rock(Vec3 p) const {
        bool found = false;
        const auto look = [&](Index3 n) {
            found |= n.z >= first(n.x, n.y) && model_.given()(n) > 0;
        };
        if (model_.cells()) {
            for_each_touched_cell(model_.grid(), p, look);
        } else {
            for_each_corner(model_.grid(), p, [&](Index3 n, double weight) {
                if (weight > least_corner_weight) look(n);
            });
        }
        return found;
    }

    bool none() const {
        return std::all_of(first_.begin(), first_.end(),
                           [&](int k) { return k == points_.shape.z; });
    }

  private:
    /// Index of the first node or cell at or below a depth; shape.z if there is none.
    int first_at_or_below(double depth) const {
        const double u = points_.index_along(2, depth) - detail::face_slack;
        return static_cast<int>(std::clamp(std::ceil(u), 0.0, double(points_.shape.z)));
    }
    std::size_t column_of(int i, int j) const {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(points_.shape.y) +
               static_cast<std::size_t>(j);
    }

    const Model& model_;
    Grid points_;
    std::vector<int> first_;
};

}  // namespace

Surface::Surface(Kind kind, std::span<const Vec3> points)
    : kind_(kind), points_(sorted_points(kind, points)) {
    std::vector<double> xs;
    std::vector<double> ys;
    for (const Vec3& p : points_) {
        xs.push_back(p.x);
        ys.push_back(kind == Kind::line ? 0 : p.y);
    }
    std::sort(ys.begin(), ys.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    ys.erase(std::unique(ys.begin(), ys.end()), ys.end());
    // All points are distinct. If there are as many as crossings of the lines, each crossing has
    // one. A line is a lattice of one row.
    if (xs.size() * ys.size() == points_.size()) {
        lattice_x_ = std::move(xs);
        lattice_y_ = std::move(ys);
    } else {
        neighbours_ = NearestPoints(points_);
    }
}

double Surface::at(double x, double y) const {
    return lattice_x_.empty() ? among_neighbours(x, y) : over_lattice(x, y);
}

double Surface::over_lattice(double x, double y) const {
    const Interval ix = interval(lattice_x_, x);
    const Interval iy = interval(lattice_y_, y);
    const auto z = [&](std::size_t i, std::size_t j) {
        return points_[i * lattice_y_.size() + j].z;
    };
    return mix(mix(z(ix.lower, iy.lower), z(ix.lower, iy.upper), iy.fraction),
               mix(z(ix.upper, iy.lower), z(ix.upper, iy.upper), iy.fraction), ix.fraction);
}

double Surface::among_neighbours(double x, double y) const {
    const auto near = neighbours_.find(x, y, neighbours_used + 1);
    const bool all = points_.size() <= neighbours_used;
    const double reach = std::sqrt(near.back().squared_distance);
    double sum = 0;
    double weights = 0;
    for (const auto& [squared, point] : near) {
        if (squared == 0) return points_[point].z;
        const double d = std::sqrt(squared);
        const double w = all ? 1 / d : (reach - d) / (reach * d);
        sum += w * w * points_[point].z;
        weights += w * w;
    }
    // All 13 points have the same distance and no weight, so they count equally.
    if (weights > 0) return sum / weights;
    for (const auto& neighbour : near) sum += points_[neighbour.point].z;
    return sum / static_cast<double>(near.size());
}

Model cut_by_surface(const Model& model, const Surface& surface) {
    const Grid& grid = model.grid();
    const Coordinates system = model.coordinates().system;
    const bool bent = system == Coordinates::graded || system == Coordinates::terrain;
    if (bent) require_plain(model, "air above a surface");
    if (grid.is_2d() && surface.kind() == Surface::Kind::area) {
        throw InputError("surface is an area and the model is 2-D (give points along a line)");
    }
    KeptGround kept(model, surface);
    for (const Vec3& p : surface.points()) {
        if (grid.contains(p) && !kept.touches_rock(p)) kept.join(p);
    }
    if (kept.none()) {
        throw InputError(
            fmt::format("surface lies below the whole model, which ends at depth {} (z is depth, "
                        "positive down: heights must be given as negative z)",
                        grid.far_corner().z));
    }
    return with_metric_of(model, detail::fill(grid, placement_of(model), [&](Index3 n) {
                              return n.z < kept.first(n.x, n.y) ? 0.0F : model.given()(n);
                          }));
}

}  // namespace fermat
