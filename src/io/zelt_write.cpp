#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/layered_io.hpp"
#include "phases/layer_sample.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// Half of the last of the two decimals that rayinvr reads.
constexpr double half_digit = 0.005;
/// Points of a boundary, and of velocities along it, that rayinvr has room for (ppcntr, ppvel).
constexpr std::size_t most_points = 300;
constexpr std::size_t points_per_line = 10;

/// Values at points of growing x, straight between them.
class BentLine {
  public:
    explicit BentLine(std::vector<std::pair<double, double>> points) : points_(std::move(points)) {}

    double at(double x) const {
        if (points_.size() == 1 || x <= points_.front().first) return points_.front().second;
        const auto after = std::upper_bound(points_.begin(), points_.end(), x,
                                            [](double v, const auto& p) { return v < p.first; });
        if (after == points_.end()) return points_.back().second;
        const auto& [x1, v1] = *after;
        const auto& [x0, v0] = *(after - 1);
        return v0 + (x - x0) / (x1 - x0) * (v1 - v0);
    }
    const std::vector<std::pair<double, double>>& points() const { return points_; }

    /// With as few points as keep every value within a tolerance (Douglas & Peucker 1973), along
    /// depth; one point where all are equal, unless both ends are wanted.
    BentLine thinned(double tolerance, bool ends) const {
        std::vector<bool> kept(points_.size(), false);
        kept.front() = kept.back() = true;
        std::vector<std::pair<std::size_t, std::size_t>> parts{{0, points_.size() - 1}};
        while (!parts.empty()) {
            const auto [a, b] = parts.back();
            parts.pop_back();
            std::size_t worst = a;
            double most = tolerance;
            for (std::size_t n = a + 1; n < b; ++n) {
                const double t =
                    (points_[n].first - points_[a].first) / (points_[b].first - points_[a].first);
                const double line = (1 - t) * points_[a].second + t * points_[b].second;
                if (std::fabs(points_[n].second - line) <= most) continue;
                most = std::fabs(points_[n].second - line);
                worst = n;
            }
            if (worst == a) continue;
            kept[worst] = true;
            parts.emplace_back(a, worst);
            parts.emplace_back(worst, b);
        }
        std::vector<std::pair<double, double>> out;
        for (std::size_t n = 0; n < points_.size(); ++n) {
            if (kept[n]) out.push_back(points_[n]);
        }
        const bool flat = std::all_of(out.begin(), out.end(), [&](const auto& p) {
            return std::fabs(p.second - out.front().second) <= tolerance / 5;
        });
        if (flat && !ends) out.erase(out.begin(), out.end() - 1);
        return BentLine(std::move(out));
    }

  private:
    std::vector<std::pair<double, double>> points_;
};

/// Within half a digit, or within as much more as leaves few enough points.
BentLine short_line(const BentLine& line, double& coarsest, bool ends = false) {
    double tolerance = 0.2 * half_digit;
    BentLine out = line.thinned(tolerance, ends);
    while (out.points().size() > most_points) {
        tolerance *= 2;
        out = line.thinned(tolerance, ends);
    }
    coarsest = std::max(coarsest, tolerance);
    return out;
}

std::string seven_columns(double value) {
    std::string word = fmt::format("{:7.2f}", value);
    if (word.size() > 7) {
        throw InputError(
            fmt::format("{:g} does not fit the seven columns of a number of rayinvr (its units are "
                        "km and km/s)",
                        value));
    }
    return word;
}

/// Three lines of the file per ten points: x, values and flags (none of the bottom).
void add_lines(std::string& text, int layer, const BentLine& line, bool flags) {
    const auto& points = line.points();
    for (std::size_t from = 0; from < points.size(); from += points_per_line) {
        const std::size_t end = std::min(from + points_per_line, points.size());
        std::string x = fmt::format("{:2d} ", layer);
        std::string v = fmt::format("{:2d} ", end < points.size() ? 1 : 0);
        std::string zeros = "   ";
        for (std::size_t n = from; n < end; ++n) {
            x += seven_columns(points[n].first);
            v += seven_columns(points[n].second);
            zeros += fmt::format("{:7d}", 0);
        }
        text += x + '\n' + v + '\n';
        if (flags || end < points.size()) text += zeros + '\n';
    }
}

/// Four points per column: a smooth interface bends between its nodes.
std::vector<double> places_along(const Grid& grid) {
    std::vector<double> out;
    constexpr int parts = 4;
    const int last = parts * (grid.shape.x - 1);
    for (int i = 0; i <= last; ++i) {
        out.push_back(grid.coordinate(0, static_cast<double>(i) / parts));
    }
    return out;
}

