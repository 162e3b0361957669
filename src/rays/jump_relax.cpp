#include "rays/jump_relax.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "core/mat3.hpp"
#include "eikonal/metric/factor.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

/// Points within a layer keep this far from its rows, in rows: on a row itself the side on which
/// they run would be a matter of rounding.
constexpr double clearance = 1e-4;

/// How the time along a segment changes with its ends, by nodes of the grid.
struct SegmentTime {
    double time = 0;
    Vec3 by_from;
    Vec3 by_to;
    Mat3 stiffness;
};

class PathRelaxation {
  public:
    PathRelaxation(const Model& model, JumpPath& path)
        : model_(model),
          grid_(model.grid()),
          mapping_(model.mapping()),
          isotropic_(model.is_isotropic()),
          path_(path) {}

    double time_of(std::span<const Vec3> points) const {
        double sum = 0;
        Vec3 from = mapping_.place(grid_point(points[0]));
        for (std::size_t n = 0; n + 1 < points.size(); ++n) {
            const Vec3 to = mapping_.place(grid_point(points[n + 1]));
            const Vec3 d = to - from;
            for (std::size_t i = 0; i < samples; ++i) {
                const Vec3 u = points[n] + part[i] * (points[n + 1] - points[n]);
                sum += weight[i] * sample_time(inside(u, path_.layer[n]), d);
            }
            from = to;
        }
        return sum;
    }

    /// One step of Newton's, halved until the time falls. Returns the new time.
    double step(double time) {
        const std::vector<Vec3> moves = newton_moves();
        if (!std::all_of(moves.begin(), moves.end(), is_finite)) return time;
        std::vector<Vec3> trial(path_.points.size());
        for (double scale = 1; scale > 0.01; scale /= 2) {
            for (std::size_t n = 0; n < trial.size(); ++n) {
                trial[n] = bounded(path_.points[n] + scale * moves[n], n);
            }
            const double now = time_of(trial);
            if (!(now < time)) continue;
            path_.points = trial;
            return now;
        }
        return time;
    }

    void keep_inside() {
        for (std::size_t n = 0; n < path_.points.size(); ++n) {
            path_.points[n] = bounded(path_.points[n], n);
        }
    }

  private:
    static constexpr std::size_t samples = 3;  // Simpson's rule
    static constexpr std::array<double, samples> part = {0, 0.5, 1};
    static constexpr std::array<double, samples> weight = {1.0 / 6, 4.0 / 6, 1.0 / 6};

    Vec3 grid_point(Vec3 u) const {
        return {grid_.coordinate(0, u.x), grid_.coordinate(1, u.y), grid_.coordinate(2, u.z)};
    }
    static Vec3 inside(Vec3 u, RowRange layer) {
        constexpr double off = 1e-7;
        u.z = std::clamp(u.z, layer.low + off, layer.high - off);
        return u;
    }
    RowRange range(std::size_t n) const {
        const RowRange all = path_.reach[n];
        if (all.low == all.high) return all;
        return {all.low + clearance, all.high - clearance};
    }
    Vec3 bounded(Vec3 u, std::size_t n) const {
        if (n == 0 || n + 1 == path_.points.size()) return path_.points[n];
        const RowRange z = range(n);
        u.z = std::clamp(u.z, z.low, z.high);
        u.x = std::clamp(u.x, 0.0, static_cast<double>(grid_.shape.x - 1));
        u.y = std::clamp(u.y, 0.0, static_cast<double>(grid_.shape.y - 1));
        return u;
    }

    /// The time of a step d at a point, and how it changes with both.
    struct Sample {
        double time = 0;
        Vec3 by_step;
        Vec3 by_point;
    };
    Sample sample(Vec3 u, RowRange layer, Vec3 d, double length) const {
        if (isotropic_) {
            const MetricSlowness at = metric_slowness_point(model_, u);
            return {length * at.slowness, (at.slowness / length) * d, length * at.by_node};
        }
        const Vec3 q = grid_point(u);
        return {line_time(model_, q, d), line_slowness(model_, q, d), by_point(u, layer, d)};
    }
    double sample_time(Vec3 u, Vec3 d) const {
        return isotropic_ ? norm(d) * metric_slowness_point(model_, u).slowness
                          : line_time(model_, grid_point(u), d);
    }

