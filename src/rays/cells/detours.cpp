#include "rays/cells/detours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace fermat {
namespace {

/// A time counts as earlier if it is so by more than rounding.
bool is_earlier(double time, double than) { return time < than * (1 - 1e-10); }

/// Halves the line until straight parts are not later.
void straighten_part(const LineTimes& times, std::span<const Vec3> line,
                     std::span<const double> passed, std::vector<Vec3>& out) {
    constexpr double rounding = 1e-12;
    if (line.size() > 2) {
        const double time = passed[line.size() - 1] - passed[0];
        if (!(times.between(line.front(), line.back()) <= (1 + rounding) * time)) {
            const std::size_t half = line.size() / 2;
            straighten_part(times, line.first(half + 1), passed.first(half + 1), out);
            straighten_part(times, line.subspan(half), passed.subspan(half), out);
            return;
        }
    }
    out.push_back(line.back());
}

/// Leaves out points one by one.
void leave_out_points(const LineTimes& times, std::vector<Vec3>& line) {
    constexpr double rounding = 1e-12;
    std::vector<Vec3> kept = {line.front()};
    for (std::size_t n = 1; n + 1 < line.size(); ++n) {
        const double now =
            times.between(kept.back(), line[n]) + times.between(line[n], line[n + 1]);
        const bool needed = !(times.between(kept.back(), line[n + 1]) <= (1 + rounding) * now);
        if (needed) kept.push_back(line[n]);
    }
    kept.push_back(line.back());
    line = std::move(kept);
}

/// The fastest way between two points: straight, or along a face beside one of them.
class HeadWaves {
  public:
    HeadWaves(const LineTimes& times, Vec3 from, Vec3 to)
        : times_(times), grid_(times.grid()), from_(from), to_(to) {
        best_ = times.between(from, to);
    }

    /// Tries the faces of the cell in which the line leaves a point towards another.
    void beside(Vec3 point, Vec3 other) {
        const double length = distance(point, other);
        if (!(length > 0)) return;
        constexpr double little = 1e-3;  // of a cell
        const double part = std::min(0.5, little * grid_.spacing.z / length);
        const Index3 cell = locate(grid_, point + part * (other - point)).cell;
        const double v = times_.cells().velocity(cell);
        if (!(v > 0)) return;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid_.shape[axis] == 1) continue;
            for (const int side : {0, 1}) {
                Index3 next = cell;
                next[axis] += side == 0 ? -1 : 1;
                if (next[axis] < 0 || next[axis] >= grid_.cell_shape()[axis]) continue;
                const double w = times_.cells().velocity(next);
                if (w > v) along(axis, grid_.coordinate(axis, cell[axis] + side), v, w);
            }
        }
    }
    bool found() const { return found_; }
    Vec3 first() const { return first_; }
    Vec3 second() const { return second_; }

  private:
    void along(int axis, double plane, double v, double w) {
        const double tangent = v / std::sqrt(w * w - v * v);
        Vec3 way = to_ - from_;
        way[axis] = 0;
        const double length = norm(way);
        const double first = tangent * std::abs(from_[axis] - plane);
        const double second = tangent * std::abs(to_[axis] - plane);
        if (!(first + second < length)) return;
        Vec3 a = from_ + (first / length) * way;
        Vec3 b = to_ - (second / length) * way;
        a[axis] = b[axis] = plane;
        const double time =
            times_.between(from_, a) + times_.between(a, b) + times_.between(b, to_);
        if (!is_earlier(time, best_)) return;
        best_ = time;
        first_ = a;
        second_ = b;
        found_ = true;
    }

    const LineTimes& times_;
    const Grid& grid_;
    Vec3 from_;
    Vec3 to_;
    double best_ = 0;
    Vec3 first_;
    Vec3 second_;
    bool found_ = false;
};

