#include "rays/cells/polish.hpp"

#include <cmath>

#include "rays/cells/bent_path.hpp"
#include "rays/cells/detours.hpp"

namespace fermat {
namespace {

/// Points that slid onto one another are one point.
std::vector<Vec3> distinct(const Grid& grid, std::vector<Vec3> points) {
    const double apart = 1e-9 * norm(grid.spacing);
    std::vector<Vec3> kept;
    for (std::size_t n = 0; n < points.size(); ++n) {
        if (kept.empty() || distance(points[n], kept.back()) > apart) {
            kept.push_back(points[n]);
        } else if (n + 1 == points.size() && kept.size() > 1) {
            kept.back() = points[n];
        }
    }
    return kept;
}

/// Slides the points of a line. Returns the time of the line.
double slide_points(const Model& model, const LineTimes& times, std::vector<Vec3>& line,
                    double time) {
    for (const Sliding sliding : {Sliding::along_bodies, Sliding::on_its_face}) {
        BentPath path = bent_path(model, line, sliding);
        if (path.points.size() < 3) return time;
        slide(path);
        std::vector<Vec3> moved = distinct(times.grid(), std::move(path.points));
        const double now = times.along(moved);
        if (!(now < time)) continue;
        line = std::move(moved);
        return now;
    }
    return time;
}

}  // namespace

double polish(const Model& model, const LineTimes& times, std::vector<Vec3>& line) {
    constexpr int most_rounds = 12;
    constexpr double still = 1e-7;  // of the time
    double time = times.along(line);
    if (line.size() < 2 || !std::isfinite(time)) return time;
    // A rough path along a fast layer may be later than the straight line although the path of
    // least time beside it is not. Long parts are straightened only when the path has settled.
    Straight parts = Straight::single_points;
    EdgeDetours detours(times);
    for (int round = 0; round < most_rounds; ++round) {
        const double before = time;
        time = slide_points(model, times, line, time);
        straighten(times, line, parts);
        bool changed = detours.take(line);
        if (parts == Straight::all) changed |= run_along_faces(times, line);
        if (changed || parts == Straight::all) time = times.along(line);
        if (before - time < still * time) {
            if (parts == Straight::all) break;
            parts = Straight::all;
        }
    }
    return time;
}

}  // namespace fermat
