#include "rays/cells/led_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>

namespace fermat {
namespace {

/// A lattice that divides the edges of cells into `parts` parts. Its points on the faces of cells
/// are known by their numbers in it.
template <int Dim>
class FaceSearch {
  public:
    static constexpr int parts = Dim == 2 ? 6 : 3;

    FaceSearch(const Model& model, const TimeFieldView<float>& field)
        : grid_(model.grid()), cells_(model.cells()->velocity), field_(field) {
        for (int axis = 0; axis < 3; ++axis) {
            size_[axis] = Dim == 2 && axis == 1 ? 1 : (grid_.shape[axis] - 1) * parts + 1;
        }
        for (int i = 0; i <= parts; ++i) {
            for (int j = 0; j <= (Dim == 2 ? 0 : parts); ++j) {
                for (int k = 0; k <= parts; ++k) {
                    const bool on_rim =
                        i % parts == 0 || k % parts == 0 || (Dim == 3 && j % parts == 0);
                    if (!on_rim) continue;
                    rim_.push_back({i, j, k});
                    rim_numbers_.push_back(number_of({i, j, k}));
                }
            }
        }
    }

    std::vector<Vec3> run(Vec3 receiver, std::size_t most_points) {
        const Vec3 source = field_.factor.position;
        pass_on(receiver, 0, start, {-1, -1, -1});
        std::size_t settled = 0;
        while (!queue_.empty()) {
            const Item item = queue_.top();
            queue_.pop();
            if (item.number == goal) return way(receiver, source);
            Point& point = points_.at(item.number);
            if (point.settled) continue;
            if (++settled > most_points) return {};
            point.settled = true;
            const Point reached = point;
            pass_on(place(item.number), reached.time, item.number, reached.through);
        }
        return {};
    }

  private:
    using Number = std::int64_t;
    static constexpr Number start = -1;
    static constexpr Number goal = -2;

    struct Point {
        double time = INFINITY;  ///< from the receiver
        double ahead = 0;        ///< to the source, by the field
        Number from = start;
        Index3 through;  ///< the cell between the two
        bool settled = false;
    };
    struct Item {
        double total;
        Number number;
        friend bool operator<(const Item& a, const Item& b) {
            return a.total != b.total ? a.total > b.total : a.number > b.number;
        }
    };

    Number number_of(Index3 at) const {
        return (static_cast<Number>(at.x) * size_.y + at.y) * size_.z + at.z;
    }
    Vec3 place(Number number) const {
        const Index3 at{static_cast<int>(number / size_.z / size_.y),
                        static_cast<int>(number / size_.z % size_.y),
                        static_cast<int>(number % size_.z)};
        return grid_.fine_position({}, at, parts);
    }

    /// Passes the time of a point on through the cells that it touches. The cell through which it
    /// was reached is left out: what lies on its faces is reached straight from the point before.
    void pass_on(Vec3 from, double time, Number number, Index3 through) {
        const Vec3 source = field_.factor.position;
        for_each_touched_cell(grid_, from, [&](Index3 cell) {
            if (!(cells_(cell) > 0) || cell == through) return;
            const double slowness = 1 / static_cast<double>(cells_(cell));
            if (holds_source(cell)) {
                offer(goal, time + slowness * distance(from, source), number, cell);
            }
            const Index3 corner{cell.x * parts, cell.y * parts, cell.z * parts};
            const Number first = number_of(corner);
            for (std::size_t n = 0; n < rim_.size(); ++n) {
                const Vec3 to = grid_.fine_position(cell, rim_[n], parts);
                offer(first + rim_numbers_[n], time + slowness * distance(from, to), number, cell);
            }
        });
    }
    bool holds_source(Index3 cell) const {
        const Vec3 source = grid_.to_index(field_.factor.position);
        for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
            const double inside = source[axis] - cell[axis];
            if (inside < -on_face || inside > 1 + on_face) return false;
        }
        return true;
    }
    void offer(Number number, double time, Number from, Index3 through) {
        const auto [found, is_new] = points_.try_emplace(number);
        Point& point = found->second;
        if (is_new && number != goal) {
            point.ahead = time_at(field_, place(number)) - field_.start_time;
        }
        if (point.settled || !(time < point.time)) return;
        point.time = time;
        point.from = from;
        point.through = through;
        if (std::isfinite(point.ahead)) queue_.push({time + point.ahead, number});
    }
    std::vector<Vec3> way(Vec3 receiver, Vec3 source) const {
        std::vector<Vec3> points = {source};
        for (Number n = points_.at(goal).from; n != start; n = points_.at(n).from) {
            points.push_back(place(n));
        }
        points.push_back(receiver);
        std::reverse(points.begin(), points.end());
        return points;
    }

    const Grid& grid_;
    FieldView<const float> cells_;
    const TimeFieldView<float>& field_;
    Index3 size_;
    std::vector<Index3> rim_;  ///< points on the faces of a cell, relative to its first corner
    std::vector<Number> rim_numbers_;
    std::unordered_map<Number, Point> points_;
    std::priority_queue<Item> queue_;
};

}  // namespace

std::vector<Vec3> led_path(const Model& model, const TimeFieldView<float>& field, Vec3 receiver,
                           std::size_t most_points) {
    if (model.grid().is_2d()) return FaceSearch<2>(model, field).run(receiver, most_points);
    return FaceSearch<3>(model, field).run(receiver, most_points);
}

}  // namespace fermat
