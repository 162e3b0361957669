#include "rays/jump_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "model/metric.hpp"

namespace fermat {
namespace {

constexpr double near = 1;       ///< rows, of a ray beside a row of jumps
constexpr double on_row = 1e-9;  ///< rows

enum class Side { none, above, below };

/// Points of a ray one after another, all beside one row of jumps or all between two.
struct Stretch {
    std::size_t first = 0;
    std::size_t last = 0;
    int row = -1;  ///< of jumps; -1 between rows
};

class Layers {
  public:
    explicit Layers(const Model& model) : jumps_(model.coordinates().jumps) {
        for (std::size_t k = 0; k < jumps_.size(); ++k) {
            if (jumps_[k] != 1) rows_.push_back(static_cast<int>(k));
        }
        last_ = model.grid().shape.z - 1;
    }

    bool faster_below(int row) const { return jumps_[static_cast<std::size_t>(row)] > 1; }
    /// The row of jumps within a distance of a point; -1 if there is none.
    int row_beside(double z, double distance) const {
        int best = -1;
        for (const int row : rows_) {
            const double off = std::abs(z - row);
            if (off > distance) continue;
            if (best < 0 || off < std::abs(z - best)) best = row;
        }
        return best;
    }
    /// The layer that holds a point which lies on no row of jumps.
    RowRange round(double z) const {
        RowRange out{0, static_cast<double>(last_)};
        for (const int row : rows_) {
            if (row <= z) out.low = row;
            if (row > z) {
                out.high = row;
                break;
            }
        }
        return out;
    }
    RowRange beside(int row, Side side) const {
        return round(side == Side::above ? row - 0.5 : row + 0.5);
    }
    const std::vector<int>& rows() const { return rows_; }

  private:
    const std::vector<double>& jumps_;
    std::vector<int> rows_;
    int last_ = 0;
};

/// The ray with a point on every row of jumps that it crosses.
std::vector<Vec3> cut_at_rows(const Layers& layers, std::span<const Vec3> traced) {
    std::vector<Vec3> out = {traced.front()};
    for (std::size_t n = 1; n < traced.size(); ++n) {
        const Vec3 from = traced[n - 1];
        const Vec3 to = traced[n];
        std::vector<double> parts;
        for (const int row : layers.rows()) {
            const double part = (row - from.z) / (to.z - from.z);
            if ((from.z - row) * (to.z - row) < 0) parts.push_back(part);
        }
        std::sort(parts.begin(), parts.end());
        for (const double part : parts) out.push_back(from + part * (to - from));
        out.push_back(to);
    }
    return out;
}

std::vector<Stretch> stretches_of(const Layers& layers, std::span<const Vec3> points) {
    std::vector<Stretch> out;
    for (std::size_t n = 0; n < points.size(); ++n) {
        // An end that lies off the rows belongs to its layer, however near it is to one.
        const bool end = n == 0 || n + 1 == points.size();
        const int row = layers.row_beside(points[n].z, end ? on_row : near);
        if (!out.empty() && out.back().row == row) {
            out.back().last = n;
        } else {
            out.push_back({n, n, row});
        }
    }
    return out;
}

Side side_of(double z, int row) { return z < row ? Side::above : Side::below; }

/// Makes the path stretch by stretch.
class Maker {
  public:
    Maker(const Layers& layers, std::span<const Vec3> points, Grazing grazing)
        : layers_(layers), points_(points), grazing_(grazing) {}

    JumpPath made() {
        const std::vector<Stretch> stretches = stretches_of(layers_, points_);
        path_.points.push_back(points_.front());
        path_.reach.push_back({points_.front().z, points_.front().z});
        for (std::size_t n = 0; n < stretches.size(); ++n) {
            const Stretch& at = stretches[n];
            if (at.row < 0) {
                pass(at, layers_.round(points_[at.first].z));
                continue;
            }
            const Side before = n == 0 ? Side::none : side_of(points_[at.first - 1].z, at.row);
            const Side after =
                n + 1 == stretches.size() ? Side::none : side_of(points_[at.last + 1].z, at.row);
            beside_row(at, before, after);
        }
        return std::move(path_);
    }