    /// The change of a step's time with its point, by nodes: differences within the point's cell,
    /// where the parameters of the medium are multilinear.
    Vec3 by_point(Vec3 u, RowRange layer, Vec3 d) const {
        Vec3 out;
        for (int axis = 0; axis < 3; ++axis) {
            const int last = grid_.shape[axis] - 1;
            if (last == 0) continue;
            const double cell = std::clamp(std::floor(u[axis]), 0.0, static_cast<double>(last - 1));
            Vec3 low = u;
            Vec3 high = u;
            low[axis] = std::max(cell, u[axis] - 0.25);
            high[axis] = std::min(cell + 1, u[axis] + 0.25);
            low = inside(low, layer);
            high = inside(high, layer);
            out[axis] =
                (line_time(model_, grid_point(high), d) - line_time(model_, grid_point(low), d)) /
                (high[axis] - low[axis]);
        }
        return out;
    }

    SegmentTime segment(std::size_t n) const {
        const Vec3 from = path_.points[n];
        const Vec3 to = path_.points[n + 1];
        const Vec3 d = mapping_.place(grid_point(to)) - mapping_.place(grid_point(from));
        const double length = norm(d);
        SegmentTime out;
        if (!(length > 0)) return out;
        Vec3 slowness;
        for (std::size_t i = 0; i < samples; ++i) {
            const Vec3 u = inside(from + part[i] * (to - from), path_.layer[n]);
            const Sample at = sample(u, path_.layer[n], d, length);
            out.time += weight[i] * at.time;
            slowness = slowness + weight[i] * at.by_step;
            out.by_from = out.by_from + (weight[i] * (1 - part[i])) * at.by_point;
            out.by_to = out.by_to + (weight[i] * part[i]) * at.by_point;
        }
        const Vec3 h = grid_.spacing;
        const Mat3 scale = Mat3::diagonal(h.x, h.y, h.z);
        const Mat3 at_from = transposed(mapping_.jacobian(grid_point(from)) * scale);
        const Mat3 at_to = transposed(mapping_.jacobian(grid_point(to)) * scale);
        out.by_from = out.by_from - at_from * slowness;
        out.by_to = out.by_to + at_to * slowness;
        // Along the path a point may go anywhere; a little stiffness keeps the points apart.
        constexpr double along = 0.1;
        const Mat3 across = Mat3::identity() + (along - 1) * outer((1 / length) * d);
        const Mat3 mean = 0.5 * (at_from + at_to);
        out.stiffness = (out.time / (length * length)) * (mean * across * transposed(mean));
        return out;
    }

    /// Solves K d = -g, with K of blocks round the diagonal.
    std::vector<Vec3> newton_moves() const {
        const std::size_t count = path_.points.size();
        std::vector<Vec3> gradient(count);
        std::vector<Mat3> diagonal(count);
        std::vector<Mat3> behind(count);  // the block of a point and the next, negative
        for (std::size_t n = 0; n + 1 < count; ++n) {
            const SegmentTime s = segment(n);
            gradient[n] = gradient[n] + s.by_from;
            gradient[n + 1] = gradient[n + 1] + s.by_to;
            diagonal[n] = diagonal[n] + s.stiffness;
            diagonal[n + 1] = diagonal[n + 1] + s.stiffness;
            behind[n] = s.stiffness;
        }
        for (std::size_t n = 0; n < count; ++n) {
            for (int axis = 0; axis < 3; ++axis) {
                if (is_free(n, axis, gradient[n])) continue;
                gradient[n][axis] = 0;
                for (int other = 0; other < 3; ++other) {
                    diagonal[n](axis, other) = diagonal[n](other, axis) = 0;
                    if (n + 1 < count) behind[n](axis, other) = 0;
                    if (n > 0) behind[n - 1](other, axis) = 0;
                }
                diagonal[n](axis, axis) = 1;
            }
        }
        for (std::size_t n = 1; n < count; ++n) {
            const Mat3 share = transposed(behind[n - 1]) * inverse(diagonal[n - 1]);
            diagonal[n] = diagonal[n] + -1.0 * (share * behind[n - 1]);
            gradient[n] = gradient[n] + share * gradient[n - 1];
        }
        std::vector<Vec3> moves(count);
        for (std::size_t n = count; n-- > 0;) {
            Vec3 right = -1.0 * gradient[n];
            if (n + 1 < count) right = right + behind[n] * moves[n + 1];
            moves[n] = inverse(diagonal[n]) * right;
        }
        return moves;
    }

