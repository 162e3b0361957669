#include "eikonal/source_paths.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <variant>

#include "eikonal/cells/path.hpp"
#include "eikonal/fmm/queue.hpp"

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
        : grid_(model.grid()),
          cells_(model.cells()->velocity),
          first_(first),
          queue_(bucket_width(first, last)) {
        for (int axis = 0; axis < 3; ++axis) {
            count_[axis] = Dim == 2 && axis == 1 ? 0 : (last[axis] - first[axis]) * parts;
        }
        shape_ = {count_.x + 1, count_.y + 1, count_.z + 1};
        times_.assign(shape_.count(), INFINITY);
        origins_.resize(shape_.count());
        take_rim();
    }

    void start_from(Vec3 source) {
        for_each_touched_cell(grid_, source, [&](Index3 cell) {
            if (!holds(cell) || !(cells_(cell) > 0)) return;
            for (const Index3 step : rim_) {
                const Index3 at = corner_of(cell, step);
                offer(shape_.offset(at), distance(position(at), source) / cells_(cell), none, cell);
            }
        });
    }

    /// Settles points in the order of their times. Calls visit(node, number of its point) for
    /// points that are nodes of the grid, and stops when it returns false.
    template <class Visit>
    void run(Visit visit) {
        Item first;
        const auto is_outdated = [this](Item item) { return item.time() != times_[item.node()]; };
        while (queue_.pop(first, is_outdated)) {
            if (is_outdated(first)) continue;
            const std::size_t number = first.node();
            const double time = first.time();
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
                const double time = times_[number] + slowness * distance(position(at), point);
                if (!(time < earliest)) continue;
                earliest = time;
                first = number;
            }
        });
        std::vector<Vec3> way;
        if (!(earliest < INFINITY)) return way;
        for (std::size_t at = first; at != none; at = origins_[at].from) {
            way.push_back(position(point_at(at)));
        }
        way.push_back(source);
        return way;
    }

    /// Calls visit(path) for the earliest path from the source to `point` through each face of the
    /// cells that the point touches. Relaxed, another one may be the first than before.
    template <class Visit>
    void for_each_way(Vec3 point, Vec3 source, Visit visit) const {
        for_each_touched_cell(grid_, point, [&](Index3 cell) {
            if (!holds(cell) || !(cells_(cell) > 0)) return;
            const double slowness = 1 / static_cast<double>(cells_(cell));
            for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
                for (const int side : {0, parts}) {
                    double earliest = INFINITY;
                    std::size_t first = none;
                    for (const Index3 step : rim_) {
                        if (step[axis] != side) continue;
                        const Index3 at = corner_of(cell, step);
                        const std::size_t number = shape_.offset(at);
                        const double time =
                            times_[number] + slowness * distance(position(at), point);
                        if (!(time < earliest)) continue;
                        earliest = time;
                        first = number;
                    }
                    if (first == none) continue;
                    CellPath path;
                    path.points = {point, position(point_at(first))};
                    path.cells = {cell};
                    for (std::size_t at = first; at != none; at = origins_[at].from) {
                        add_piece(origins_[at].cell, before(at, source), path);
                    }
                    visit(std::move(path));
                }
            }
        });
    }

    /// The path from the source to a point. Consecutive pieces in the same cell are joined.
    CellPath path_to(std::size_t number, Vec3 source) const {
        CellPath path;
        path.points.push_back(position(point_at(number)));
        for (std::size_t at = number; at != none; at = origins_[at].from) {
            add_piece(origins_[at].cell, before(at, source), path);
        }
        return path;
    }

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    /// The point before one on its path, and the cell that the path crosses from there.
    struct Origin {
        std::size_t from = none;
        Index3 cell;
    };
    /// A point and its time, ordered by time, then by number.
    class Item {
      public:
        Item() = default;
        Item(double time, std::size_t number)
            : time_(time), number_(static_cast<std::uint32_t>(number)) {}
        double time() const { return time_; }
        std::uint32_t node() const { return number_; }
        friend auto operator<=>(const Item&, const Item&) = default;

      private:
        double time_ = 0;
        std::uint32_t number_ = 0;
    };

    Vec3 before(std::size_t number, Vec3 source) const {
        const std::size_t from = origins_[number].from;
        return from == none ? source : position(point_at(from));
    }
    static void add_piece(Index3 cell, Vec3 end, CellPath& path) {
        if (!path.cells.empty() && path.cells.back() == cell) {
            path.points.back() = end;
        } else {
            path.cells.push_back(cell);
            path.points.push_back(end);
        }
    }
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

    /// The time between neighbouring points in the mean cell.
    double bucket_width(Index3 first, Index3 last) const {
        double slowness = 0;
        int count = 0;
        for (int i = first.x; i < last.x; ++i) {
            for (int j = first.y; j < std::max(last.y, first.y + 1); ++j) {
                for (int k = first.z; k < last.z; ++k) {
                    if (!(cells_(i, j, k) > 0)) continue;
                    slowness += 1 / static_cast<double>(cells_(i, j, k));
                    ++count;
                }
            }
        }
        const double flat = std::min(grid_.spacing.x, grid_.spacing.z);
        const double spacing = Dim == 2 ? flat : std::min(flat, grid_.spacing.y);
        return count == 0 ? 1 : spacing * slowness / (parts * count);
    }

    /// Finds the points on the faces of a cell, and the distances between them.
    void take_rim() {
        const Vec3 h = grid_.spacing / parts;
        for (int i = 0; i <= parts; ++i) {
            for (int j = 0; j <= (Dim == 2 ? 0 : parts); ++j) {
                for (int k = 0; k <= parts; ++k) {
                    const bool outside =
                        i % parts == 0 || k % parts == 0 || (Dim == 3 && j % parts == 0);
                    if (!outside) continue;
                    place_in_rim_[i][j][k] = rim_.size();
                    rim_offsets_.push_back(shape_.offset(i, j, k));
                    rim_.push_back({i, j, k});
                }
            }
        }
        lengths_.reserve(rim_.size() * rim_.size());
        for (const Index3 a : rim_) {
            for (const Index3 b : rim_) {
                lengths_.push_back(norm({std::abs(a.x - b.x) * h.x, std::abs(a.y - b.y) * h.y,
                                         std::abs(a.z - b.z) * h.z}));
            }
        }
    }

    void offer(std::size_t number, double time, std::size_t from, Index3 cell) {
        if (!(time < times_[number])) return;
        times_[number] = time;
        origins_[number] = {from, cell};
        queue_.push({time, number});
    }

    /// Passes the time of a point on through the cells that it touches. The cell through which the
    /// wave came to the point is left out: what lies on its faces is reached straight from the
    /// point before.
    void pass_on(Index3 at, std::size_t number, double time) {
        for (unsigned side = 0; side < 8; ++side) {
            Index3 cell;
            bool touches = true;
            for (int axis = 0; axis < 3; ++axis) {
                const bool below = side >> axis & 1U;
                touches &= !below || (at[axis] % parts == 0 && at[axis] > 0);
                cell[axis] = first_[axis] + at[axis] / parts - (below ? 1 : 0);
            }
            if (!touches || !holds(cell) || cell == origins_[number].cell) continue;
            if (cells_(cell) > 0) pass_through(cell, at, number, time);
        }
    }
    void pass_through(Index3 cell, Index3 at, std::size_t number, double time) {
        const double slowness = 1 / static_cast<double>(cells_(cell));
        const Index3 corner = corner_of(cell, {});
        const std::size_t first = shape_.offset(corner);
        const double* const lengths =
            lengths_.data() +
            rim_.size() * place_in_rim_[at.x - corner.x][at.y - corner.y][at.z - corner.z];
        for (std::size_t n = 0; n < rim_.size(); ++n) {
            const std::size_t to = first + rim_offsets_[n];
            if (time < times_[to]) offer(to, time + slowness * lengths[n], number, cell);
        }
    }

    const Grid& grid_;
    FieldView<const float> cells_;
    Index3 first_;
    Index3 count_;
    Shape shape_;
    std::vector<Index3> rim_;  ///< points on the faces of a cell, relative to its first corner
    std::vector<std::size_t> rim_offsets_;  ///< in the lattice, likewise
    std::size_t place_in_rim_[parts + 1][parts + 1][parts + 1] = {};
    std::vector<double> lengths_;  ///< from each point of the rim to each
    std::vector<double> times_;
    std::vector<Origin> origins_;
    CalendarQueue<Item> queue_;
};

}  // namespace