  private:
    void add(Vec3 point, RowRange may_go, RowRange through) {
        point.z = std::clamp(point.z, may_go.low, may_go.high);
        path_.add(point, may_go, through);
    }
    /// The points of a stretch through one layer.
    void pass(const Stretch& at, RowRange layer) {
        for (std::size_t n = std::max<std::size_t>(at.first, 1); n <= at.last; ++n) {
            const bool end = n + 1 == points_.size();
            add(points_[n], end ? RowRange{points_[n].z, points_[n].z} : layer, layer);
        }
    }
    /// To the row at a point, through the layer on one side.
    void meet(std::size_t n, int row, Side side) {
        const auto z = static_cast<double>(row);
        add(points_[n], {z, z}, layers_.beside(row, side));
    }

    bool touches(const Stretch& at, Side side) const {
        for (std::size_t n = at.first; n <= at.last; ++n) {
            const double off = points_[n].z - at.row;
            if ((side == Side::below ? off : -off) > on_row) return true;
        }
        return false;
    }

    void beside_row(const Stretch& at, Side before, Side after) {
        const Side fast = layers_.faster_below(at.row) ? Side::below : Side::above;
        const Side slow = fast == Side::below ? Side::above : Side::below;
        // The layers through which the ray comes to the row and goes on from it.
        const bool comes_slow = before == slow;
        const bool goes_slow = after == slow;
        const bool slides = grazing_ == Grazing::slides || touches(at, fast);
        if (before != fast && after != fast && !slides && (comes_slow || goes_slow)) {
            pass(at, layers_.beside(at.row, slow));
            return;
        }
        if (comes_slow) meet(at.first, at.row, slow);
        pass(at, layers_.beside(at.row, fast));
        if (goes_slow) meet(at.last, at.row, fast);
    }

    const Layers& layers_;
    std::span<const Vec3> points_;
    Grazing grazing_;
    JumpPath path_;
};

double cells_between(Vec3 a, Vec3 b) { return norm(b - a); }

}  // namespace

JumpPath jump_path(const Model& model, std::span<const Vec3> traced, Grazing grazing) {
    const Layers layers(model);
    const std::vector<Vec3> points = cut_at_rows(layers, traced);
    return Maker(layers, points, grazing).made();
}

JumpPath evenly_spaced(const JumpPath& path) {
    JumpPath out;
    out.points.push_back(path.points.front());
    out.reach.push_back(path.reach.front());
    std::size_t first = 0;
    while (first + 1 < path.points.size()) {
        // The points up to the next one that stays on its row.
        std::size_t last = first + 1;
        while (path.reach[last].low < path.reach[last].high) ++last;
        double length = 0;
        for (std::size_t n = first; n < last; ++n) {
            length += cells_between(path.points[n], path.points[n + 1]);
        }
        const RowRange layer = path.layer[first];
        const int parts = std::max(1, static_cast<int>(std::ceil(length - 0.25)));
        std::size_t n = first;
        double passed = 0;
        for (int part = 1; part < parts; ++part) {
            const double wanted = length * part / parts;
            double step = cells_between(path.points[n], path.points[n + 1]);
            while (n + 2 <= last && passed + step < wanted) {
                passed += step;
                ++n;
                step = cells_between(path.points[n], path.points[n + 1]);
            }
            const double share = step > 0 ? std::min(1.0, (wanted - passed) / step) : 0;
            out.add(path.points[n] + share * (path.points[n + 1] - path.points[n]), layer, layer);
        }
        out.add(path.points[last], path.reach[last], layer);
        first = last;
    }
    return out;
}

}  // namespace fermat