    /// Whether a point may go along an axis: not out of its layer nor out of the grid.
    bool is_free(std::size_t n, int axis, Vec3 gradient) const {
        if (n == 0 || n + 1 == path_.points.size() || grid_.shape[axis] == 1) return false;
        const RowRange z = range(n);
        const double low = axis == 2 ? z.low : 0;
        const double high = axis == 2 ? z.high : grid_.shape[axis] - 1;
        if (low == high) return false;
        const double at = path_.points[n][axis];
        return !(at <= low && gradient[axis] > 0) && !(at >= high && gradient[axis] < 0);
    }

    const Model& model_;
    const Grid& grid_;
    const Mapping& mapping_;
    bool isotropic_;
    JumpPath& path_;
};

}  // namespace

double relax(const Model& model, JumpPath& path) {
    constexpr int rounds = 4;
    constexpr int steps = 6;
    constexpr double still = 1e-6;  // of the time
    double time = 0;
    for (int round = 0; round < rounds; ++round) {
        path = evenly_spaced(path);
        PathRelaxation relaxation(model, path);
        relaxation.keep_inside();
        const double before = time = relaxation.time_of(path.points);
        if (!std::isfinite(time)) return time;
        for (int n = 0; n < steps; ++n) {
            const double now = relaxation.step(time);
            const bool rests = time - now < still * time;
            time = now;
            if (rests) break;
        }
        if (round > 0 && before - time < 3 * still * time) break;
    }
    return time;
}

namespace {

bool same_layers(const JumpPath& a, const JumpPath& b) {
    return std::equal(a.layer.begin(), a.layer.end(), b.layer.begin(), b.layer.end(),
                      [](RowRange one, RowRange other) {
                          return one.low == other.low && one.high == other.high;
                      });
}

}  // namespace

double time_along(const Model& model, std::span<const Vec3> ray) {
    double sum = 0;
    for (std::size_t n = 1; n < ray.size(); ++n) sum += straight_time(model, ray[n - 1], ray[n]);
    return sum;
}

void settle_at_jumps(const Model& model, std::vector<Vec3>& ray) {
    if (ray.size() < 2) return;
    const Grid& grid = model.grid();
    std::vector<Vec3> nodes;
    for (const Vec3 q : ray) nodes.push_back(grid.to_index(q));
    JumpPath best = jump_path(model, nodes, Grazing::as_traced);
    JumpPath sliding = jump_path(model, nodes, Grazing::slides);
    const bool differ = !same_layers(best, sliding);
    const double time = relax(model, best);
    if (differ && relax(model, sliding) < time) best = std::move(sliding);
    std::vector<Vec3> settled;
    for (const Vec3 u : best.points) {
        settled.push_back(
            {grid.coordinate(0, u.x), grid.coordinate(1, u.y), grid.coordinate(2, u.z)});
    }
    settled.front() = ray.front();
    settled.back() = ray.back();
    if (time_along(model, settled) < time_along(model, ray)) ray = std::move(settled);
}

}  // namespace fermat