/// The planes of the grid that a point lies on.
class Planes {
  public:
    Planes(const Grid& grid, Vec3 point) {
        const Vec3 index = grid.to_index(point);
        for (int axis = 0; axis < 3; ++axis) {
            const bool on = std::abs(index[axis] - std::round(index[axis])) < on_face;
            if (grid.shape[axis] > 1 && on) axes_ |= 1U << axis;
        }
    }
    bool on(int axis) const { return (axes_ >> axis & 1U) != 0; }
    int count() const { return on(0) + on(1) + on(2); }

  private:
    unsigned axes_ = 0;
};

/// Round an edge there are four cells. Faces part them; face n lies between cells n and n + 1.
class EdgeWays {
  public:
    static constexpr int most_points = 3;

    /// A way from the point before the edge to the one behind it.
    struct Way {
        double time = INFINITY;
        std::array<Vec3, most_points> points;
        int count = 0;
    };

    EdgeWays(const LineTimes& times, Vec3 before, Vec3 at, Vec3 behind)
        : times_(times), grid_(times.grid()), before_(before), at_(at), behind_(behind) {
        best_.time = times.between(before, at) + times.between(at, behind);
        start_ = best_.time;
    }

    void round(int edge_axis) {
        const int a = edge_axis == 0 ? 1 : 0;
        const int b = edge_axis == 2 ? 1 : 2;
        const std::array<Vec3, 4> faces = {step(b, -1), step(a, 1), step(b, 1), step(a, -1)};
        const int from = quadrant(before_ - at_, a, b);
        const int to = quadrant(behind_ - at_, a, b);
        for (const int turn : {1, -1}) {
            std::array<Vec3, 4> ways;
            int count = 0;
            for (int cell = from; cell != to && count < most_points;) {
                ways[static_cast<std::size_t>(count++)] =
                    faces[static_cast<std::size_t>(turn > 0 ? cell : (cell + 3) % 4)];
                cell = (cell + turn + 4) % 4;
            }
            if (count > 0) through(std::span(ways).first(static_cast<std::size_t>(count)));
        }
    }
    void along(int axis) {
        for (const int side : {-1, 1}) {
            for (const double part : {0.02, 0.1, 0.4}) {
                const Vec3 p = at_ + part * step(axis, side);
                if (!grid_.contains(p)) continue;
                const double time = times_.between(before_, p) + times_.between(p, behind_);
                if (!is_earlier(time, best_.time)) continue;
                best_ = {time, {grid_.clamp(p)}, 1};
            }
        }
    }
    bool found() const { return best_.time < start_; }
    const Way& best() const { return best_; }

  private:
    static constexpr std::array<double, 5> offsets = {0.02, 0.1, 0.25, 0.5, 1};
    static constexpr std::size_t places = offsets.size();

    Vec3 step(int axis, int side) const {
        Vec3 d;
        d[axis] = side * grid_.spacing_along(axis);
        return d;
    }
    /// Cells 0 to 3 lie round the edge in turn: (-, -), (+, -), (+, +), (-, +) along a and b.
    static int quadrant(Vec3 d, int a, int b) {
        return d[b] < 0 ? (d[a] < 0 ? 0 : 1) : (d[a] < 0 ? 3 : 2);
    }

