#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/choice.hpp"
#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// How a ray ended. Rays that are `ok` or `late` reach their source.
enum class RayStatus : std::uint8_t {
    ok,
    receiver_in_air,
    source_in_air,
    unreachable,  ///< air separates source and receiver, or blocks every start of a bent ray
    stalled,      ///< the walk could not continue; the part traced is kept
    late,         ///< it arrives, but is_late: its path or the field is poor
};
template <>
inline constexpr auto choices<RayStatus> =
    choice_table<RayStatus>("ray status", {{"ok", RayStatus::ok},
                                           {"receiver_in_air", RayStatus::receiver_in_air},
                                           {"source_in_air", RayStatus::source_in_air},
                                           {"unreachable", RayStatus::unreachable},
                                           {"stalled", RayStatus::stalled},
                                           {"late", RayStatus::late}});

/// Whether a ray has a path to its source, and thus a time and a row.
FERMAT_HD inline bool has_arrived(RayStatus status) {
    return status == RayStatus::ok || status == RayStatus::late;
}

/// Whether a ray's time is later than that of its field by more than a thousandth. Times exclude
/// the start time of the source.
inline bool is_late(double time, double field_time) { return time > (1 + 1e-3) * field_time; }

/// The start of a bent ray: the fastest of those that were tried. Other rays have none.
enum class RayStart : std::uint8_t {
    none,
    straight,  ///< the straight line
    deep,      ///< curved downwards
    sides,     ///< curved to the left or to the right at equal depth
    descent,   ///< the ray of tracer `descent`
    graph,     ///< the shortest path through the grid's graph
};
template <>
inline constexpr auto choices<RayStart> = choice_table<RayStart>("start",
                                                                 {{"none", RayStart::none},
                                                                  {"straight", RayStart::straight},
                                                                  {"deep", RayStart::deep},
                                                                  {"sides", RayStart::sides},
                                                                  {"descent", RayStart::descent},
                                                                  {"graph", RayStart::graph}});

/// Properties of a ray other than its points.
struct RayInfo {
    std::int32_t source = 0;    ///< index of the event in its survey
    std::int32_t receiver = 0;  ///< index of the station
    double field_time = 0;  ///< time of the field at the receiver (CellRays: beside jumps); for a
                            ///< bent ray, `time`
    double time = 0;        ///< slowness integrated along the ray
    double length = 0;
    RayStatus status = RayStatus::ok;
    RayStart start = RayStart::none;
    Phase phase = Phase::P;
};

/// Many rays in flat memory. Ray r has the points [first_point[r], first_point[r + 1]), from
/// receiver to source.
struct RaySet {
    std::vector<RayInfo> rays;
    std::vector<std::int64_t> first_point{0};
    std::vector<Vec3> points;

    std::size_t size() const { return rays.size(); }
    std::span<const Vec3> path(std::size_t ray) const {
        const auto begin = static_cast<std::size_t>(first_point[ray]);
        const auto end = static_cast<std::size_t>(first_point[ray + 1]);
        return std::span(points).subspan(begin, end - begin);
    }
    void append(const RayInfo& info, std::span<const Vec3> path_points) {
        points.insert(points.end(), path_points.begin(), path_points.end());
        close(info);
    }
    /// Ends a ray. Its points are those added since the last ray ended.
    void close(const RayInfo& info) {
        rays.push_back(info);
        first_point.push_back(static_cast<std::int64_t>(points.size()));
    }
    void append(RaySet&& other) {
        if (rays.empty()) {
            *this = std::move(other);
            return;
        }
        const std::int64_t before = first_point.back();
        rays.insert(rays.end(), other.rays.begin(), other.rays.end());
        points.insert(points.end(), other.points.begin(), other.points.end());
        for (std::size_t r = 1; r < other.first_point.size(); ++r) {
            first_point.push_back(before + other.first_point[r]);
        }
    }
};

}  // namespace fermat
