#include "io/interface_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/depth_grid.hpp"
#include "io/geometry.hpp"
#include "io/model_formats.hpp"
#include "io/surfer.hpp"
#include "model/topography.hpp"

namespace fermat {
namespace {

constexpr double no_depth = std::numeric_limits<double>::quiet_NaN();
/// Rows and columns of a grid that are kept round the model: a cubic reaches two.
constexpr int kept_margin = 3;

DepthGrid surfer_depths(const TextFile& file) {
    const SurferGrid grid = named_by_file(file, [&] { return read_surfer_grid(file.text()); });
    DepthGrid out;
    out.at = {grid.x, grid.y, grid.dx, grid.dy, grid.columns, grid.rows};
    const bool placed = std::isfinite(grid.x) && std::isfinite(grid.y) && std::isfinite(grid.dx) &&
                        std::isfinite(grid.dy);
    if (!placed || !(grid.dx > 0 && grid.dy > 0)) {
        throw InputError(fmt::format("{} has steps of {:g} and {:g} (must be > 0)", file.quoted(),
                                     grid.dx, grid.dy));
    }
    for (int i = 0; i < grid.columns; ++i) {
        for (int j = 0; j < grid.rows; ++j) {
            const double value = grid.at(i, j);
            out.values.push_back(grid.is_blank(value) ? no_depth : value);
        }
    }
    return out;
}

/// Gives nodes without a value that of the nearest one, in steps of the grid, and counts them.
std::size_t fill_gaps(DepthGrid& grid) {
    std::deque<int> front;
    std::size_t filled = 0;
    for (int n = 0; n < grid.at.count(); ++n) {
        if (std::isfinite(grid.values[static_cast<std::size_t>(n)])) front.push_back(n);
    }
    while (!front.empty()) {
        const int n = front.front();
        front.pop_front();
        const int i = n / grid.at.ny;
        const int j = n % grid.at.ny;
        const auto give = [&](int a, int b) {
            if (a < 0 || b < 0 || a >= grid.at.nx || b >= grid.at.ny) return;
            double& value = grid.values[static_cast<std::size_t>(a * grid.at.ny + b)];
            if (std::isfinite(value)) return;
            value = grid.values[static_cast<std::size_t>(n)];
            ++filled;
            front.push_back(a * grid.at.ny + b);
        };
        give(i - 1, j);
        give(i + 1, j);
        give(i, j - 1);
        give(i, j + 1);
    }
    return filled;
}

/// The part of an axis of a grid that a model needs: numbers of nodes, of a grid round the Earth
/// also beyond its end.
struct AxisPart {
    int from = 0;
    int count = 0;
    double shift = 0;  ///< what is added to coordinates
    int period = 0;    ///< nodes of a full turn; 0: the axis ends
};
AxisPart part_of(double first, double step, int n, double low, double high, bool longitude) {
    AxisPart out;
    constexpr double turn = 360;
    const bool round = longitude && n * step > turn - 0.5 * step;
    if (longitude) {
        const double middle = first + 0.5 * step * (n - 1);
        out.shift = turn * std::round((0.5 * (low + high) - middle) / turn);
    }
    if (round) out.period = static_cast<int>(std::lround(turn / step));
    const double a = (low - first - out.shift) / step;
    const double b = (high - first - out.shift) / step;
    const int begin = static_cast<int>(std::floor(std::clamp(a, -1e9, 1e9))) - kept_margin;
    const int end = static_cast<int>(std::ceil(std::clamp(b, -1e9, 1e9))) + kept_margin;
    out.from = round ? begin : std::max(begin, 0);
    out.count = (round ? end : std::min(end, n - 1)) - out.from + 1;
    // A grid that ends within the margin beside the model does not reach it.
    if (!round && (b < -1e-6 || a > n - 1 + 1e-6)) out.count = 0;
    return out;
}

std::string from_to(double low, double high) { return fmt::format("{:g} to {:g}", low, high); }

/// Throws where a file and the model have no place in common.
[[noreturn]] void refuse_elsewhere(const TextFile& file, const Lattice& at, bool sphere,
                                   const Corners& box) {
    const auto side = [&](const char* flat, const char* round, double low, double high) {
        return fmt::format("{} {}", sphere ? round : flat, from_to(low, high));
    };
    throw InputError(fmt::format(
        "{} lies at {}, {}, and the model at {}, {} (they must have places in common; do their "
        "units differ?)",
        file.quoted(), side("x", "longitude", at.x0, at.x(at.nx - 1)),
        side("y", "latitude", at.y0, at.y(at.ny - 1)),
        sphere ? from_to(box.low.y, box.high.y) : from_to(box.low.x, box.high.x),
        sphere ? from_to(box.low.x, box.high.x) : from_to(box.low.y, box.high.y)));
}

void note_edge(const TextFile& file, const Place& place, double low_x, double high_x, double low_y,
               double high_y, Notes& notes) {
    const Lattice columns = columns_of(place);
    const double slack = 1e-6;
    int beyond = 0;
    for (int i = 0; i < columns.nx; ++i) {
        for (int j = 0; j < columns.ny; ++j) {
            beyond += columns.x(i) < low_x - slack * columns.dx ||
                      columns.x(i) > high_x + slack * columns.dx ||
                      (columns.ny > 1 && (columns.y(j) < low_y - slack * columns.dy ||
                                          columns.y(j) > high_y + slack * columns.dy));
        }
    }
    if (beyond == 0) return;
    notes.add(fmt::format(
        "{} does not cover the model: beyond it, at {} of {} columns, the depth at its edge holds",
        file.quoted(), beyond, columns.count()));
}

Interface interface_of_grid(const TextFile& file, const std::string& id, DepthGrid grid,
                            const Place& place, InterfaceShape shape, Notes& notes) {
    const Corners box = place.corners();
    const bool sphere = place.mapping().geographic();
    if (place.grid().is_2d()) {
        throw InputError(fmt::format(
            "{} is a grid of x and y, and the model is a section (give a table of x and depth)",
            file.quoted()));
    }
    const Lattice& at = grid.at;
    const AxisPart x = part_of(at.x0, at.dx, at.nx, sphere ? box.low.y : box.low.x,
                               sphere ? box.high.y : box.high.x, sphere);
    const AxisPart y = part_of(at.y0, at.dy, at.ny, sphere ? box.low.x : box.low.y,
                               sphere ? box.high.x : box.high.y, false);
    if (x.count < 1 || y.count < 1) refuse_elsewhere(file, at, sphere, box);
    DepthGrid part;
    part.at = {at.x(x.from) + x.shift, at.y(y.from), at.dx, at.dy, x.count, y.count};
    for (int i = 0; i < x.count; ++i) {
        const int n = x.from + i;
        const int column = x.period > 0 ? (n % x.period + x.period) % x.period : n;
        const auto from = static_cast<std::size_t>(column) * static_cast<std::size_t>(at.ny);
        for (int j = 0; j < y.count; ++j) {
            part.values.push_back(grid.values[from + static_cast<std::size_t>(y.from + j)]);
        }
    }
    const std::size_t gaps = fill_gaps(part);
    if (!std::isfinite(part.values.front())) {
        throw InputError(fmt::format("{} has no values at the model", file.quoted()));
    }
    if (gaps > 0) {
        notes.add(fmt::format("{}: {} of {} nodes have no value and took that of the nearest node",
                              file.quoted(), gaps, part.values.size()));
    }
    const Lattice& l = part.at;
    const double x1 = l.x(l.nx - 1);
    const double y1 = l.y(l.ny - 1);
    if (!sphere) {
        note_edge(file, place, l.x0, x1, l.y0, y1, notes);
        return Interface(id, l, std::move(part.values), shape);
    }
    note_edge(file, place, l.y0, y1, l.x0, x1, notes);
    std::vector<double> turned;
    for (int j = 0; j < l.ny; ++j) {
        for (int i = 0; i < l.nx; ++i) {
            turned.push_back(part.values[static_cast<std::size_t>(i * l.ny + j)]);
        }
    }
    return Interface(id, {l.y0, l.x0, l.dy, l.dx, l.ny, l.nx}, std::move(turned), shape);
}

/// The columns of a table: across, along (if any) and depth.
struct DepthColumns {
    std::size_t across = 0;
    std::optional<std::size_t> along{};
    std::size_t depth = 0;
    bool degrees = false;
    bool heights = false;
};

std::optional<std::size_t> column_called(const CsvTable& table,
                                         std::initializer_list<std::string_view> names) {
    for (std::size_t n = 0; n < table.names().size(); ++n) {
        std::string name = table.names()[n];
        std::transform(name.begin(), name.end(), name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        // Units may stand behind a name: "depth_km", "z [m]".
        name = name.substr(0, name.find_first_of("_ [("));
        if (std::find(names.begin(), names.end(), name) != names.end()) return n;
    }
    return std::nullopt;
}

DepthColumns columns_in(const TextFile& file, const CsvTable& table, bool sphere, Notes& notes) {
    DepthColumns out;
    const std::size_t count = table.names().size();
    if (!table.has_names()) {
        if (count != 2 && count != 3) {
            throw InputError(fmt::format(
                "{} has {} columns without names (must be {}, or have names)", file.quoted(), count,
                sphere ? "longitude, latitude and depth" : "x and depth, or x, y and depth"));
        }
        if (count == 3) out.along = 1;
        out.depth = count - 1;
        out.degrees = sphere;
        if (sphere) {
            notes.add(
                fmt::format("{}: columns without names were taken as longitude, latitude and depth",
                            file.quoted()));
        }
        return out;
    }
    const auto longitude = column_called(table, {"longitude", "lon", "long"});
    const auto latitude = column_called(table, {"latitude", "lat"});
    const auto x = column_called(table, {"x", "easting", "east", "distance", "offset"});
    const auto y = column_called(table, {"y", "northing", "north"});
    const auto depth = column_called(table, {"z", "depth", "moho"});
    const auto height = column_called(table, {"elevation", "height", "altitude"});
    out.degrees = longitude && latitude;
    const auto across = out.degrees ? longitude : x;
    const auto last = depth ? depth : height;
    if (!across || !last) {
        std::vector<std::string> names;
        for (const std::string& name : table.names()) names.push_back(in_quotes(name));
        throw InputError(
            fmt::format("{} has the columns {} (must be x and depth, x, y and depth, or longitude, "
                        "latitude and depth)",
                        file.quoted(), fmt::join(names, ", ")));
    }
    out.across = *across;
    out.along = out.degrees ? latitude : y;
    out.depth = *last;
    out.heights = !depth;
    std::vector<std::string> unused;
    for (std::size_t n = 0; n < count; ++n) {
        if (n != out.across && n != out.depth && n != out.along) {
            unused.push_back(in_quotes(table.names()[n]));
        }
    }
    if (!unused.empty()) {
        notes.add(
            fmt::format("{}: columns {} are not used", file.quoted(), fmt::join(unused, ", ")));
    }
    return out;
}

/// Points of users; those without a depth are left out and counted.
std::vector<Vec3> points_in(const TextFile& file, const Place& place, bool& heights, Notes& notes) {
    const bool sphere = place.mapping().geographic();
    const CsvTable table(file, CsvTable::Style::free);
    const DepthColumns columns = columns_in(file, table, sphere, notes);
    if (columns.degrees != sphere) {
        throw InputError(fmt::format("{} has {}, and the model has {}", file.quoted(),
                                     sphere ? "x" : "longitudes and latitudes",
                                     sphere ? "latitudes and longitudes" : "x, y and z"));
    }
    heights = heights || columns.heights;
    std::vector<Vec3> points;
    std::size_t without = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double depth = table.number_or_nan(row, columns.depth);
        if (!std::isfinite(depth)) {
            ++without;
            continue;
        }
        const double a = table.number(row, columns.across);
        const double b = columns.along ? table.number(row, *columns.along) : 0.0;
        points.push_back(sphere ? Vec3{b, a, depth} : Vec3{a, b, depth});
    }
    if (points.empty()) throw InputError(fmt::format("{} has no depths", file.quoted()));
    if (without > 0) {
        notes.add(fmt::format("{}: {} of {} rows have no depth and are left out", file.quoted(),
                              without, table.rows()));
    }
    const bool varies = std::any_of(points.begin(), points.end(),
                                    [&](const Vec3& p) { return p.y != points.front().y; });
    if (place.grid().is_2d() && varies) {
        throw InputError(
            fmt::format("{} has points of several y, and the model is a section (give x and depth)",
                        file.quoted()));
    }
    return points;
}

/// Longitudes are put next to those of the model.
void turn_to_model(std::vector<Vec3>& points, const Place& place) {
    if (!place.mapping().geographic()) return;
    const Corners box = place.corners();
    const double middle = 0.5 * (box.low.y + box.high.y);
    for (Vec3& p : points) p.y += 360 * std::round((middle - p.y) / 360);
}

Interface interface_of_points(const TextFile& file, const std::string& id, std::vector<Vec3> points,
                              const Place& place, InterfaceShape shape, Notes& notes) {
    turn_to_model(points, place);
    std::set<double> xs;
    std::set<double> ys;
    for (const Vec3& p : points) {
        xs.insert(p.x);
        ys.insert(p.y);
    }
    const Corners box = place.corners();
    const bool flat = place.grid().is_2d();
    const bool many = points.size() > 1;
    const bool along = ys.size() > 1;
    if (many && (*xs.begin() > box.high.x || *xs.rbegin() < box.low.x ||
                 (along && (*ys.begin() > box.high.y || *ys.rbegin() < box.low.y)))) {
        const bool sphere = place.mapping().geographic();
        const Lattice span{
            *xs.begin(), *ys.begin(), *xs.rbegin() - *xs.begin(), *ys.rbegin() - *ys.begin(), 2, 2};
        const Lattice turned{span.y0, span.x0, span.dy, span.dx, 2, 2};
        refuse_elsewhere(file, sphere ? turned : span, sphere, box);
    }
    if (many) {
        const double all = std::numeric_limits<double>::infinity();
        note_edge(file, place, *xs.begin(), *xs.rbegin(), along ? *ys.begin() : -all,
                  along ? *ys.rbegin() : all, notes);
    }
    if (flat || xs.size() * ys.size() == points.size()) {
        return named_by_file(file, [&] { return Interface::of_points(id, points, place, shape); });
    }
    // On a sphere degrees of longitude are shorter than those of latitude.
    const double narrow =
        place.mapping().geographic() ? std::cos(0.5 * (box.low.x + box.high.x) * 0.0174532925) : 1;
    for (Vec3& p : points) p.y *= narrow;
    const Surface surface =
        named_by_file(file, [&] { return Surface(Surface::Kind::area, points); });
    const Lattice at = columns_of(place);
    std::vector<double> depth;
    for (int i = 0; i < at.nx; ++i) {
        for (int j = 0; j < at.ny; ++j) depth.push_back(surface.at(at.x(i), narrow * at.y(j)));
    }
    notes.add(fmt::format(
        "{}: its {} points fill no grid; depths at the {} columns of the model are interpolated "
        "between the nearest of them",
        file.quoted(), points.size(), at.count()));
    return Interface(id, at, std::move(depth), shape);
}

/// Throws where an interface lies above or below the whole model.
void require_inside(const TextFile& file, const Interface& found, const Place& place) {
    const Corners box = place.corners();
    const auto [low, high] = std::minmax_element(found.depth().begin(), found.depth().end());
    const double slack = 1e-6 * (box.high.z - box.low.z);
    const bool above = *high < box.low.z - slack;
    if (!above && *low <= box.high.z + slack) return;
    throw InputError(
        fmt::format("{} has depths of {}, and the model reaches from {} ({})", file.quoted(),
                    from_to(*low, *high), from_to(box.low.z, box.high.z),
                    above ? "are they heights? then say `heights`" : "do their units differ?"));
}

}  // namespace

Interface interface_from_file(const TextFile& file, const std::string& id, const Place& place,
                              const InterfaceFileOptions& options, Notes& notes) {
    bool heights = options.heights;
    const auto made = [&]() -> Interface {
        if (is_surfer_grid(file)) {
            return interface_of_grid(file, id, surfer_depths(file), place, options.shape, notes);
        }
        if (is_netcdf(file)) {
            DepthGrid grid = read_netcdf_grid(file);
            heights = heights || grid.heights;
            const bool sphere = place.mapping().geographic();
            if (grid.degrees && !sphere) {
                throw InputError(
                    fmt::format("{} has longitudes and latitudes, and the model has x, y and z",
                                file.quoted()));
            }
            if (grid.metres && sphere) {
                for (double& value : grid.values) value /= 1000;
                notes.add(fmt::format("{}: its values are in m and became km", file.quoted()));
            }
            return interface_of_grid(file, id, std::move(grid), place, options.shape, notes);
        }
        // Points of a survey: those of .sgt, or the receivers of a table of picks.
        const bool survey = input_suffix_of(file.path()) == ".sgt" ||
                            file.first_line().find("receiver_x") != std::string_view::npos;
        if (survey) {
            const Surface ground = read_surface(file.path(), notes);
            const auto points = ground.points();
            return interface_of_points(file, id, {points.begin(), points.end()}, place,
                                       options.shape, notes);
        }
        return interface_of_points(file, id, points_in(file, place, heights, notes), place,
                                   options.shape, notes);
    };
    Interface found = made();
    if (heights) {
        std::vector<double> depth = found.depth();
        for (double& z : depth) z = 0.0 - z;
        found = found.with_depth(std::move(depth));
        if (!options.heights) {
            notes.add(fmt::format("{}: its values are heights and became depths", file.quoted()));
        }
    }
    require_inside(file, found, place);
    return found;
}

}  // namespace fermat