struct ZeltLayerLines {
    BentLine top;
    BentLine upper;
    BentLine lower;
};

/// Nodes of a layer where the file's velocity differs from the medium's by more than rounding.
struct LostVelocity {
    std::size_t nodes = 0;
    std::size_t differ = 0;
    double most = 0;

    void add(const Model& model, const ZeltLayerLines& lines, const BentLine& bottom) {
        const Grid& grid = model.grid();
        for (int i = 0; i < grid.shape.x; ++i) {
            const double x = grid.coordinate(0, i);
            const double above = lines.top.at(x);
            const double below = bottom.at(x);
            for (int k = 0; k < grid.shape.z; ++k) {
                const double z = grid.coordinate(2, k);
                if (z < above || z >= below) continue;
                const double part = (z - above) / (below - above);
                const double written = (1 - part) * lines.upper.at(x) + part * lines.lower.at(x);
                const double off = std::fabs(written - model.velocity()(i, 0, k));
                ++nodes;
                differ += off > 2 * half_digit;
                most = std::max(most, off);
            }
        }
    }
};

}  // namespace

void write_zelt_layers(const fs::path& path, const LayeredMedium& medium, Notes& notes) {
    const Grid& grid = medium.grid();
    const std::string quoted = fmt::format("'{}'", path.string());
    if (!grid.is_2d() || !medium.layers().front().p.is_plain()) {
        throw InputError(fmt::format(
            "cannot write {} (a model of rayinvr is a section of x and z, and the medium is not)",
            quoted));
    }
    const std::vector<double> along = places_along(grid);
    const auto line_of = [&](auto value) {
        std::vector<std::pair<double, double>> points;
        for (const double x : along) points.emplace_back(x, value(x));
        return BentLine(std::move(points));
    };
    double coarsest = 0;
    const double bottom = grid.coordinate(2, grid.shape.z - 1);
    const BentLine floor(std::vector{std::pair{along.back(), bottom}});
    std::vector<ZeltLayerLines> layers;
    LostVelocity lost;
    std::size_t without_s = 0;
    for (int n = 0; n < medium.layer_count(); ++n) {
        const Layer& layer = medium.layers()[static_cast<std::size_t>(n)];
        without_s += layer.s.has_value();
        const auto depth = [&](int interface, double x) {
            return interface < medium.layer_count()
                       ? std::min(medium.top_of(interface).depth_at(x, 0), bottom)
                       : bottom;
        };
        const auto velocity = [&](double x, double z) {
            return velocity_sample(grid, layer.p.velocity().data(), {x, grid.origin.y, z}).v;
        };
        const auto along_side = [&](int interface) {
            return short_line(line_of([&](double x) { return velocity(x, depth(interface, x)); }),
                              coarsest);
        };
        // The ends of the ground tell how wide the model is.
        const BentLine top = line_of([&](double x) { return depth(n, x); });
        layers.push_back({short_line(top, coarsest, n == 0), along_side(n), along_side(n + 1)});
    }
    std::string text;
    for (std::size_t n = 0; n < layers.size(); ++n) {
        const BentLine& below = n + 1 < layers.size() ? layers[n + 1].top : floor;
        lost.add(medium.layers()[n].p, layers[n], below);
        for (const BentLine* line : {&layers[n].top, &layers[n].upper, &layers[n].lower}) {
            add_lines(text, static_cast<int>(n) + 1, *line, true);
        }
    }
    add_lines(text, static_cast<int>(layers.size()) + 1, floor, false);
    OutputFile file(path);
    file.write(text);
    file.commit();
    const auto finer = coarsest > half_digit
                           ? fmt::format(
                                 ", and boundaries are within {:.2g} of the medium's "
                                 "(rayinvr has room for {} points of each)",
                                 coarsest, most_points)
                           : std::string();
    if (lost.differ > 0 || !finer.empty()) {
        notes.add(fmt::format(
            "{}: velocity is linear from the top of a layer to its bottom there; at {} of {} nodes "
            "it differs from the medium's, by {:.3g} at most{}",
            quoted, lost.differ, lost.nodes, lost.most, finer));
    }
    if (without_s > 0) {
        notes.add(fmt::format(
            "{}: velocities of S of {} layers are left out (rayinvr has Poisson's ratios in r.in)",
            quoted, without_s));
    }
}

}  // namespace fermat
