#include "rays/cells/bent_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/mat3.hpp"
#include "rays/cells/line.hpp"
#include "rays/segments.hpp"

namespace fermat {
namespace {

/// The number of axes along which two cells have the same index.
int shared_axes(Index3 a, Index3 b) { return (a.x == b.x) + (a.y == b.y) + (a.z == b.z); }

/// Two cells beside a point, before it on the path and behind it.
struct CellPair {
    Index3 before;
    Index3 behind;
};

class Cutter {
  public:
    Cutter(const Model& model, Sliding sliding)
        : grid_(model.grid()), cells_(model.jumping_cells()), sliding_(sliding) {}

    /// False if the line leads through air.
    bool cut(std::span<const Vec3> line) {
        start(line.front());
        for (std::size_t n = 0; n + 1 < line.size(); ++n) {
            bool begins = n > 0;
            bool rock = true;
            for_each_piece(grid_, line[n], line[n + 1], [&](const Piece& piece) {
                const float v = cells_.velocity(cell_taken(grid_, cells_, piece));
                rock &= v > 0;
                Vec3 from = grid_.point_in_cell(piece.cell, piece.from);
                Vec3 to = grid_.point_in_cell(piece.cell, piece.to);
                if (grid_.is_2d()) from.y = to.y = line[n].y;
                add(begins ? line[n] : from, to, v, begins);
                begins = false;
            });
            if (!rock) return false;
        }
        finish(line.back());
        return true;
    }
    BentPath take() { return std::move(path_); }

  private:
    void start(Vec3 point) {
        path_.points.push_back(point);
        path_.reach.push_back({point, point});
    }
    void finish(Vec3 point) {
        path_.points.push_back(point);
        path_.reach.push_back({point, point});
        if (last_v_ > 0) path_.slowness.push_back(1 / static_cast<double>(last_v_));
    }

    /// Adds a piece. At a corner of the line, a point stays if it lies on an edge of cells: the
    /// path may lead round something slow there.
    void add(Vec3 from, Vec3 to, float v, bool corner) {
        const Vec3 middle = 0.5 * (from + to);
        if (last_v_ > 0 && (v != last_v_ || (corner && planes_at(from) > 1))) {
            path_.slowness.push_back(1 / static_cast<double>(last_v_));
            path_.points.push_back(from);
            path_.reach.push_back(v == last_v_ ? along_edge(from)
                                               : between(from, pair_at(middle, v)));
        }
        last_v_ = v;
        last_middle_ = middle;
    }

    bool on_plane(Vec3 point, int axis) const {
        const double u = grid_.index_along(axis, point[axis]);
        return std::abs(u - std::round(u)) < on_face;
    }
    int planes_at(Vec3 point) const {
        int count = 0;
        for (int axis = 0; axis < 3; ++axis) {
            count += grid_.shape[axis] > 1 && on_plane(point, axis);
        }
        return count;
    }
    PointReach along_edge(Vec3 point) const {
        PointReach reach{point, point};
        for (int axis = 0; axis < 3; ++axis) {
            if (grid_.shape[axis] == 1 || on_plane(point, axis)) continue;
            const double u = std::floor(grid_.index_along(axis, point[axis]));
            reach.low[axis] = grid_.coordinate(axis, u);
            reach.high[axis] = grid_.coordinate(axis, u + 1);
        }
        return reach;
    }

    /// The cells before and behind a change of velocity. A piece along a face or an edge touches
    /// several cells of its velocity; those count that share most with the other piece's.
    CellPair pair_at(Vec3 middle, float v) const {
        std::optional<CellPair> best;
        int most = -1;
        for_each_touched_cell(grid_, last_middle_, [&](Index3 before) {
            if (cells_.velocity(before) != last_v_) return;
            for_each_touched_cell(grid_, middle, [&](Index3 behind) {
                if (cells_.velocity(behind) != v || shared_axes(before, behind) <= most) return;
                most = shared_axes(before, behind);
                best = {before, behind};
            });
        });
        return best ? *best
                    : CellPair{locate(grid_, last_middle_).cell, locate(grid_, middle).cell};
    }

    PointReach between(Vec3 point, const CellPair& pair) const {
        PointReach reach{point, point};
        for (int axis = 0; axis < 3; ++axis) {
            if (grid_.shape[axis] == 1 || pair.before[axis] != pair.behind[axis]) continue;
            const int cell = pair.before[axis];
            reach.low[axis] = grid_.coordinate(axis, cell - alike(pair, axis, -1));
            reach.high[axis] = grid_.coordinate(axis, cell + 1 + alike(pair, axis, 1));
        }
        return reach;
    }
    /// The number of cells beyond a pair, along an axis, between which velocity changes alike.
    int alike(const CellPair& pair, int axis, int step) const {
        constexpr int most = 8;
        if (sliding_ == Sliding::on_its_face) return 0;
        const float before = cells_.velocity(pair.before);
        const float behind = cells_.velocity(pair.behind);
        CellPair next = pair;
        for (int count = 0; count < most; ++count) {
            next.before[axis] += step;
            next.behind[axis] += step;
            const int at = next.before[axis];
            if (at < 0 || at >= grid_.cell_shape()[axis]) return count;
            if (cells_.velocity(next.before) != before) return count;
            if (cells_.velocity(next.behind) != behind) return count;
        }
        return most;
    }

