#include "eikonal/source_paths.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <variant>

#include "eikonal/cells/path.hpp"

namespace fermat {
namespace {

/// A fine lattice in a box of cells. It divides the edges of cells into `parts` parts; its points
/// on the faces of cells are the nodes of the graph. Coordinates count parts from the first node of
/// the box.
template <int Dim>
class FaceGraph {
  public:
    static constexpr int parts = Dim == 2 ? 12 : 4;

    /// Cells [first, last) of the grid.
    FaceGraph(const Model& model, Index3 first, Index3 last)
        : grid_(model.grid()), cells_(model.cells()->velocity), first_(first) {
        for (int axis = 0; axis < 3; ++axis) {
            count_[axis] = Dim == 2 && axis == 1 ? 0 : (last[axis] - first[axis]) * parts;
        }
        const Shape shape{count_.x + 1, count_.y + 1, count_.z + 1};
        shape_ = shape;
        points_.resize(shape.count());
        for (int i = 0; i <= parts; ++i) {
            for (int j = 0; j <= (Dim == 2 ? 0 : parts); ++j) {
                for (int k = 0; k <= parts; ++k) {
                    const bool outside =
                        i % parts == 0 || k % parts == 0 || (Dim == 3 && j % parts == 0);
                    if (outside) rim_.push_back({i, j, k});
                    const Vec3 h = grid_.spacing / parts;
                    length_[i][j][k] = norm({i * h.x, j * h.y, k * h.z});
                }
            }
        }
    }

    void start_from(Vec3 source) {
        for_each_touched_cell(grid_, source, [&](Index3 cell) {
            if (!holds(cell) || !(cells_(cell) > 0)) return;
            for (const Index3 step : rim_) {
                const Index3 at = corner_of(cell, step);
                offer(at, distance(position(at), source) / cells_(cell), none, cell);
            }
        });
    }

    /// Settles points in the order of their times. Calls visit(node, number of its point) for
    /// points that are nodes of the grid, and stops when it returns false.
    template <class Visit>
    void run(Visit visit) {
        while (!queue_.empty()) {
            const auto [time, number] = queue_.top();
            queue_.pop();
            Point& here = points_[number];
            if (here.settled) continue;
            here.settled = true;
            const Index3 at = point_at(number);
            pass_on(at, number, time);
            if (at.x % parts != 0 || at.y % parts != 0 || at.z % parts != 0) continue;
            const Index3 node{first_.x + at.x / parts, first_.y + at.y / parts,
                              first_.z + at.z / parts};
            if (!visit(node, number)) return;
        }
    }

    std::vector<Vec3> way_from(Vec3 point, Vec3 source) const {
        double earliest = INFINITY;
        std::size_t first = none;
        for_each_touched_cell(grid_, point, [&](Index3 cell) {
            if (!holds(cell) || !(cells_(cell) > 0)) return;
            const double slowness = 1 / static_cast<double>(cells_(cell));
            if (touches(cell, source) && slowness * distance(point, source) < earliest) {
                earliest = slowness * distance(point, source);
                first = none;
            }
            for (const Index3 step : rim_) {
                const Index3 at = corner_of(cell, step);
                const std::size_t number = shape_.offset(at);
                const double time = points_[number].time + slowness * distance(position(at), point);
                if (!(time < earliest)) continue;
                earliest = time;
                first = number;
            }
        });
        std::vector<Vec3> way;
        if (!(earliest < INFINITY)) return way;
        for (std::size_t at = first; at != none; at = points_[at].from) {
            way.push_back(position(point_at(at)));
        }
        way.push_back(source);
        return way;
    }

    /// The path from the source to a point. Consecutive pieces in the same cell are joined.
    CellPath path_to(std::size_t number, Vec3 source) const {
        CellPath path;
        path.points.push_back(position(point_at(number)));
        for (std::size_t at = number; at != none; at = points_[at].from) {
            const Point& point = points_[at];
            const Vec3 before = point.from == none ? source : position(point_at(point.from));
            if (!path.cells.empty() && path.cells.back() == point.cell) {
                path.points.back() = before;
            } else {
                path.cells.push_back(point.cell);
                path.points.push_back(before);
            }
        }
        return path;
    }

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    struct Point {
        double time = INFINITY;
        std::size_t from = none;
        Index3 cell;  ///< that the path from there crosses
        bool settled = false;
    };
    using Item = std::pair<double, std::size_t>;

    bool holds(Index3 cell) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (Dim == 2 && axis == 1) continue;
            const int at = cell[axis] - first_[axis];
            if (at < 0 || at * parts >= count_[axis]) return false;
        }
        return true;
    }
    bool touches(Index3 cell, Vec3 point) const {
        bool touched = false;
        for_each_touched_cell(grid_, point, [&](Index3 other) { touched |= other == cell; });
        return touched;
    }
    Index3 corner_of(Index3 cell, Index3 step) const {
        return {(cell.x - first_.x) * parts + step.x, (cell.y - first_.y) * parts + step.y,
                (cell.z - first_.z) * parts + step.z};
    }
    Index3 point_at(std::size_t number) const {
        const auto n = static_cast<int>(number);
        return {n / (shape_.y * shape_.z), n / shape_.z % shape_.y, n % shape_.z};
    }
    Vec3 position(Index3 at) const { return grid_.fine_position(first_, at, parts); }