namespace {

/// The distance from the source within which paths are wanted, in cells.
double reach_of(const Grid& grid) { return (grid.is_2d() ? 5 : 3) + 1e-6; }

int node_at(const Grid& grid, int axis, double place) {
    return std::clamp(static_cast<int>(place), 0, grid.shape[axis] - 1);
}

struct NearNodes {
    Index3 first;
    Index3 last;
};
/// The nodes within that distance.
NearNodes nodes_near(const Grid& grid, Vec3 source) {
    const Vec3 index = grid.to_index(source);
    NearNodes box;
    for (int axis = 0; axis < 3; ++axis) {
        box.first[axis] = node_at(grid, axis, std::ceil(index[axis] - reach_of(grid)));
        box.last[axis] = node_at(grid, axis, std::floor(index[axis] + reach_of(grid)));
    }
    return box;
}

bool holds(const NearNodes& box, Vec3 index) {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
        inside &= index[axis] >= box.first[axis] && index[axis] <= box.last[axis];
    }
    return inside;
}

}  // namespace

/// The search goes a little further than the nodes whose paths are wanted.
struct SourcePaths::State {
    template <class Visit>
    auto visit(Visit function) {
        if (auto* flat = std::get_if<FaceGraph<2>>(&graph)) return function(*flat);
        return function(*std::get_if<FaceGraph<3>>(&graph));
    }