    const Grid& grid_;
    CellsView<> cells_;
    Sliding sliding_;
    BentPath path_;
    float last_v_ = 0;
    Vec3 last_middle_;
};

}  // namespace

BentPath bent_path(const Model& model, std::span<const Vec3> line, Sliding sliding) {
    Cutter cutter(model, sliding);
    if (line.size() < 2 || !cutter.cut(line)) return {};
    return cutter.take();
}

namespace {

class Slide {
  public:
    explicit Slide(BentPath& path) : path_(path), count_(path.points.size()) {
        double length = 0;
        for (std::size_t n = 0; n + 1 < count_; ++n) {
            length += distance(path.points[n], path.points[n + 1]);
        }
        shortest_ = 1e-9 * length;
    }

    double time_of(std::span<const Vec3> points) const {
        double sum = 0;
        for (std::size_t n = 0; n + 1 < count_; ++n) {
            sum += path_.slowness[n] * distance(points[n], points[n + 1]);
        }
        return sum;
    }

    /// One step of Newton, shortened until the time falls. Returns the new time.
    double step(double time) {
        find_moves();
        trial_.resize(count_);
        for (double scale = 1; scale > 0.01; scale /= 3) {
            for (std::size_t n = 0; n < count_; ++n) trial_[n] = moved(n, scale);
            const double now = time_of(trial_);
            if (!(now < time)) continue;
            path_.points = trial_;
            return now;
        }
        return time;
    }

  private:
    Vec3 moved(std::size_t n, double scale) const {
        Vec3 p = path_.points[n];
        const PointReach& reach = path_.reach[n];
        for (int axis = 0; axis < 3; ++axis) {
            if (reach.low[axis] == reach.high[axis]) continue;
            p[axis] =
                std::clamp(p[axis] + scale * moves_[n][axis], reach.low[axis], reach.high[axis]);
        }
        return p;
    }
    bool is_free(std::size_t n, int axis, double slope) const {
        const double low = path_.reach[n].low[axis];
        const double high = path_.reach[n].high[axis];
        const double at = path_.points[n][axis];
        return low < high && !(at <= low && slope > 0) && !(at >= high && slope < 0);
    }

    /// Solves K d = -g, with K of blocks round the diagonal: for a piece of length L, direction u
    /// and slowness s, s/L (1 - u u^T) and, so that no block is singular, a little along it.
    void find_moves() {
        constexpr double along = 0.02;
        gradient_.assign(count_, {});
        diagonal_.assign(count_, {});
        behind_.assign(count_, {});
        moves_.assign(count_, {});
        for (std::size_t n = 0; n + 1 < count_; ++n) {
            const Vec3 d = path_.points[n + 1] - path_.points[n];
            const double length = std::max(norm(d), shortest_);
            const Vec3 u = (1 / length) * d;
            const double s = path_.slowness[n];
            gradient_[n] = gradient_[n] - s * u;
            gradient_[n + 1] = gradient_[n + 1] + s * u;
            behind_[n] = (s / length) * (Mat3::identity() + (along - 1) * outer(u));
            diagonal_[n] = diagonal_[n] + behind_[n];
            diagonal_[n + 1] = diagonal_[n + 1] + behind_[n];
        }
        for (std::size_t n = 0; n < count_; ++n) {
            for (int axis = 0; axis < 3; ++axis) {
                if (!is_free(n, axis, gradient_[n][axis])) hold(n, axis);
            }
        }
        for (std::size_t n = 1; n < count_; ++n) {
            const Mat3 share = transposed(behind_[n - 1]) * inverse(diagonal_[n - 1]);
            diagonal_[n] = diagonal_[n] + -1.0 * (share * behind_[n - 1]);
            gradient_[n] = gradient_[n] + share * gradient_[n - 1];
        }
        for (std::size_t n = count_; n-- > 0;) {
            Vec3 right = -1.0 * gradient_[n];
            if (n + 1 < count_) right = right + behind_[n] * moves_[n + 1];
            moves_[n] = inverse(diagonal_[n]) * right;
            if (!is_finite(moves_[n])) moves_[n] = {};
        }
    }
    void hold(std::size_t n, int axis) {
        gradient_[n][axis] = 0;
        for (int other = 0; other < 3; ++other) {
            diagonal_[n](axis, other) = diagonal_[n](other, axis) = 0;
            if (n + 1 < count_) behind_[n](axis, other) = 0;
            if (n > 0) behind_[n - 1](other, axis) = 0;
        }
        diagonal_[n](axis, axis) = 1;
    }

    BentPath& path_;
    std::size_t count_;
    double shortest_ = 0;
    std::vector<Vec3> gradient_;
    std::vector<Mat3> diagonal_;
    std::vector<Mat3> behind_;  ///< the blocks of a point and the next, negative
    std::vector<Vec3> moves_;
    std::vector<Vec3> trial_;
};

}  // namespace

void slide(BentPath& path) {
    constexpr int most_steps = 20;
    constexpr double still = 1e-10;  // of the time
    if (path.points.size() < 3) return;
    Slide slide(path);
    double time = slide.time_of(path.points);
    for (int n = 0; n < most_steps; ++n) {
        const double now = slide.step(time);
        const bool rests = time - now < still * time;
        time = now;
        if (rests) break;
    }
}

}  // namespace fermat