    /// The fastest way through points on the faces, one on each, by dynamic programming.
    void through(std::span<const Vec3> faces) {
        std::array<std::array<double, places>, most_points> time;
        std::array<std::array<std::size_t, places>, most_points> origin{};
        const auto place = [&](std::size_t face, std::size_t n) {
            return at_ + offsets[n] * faces[face];
        };
        const std::size_t last = faces.size() - 1;
        for (std::size_t face = 0; face <= last; ++face) {
            for (std::size_t n = 0; n < places; ++n) {
                const Vec3 p = place(face, n);
                time[face][n] = INFINITY;
                if (!grid_.contains(p)) continue;
                if (face == 0) {
                    time[face][n] = times_.between(before_, p);
                    continue;
                }
                for (std::size_t m = 0; m < places; ++m) {
                    if (!(time[face - 1][m] < best_.time)) continue;
                    const double t = time[face - 1][m] + times_.between(place(face - 1, m), p);
                    if (!(t < time[face][n])) continue;
                    time[face][n] = t;
                    origin[face][n] = m;
                }
            }
        }
        for (std::size_t n = 0; n < places; ++n) {
            if (!(time[last][n] < best_.time)) continue;
            const double total = time[last][n] + times_.between(place(last, n), behind_);
            if (!is_earlier(total, best_.time)) continue;
            best_.time = total;
            best_.count = static_cast<int>(faces.size());
            std::size_t m = n;
            for (std::size_t face = last + 1; face-- > 0;) {
                best_.points[face] = grid_.clamp(place(face, m));
                m = origin[face][m];
            }
        }
    }

    const LineTimes& times_;
    const Grid& grid_;
    Vec3 before_;
    Vec3 at_;
    Vec3 behind_;
    double start_ = 0;
    Way best_;
};

}  // namespace

void straighten(const LineTimes& times, std::vector<Vec3>& line, Straight parts) {
    if (line.size() < 3) return;
    if (parts == Straight::all) {
        std::vector<double> passed = {0};
        for (std::size_t n = 0; n + 1 < line.size(); ++n) {
            passed.push_back(passed.back() + times.between(line[n], line[n + 1]));
        }
        std::vector<Vec3> out = {line.front()};
        straighten_part(times, line, passed, out);
        line = std::move(out);
    }
    for (std::size_t before = line.size() + 1; line.size() < before && line.size() > 2;) {
        before = line.size();
        leave_out_points(times, line);
    }
}

bool run_along_faces(const LineTimes& times, std::vector<Vec3>& line) {
    std::vector<Vec3> out = {line.front()};
    for (std::size_t n = 0; n + 1 < line.size(); ++n) {
        HeadWaves waves(times, line[n], line[n + 1]);
        waves.beside(line[n], line[n + 1]);
        waves.beside(line[n + 1], line[n]);
        if (waves.found()) {
            out.push_back(waves.first());
            out.push_back(waves.second());
        }
        out.push_back(line[n + 1]);
    }
    const bool found = out.size() > line.size();
    line = std::move(out);
    return found;
}

bool EdgeDetours::tried(const Bend& bend) const {
    const double near = 0.01 * norm(times_.grid().spacing);
    return std::any_of(in_vain_.begin(), in_vain_.end(), [&](const Bend& old) {
        return old.at == bend.at && distance(old.before, bend.before) < near &&
               distance(old.behind, bend.behind) < near;
    });
}

bool EdgeDetours::take(std::vector<Vec3>& line) {
    const Grid& grid = times_.grid();
    std::vector<Vec3> out = {line.front()};
    bool found = false;
    for (std::size_t n = 1; n + 1 < line.size(); ++n) {
        const Bend bend{out.back(), line[n], line[n + 1]};
        const Planes planes(grid, bend.at);
        if (planes.count() < 2 || tried(bend)) {
            out.push_back(bend.at);
            continue;
        }
        EdgeWays ways(times_, bend.before, bend.at, bend.behind);
        for (int edge = 0; edge < 3; ++edge) {
            if (planes.on(edge == 0 ? 1 : 0) && planes.on(edge == 2 ? 1 : 2)) ways.round(edge);
            if (planes.on(edge)) ways.along(edge);
        }
        if (!ways.found()) {
            in_vain_.push_back(bend);
            out.push_back(bend.at);
            continue;
        }
        found = true;
        for (int p = 0; p < ways.best().count; ++p) {
            out.push_back(ways.best().points[static_cast<std::size_t>(p)]);
        }
    }
    out.push_back(line.back());
    line = std::move(out);
    return found;
}

}  // namespace fermat