    State(const Model& from, Vec3 at) : model(from), source(at) {
        const Grid& grid = model.grid();
        const double margin = grid.is_2d() ? 2 : 1;
        const NearNodes near = nodes_near(grid, source);
        first = near.first;
        last = near.last;
        const Vec3 index = grid.to_index(source);
        Index3 first_cell;
        Index3 last_cell;
        for (int axis = 0; axis < 3; ++axis) {
            const double reach = reach_of(grid) + margin;
            first_cell[axis] = node_at(grid, axis, std::floor(index[axis] - reach));
            last_cell[axis] = node_at(grid, axis, std::ceil(index[axis] + reach));
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

    double relaxed(CellPath path) const {
        return relax(model.grid(), model.cells()->velocity, path);
    }
    /// The time along the straight line to a point, relaxed. Infinite through air.
    double straight(Vec3 point) const {
        CellPath line = straight_path(model.grid(), model.cells()->velocity, point, source);
        return line.cells.empty() ? double{INFINITY} : relaxed(std::move(line));
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
            const Vec3 place = grid.position(node);
            const double r = distance(place, s.source);
            double tau = 1;
            if (r > 0) {
                // The graph knows few directions. Where nothing bends the wave, the straight line
                // is its path.
                const double time = s.relaxed(graph.path_to(number, s.source));
                tau = std::min(time, s.straight(place)) / (source_slowness * r);
            }
            starts.push_back({node, tau});
            return starts.size() < enough;
        });
    });
    return starts;
}

bool SourcePaths::reaches(Vec3 point) const {
    const State& s = *state_;
    return holds({s.first, s.last}, s.model.grid().to_index(point));
}

bool SourcePaths::reaches(const Grid& grid, Vec3 source, Vec3 point) {
    return holds(nodes_near(grid, source), grid.to_index(point));
}

void SourcePaths::know_all() {
    state_->visit([&](auto& graph) { graph.run([](Index3, std::size_t) { return true; }); });
}

std::vector<Vec3> SourcePaths::way_from(Vec3 point) const {
    return state_->visit([&](auto& graph) { return graph.way_from(point, state_->source); });
}

double SourcePaths::time_to(Vec3 point) const {
    if (distance(point, state_->source) == 0) return 0;
    double earliest = state_->straight(point);
    state_->visit([&](auto& graph) {
        graph.for_each_way(point, state_->source, [&](CellPath&& path) {
            earliest = std::min(earliest, state_->relaxed(std::move(path)));
        });
    });
    return earliest;
}

}  // namespace fermat
