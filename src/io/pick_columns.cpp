#include "io/pick_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> source_names = {
    "source", "src", "shot", "sou", "tx", "transmitter", "event", "ev", "s"};
constexpr std::array<std::string_view, 11> receiver_names = {
    "receiver", "rec", "rcv", "geophone", "geo", "rx", "station", "sta", "stn", "g", "r"};
constexpr std::array<std::string_view, 3> x_names = {"x", "easting", "east"};
constexpr std::array<std::string_view, 3> y_names = {"y", "northing", "north"};
constexpr std::array<std::string_view, 3> z_names = {"z", "depth", "dep"};
constexpr std::array<std::string_view, 4> height_names = {"height", "elevation", "elev", "h"};
constexpr std::array<std::string_view, 3> longitude_names = {"longitude", "lon", "long"};
constexpr std::array<std::string_view, 2> latitude_names = {"latitude", "lat"};
constexpr std::array<std::string_view, 9> time_names = {
    "time", "t", "tt", "traveltime", "tobs", "firstbreak", "firstarrival", "pick", "picktime"};

struct AxisNames {
    std::string_view role;
    Names names;
};
constexpr std::array<AxisNames, 6> axes = {{{"x", x_names},
                                            {"y", y_names},
                                            {"z", z_names},
                                            {"height", height_names},
                                            {"longitude", longitude_names},
                                            {"latitude", latitude_names}}};

constexpr std::array<std::string_view, 20> roles = {"source_x",
                                                    "source_y",
                                                    "source_z",
                                                    "source_height",
                                                    "source_longitude",
                                                    "source_latitude",
                                                    "receiver_x",
                                                    "receiver_y",
                                                    "receiver_z",
                                                    "receiver_height",
                                                    "receiver_longitude",
                                                    "receiver_latitude",
                                                    "time",
                                                    "error",
                                                    "valid",
                                                    "phase",
                                                    "event",
                                                    "station",
                                                    "origin_time",
                                                    "polarity"};

/// Lower case without blanks, '_', '-' and '.'.
std::string squashed(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (c == ' ' || c == '_' || c == '-' || c == '.' || c == '\t') continue;
        text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

/// The unit of time that a text means; empty if it is none.
std::string time_unit(std::string_view text) {
    for (const std::string_view unit : {"s", "ms", "us", "ns", "min"}) {
        if (text == unit) return std::string(unit);
    }
    if (text == "sec" || text == "seconds") return "s";
    if (text == "msec" || text == "milliseconds") return "ms";
    return "";
}

/// Takes "(ms)", "[ms]", "/ms" or "_ms" off the end of a name.
std::string take_unit(std::string_view& name) {
    name = trim(name);
    const std::size_t cut = name.find_last_of("([/_");
    if (cut == std::string_view::npos || cut == 0) return "";
    std::string_view rest = name.substr(cut + 1);
    if (rest.ends_with(')') || rest.ends_with(']')) rest.remove_suffix(1);
    const std::string unit = time_unit(trim(rest));
    if (!unit.empty()) name = trim(name.substr(0, cut));
    return unit;
}

std::optional<std::string> point_role(std::string_view text, std::string_view role, Names ends) {
    for (const AxisNames& axis : axes) {
        for (const std::string_view name : axis.names) {
            for (const std::string_view end : ends) {
                const bool first = text.size() == end.size() + name.size() &&
                                   text.starts_with(end) && text.ends_with(name);
                const bool last = text.size() == end.size() + name.size() &&
                                  text.starts_with(name) && text.ends_with(end);
                if (first || last) return fmt::format("{}_{}", role, axis.role);
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<PickColumn> pick_column_of(std::string_view name) {
    for (const std::string_view plain :
         {"valid", "phase", "event", "station", "origin_time", "polarity"}) {
        if (name == plain) return PickColumn{std::string(name), ""};
    }
    if (const auto role = point_role(squashed(name), "source", source_names)) {
        return PickColumn{*role, ""};
    }
    if (const auto role = point_role(squashed(name), "receiver", receiver_names)) {
        return PickColumn{*role, ""};
    }
    std::string_view bare = name;
    const std::string unit = take_unit(bare);
    if (among(time_names, squashed(bare))) return PickColumn{"time", unit};
    if (is_error_name(bare)) return PickColumn{"error", unit};
    return std::nullopt;
}

void require_pick_role(std::string_view role) {
    if (among(roles, role)) return;
    std::string list;
    for (const std::string_view known : roles)
        list += (list.empty() ? "" : ", ") + std::string(known);
    throw InputError(
        fmt::format("column {} is not one of picks (must be one of {})", in_quotes(role), list));
}

}  // namespace fermat