    void offer(Index3 at, double time, std::size_t from, Index3 cell) {
        Point& point = points_[shape_.offset(at)];
        if (!(time < point.time)) return;
        point.time = time;
        point.from = from;
        point.cell = cell;
        queue_.push({time, shape_.offset(at)});
    }

    void pass_on(Index3 at, std::size_t number, double time) {
        for (unsigned side = 0; side < 8; ++side) {
            Index3 cell;
            bool touches = true;
            for (int axis = 0; axis < 3; ++axis) {
                const bool below = side >> axis & 1U;
                touches &= !below || (at[axis] % parts == 0 && at[axis] > 0);
                cell[axis] = first_[axis] + at[axis] / parts - (below ? 1 : 0);
            }
            if (!touches || !holds(cell) || !(cells_(cell) > 0)) continue;
            const double slowness = 1 / static_cast<double>(cells_(cell));
            for (const Index3 step : rim_) {
                const Index3 to = corner_of(cell, step);
                const Point& point = points_[shape_.offset(to)];
                if (point.settled || !(time < point.time)) continue;
                const double length =
                    length_[std::abs(to.x - at.x)][std::abs(to.y - at.y)][std::abs(to.z - at.z)];
                offer(to, time + slowness * length, number, cell);
            }
        }
    }

    const Grid& grid_;
    FieldView<const float> cells_;
    Index3 first_;
    Index3 count_;
    Shape shape_;
    std::vector<Index3> rim_;  ///< points on the faces of a cell, relative to its first corner
    double length_[parts + 1][parts + 1][parts + 1] = {};  ///< indexed by steps along the axes
    std::vector<Point> points_;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue_;
};

}  // namespace

/// The distance from the source within which paths are wanted, and how much further the search
/// goes, both in cells.
struct SourcePaths::State {
    template <class Visit>
    auto visit(Visit function) {
        if (auto* flat = std::get_if<FaceGraph<2>>(&graph)) return function(*flat);
        return function(*std::get_if<FaceGraph<3>>(&graph));
    }

    State(const Model& from, Vec3 at) : model(from), source(at) {
        const Grid& grid = model.grid();
        const double reach = (grid.is_2d() ? 5 : 3) + 1e-6;
        const double margin = grid.is_2d() ? 2 : 1;
        const Vec3 index = grid.to_index(source);
        Index3 first_cell;
        Index3 last_cell;
        for (int axis = 0; axis < 3; ++axis) {
            const auto node = [&](double place) {
                return std::clamp(static_cast<int>(place), 0, grid.shape[axis] - 1);
            };
            first[axis] = node(std::ceil(index[axis] - reach));
            last[axis] = node(std::floor(index[axis] + reach));
            first_cell[axis] = node(std::floor(index[axis] - reach - margin));
            last_cell[axis] = node(std::ceil(index[axis] + reach + margin));
        }
        if (grid.is_2d()) {
            graph.emplace<FaceGraph<2>>(model, first_cell, last_cell);
        } else {
            graph.emplace<FaceGraph<3>>(model, first_cell, last_cell);
        }
        visit([&](auto& paths) { paths.start_from(source); });
    }

    bool wanted(Index3 node) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (node[axis] < first[axis] || node[axis] > last[axis]) return false;
        }
        return true;
    }

    const Model& model;
    Vec3 source;
    Index3 first;  ///< nodes to start from
    Index3 last;
    std::variant<std::monostate, FaceGraph<2>, FaceGraph<3>> graph;
};

SourcePaths::SourcePaths(const Model& model, Vec3 source)
    : state_(std::make_unique<State>(model, source)) {}
SourcePaths::~SourcePaths() = default;
SourcePaths::SourcePaths(SourcePaths&&) noexcept = default;

std::vector<StartNode> SourcePaths::starts(double source_slowness) {
    State& s = *state_;
    const Grid& grid = s.model.grid();
    std::size_t enough = 1;
    for (int axis = 0; axis < 3; ++axis) {
        enough *= static_cast<std::size_t>(s.last[axis] - s.first[axis] + 1);
    }
    std::vector<StartNode> starts;
    s.visit([&](auto& graph) {
        graph.run([&](Index3 node, std::size_t number) {
            if (!s.wanted(node)) return true;
            const double r = distance(grid.position(node), s.source);
            double tau = 1;
            if (r > 0) {
                CellPath path = graph.path_to(number, s.source);
                tau = relax(grid, s.model.cells()->velocity, path) / (source_slowness * r);
            }
            starts.push_back({node, tau});
            return starts.size() < enough;
        });
    });
    return starts;
}

bool SourcePaths::reaches(Vec3 point) const {
    const State& s = *state_;
    const Vec3 index = s.model.grid().to_index(point);
    for (int axis = 0; axis < 3; ++axis) {
        if (index[axis] < s.first[axis] || index[axis] > s.last[axis]) return false;
    }
    return true;
}

void SourcePaths::know_all() {
    state_->visit([&](auto& graph) { graph.run([](Index3, std::size_t) { return true; }); });
}

std::vector<Vec3> SourcePaths::way_from(Vec3 point) const {
    return state_->visit([&](auto& graph) { return graph.way_from(point, state_->source); });
}

}  // namespace fermat
