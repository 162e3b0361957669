#include "cli/report_picks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cli/json.hpp"
#include "cli/table_number.hpp"
#include "io/text.hpp"
#include "model/metric.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

constexpr std::size_t most_picks = 60'000;

using Point = std::array<double, 3>;

/// The columns of a point; a 2-D table has no y.
struct PointColumns {
    std::size_t x, z;
    std::optional<std::size_t> y;

    PointColumns(const CsvTable& table, const std::string& role)
        : x(table.column(role + "_x")),
          z(table.column(role + "_z")),
          y(table.find_column(role + "_y")) {}

    Point at(const CsvTable& table, std::size_t row) const {
        return {table.number(row, x), y ? table.number(row, *y) : 0.0, table.number(row, z)};
    }
};

float float_or_nan(const CsvTable& table, std::size_t row, std::optional<std::size_t> column) {
    return static_cast<float>(number_or_nan(table, row, column));
}

/// Along what a spread of receivers runs: x or depth in 2-D, and offset in 3-D.
std::string spread_of(const std::vector<Point>& receivers, bool is_2d) {
    if (!is_2d) return "offset";
    Point low = receivers.front();
    Point high = low;
    for (const Point& point : receivers) {
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], point[a]);
            high[a] = std::max(high[a], point[a]);
        }
    }
    return high[0] - low[0] >= high[2] - low[2] ? "receiver x" : "receiver depth";
}

/// Along the ground: on a sphere, at the radius of depth 0.
double level_distance(const Model& model, Point a, Point b) {
    if (!on_sphere(model)) return std::hypot(b[0] - a[0], b[1] - a[1]);
    const double radius = model.coordinates().radius;
    const double chord = model.place().distance({a[0], a[1], 0}, {b[0], b[1], 0});
    return 2 * radius * std::asin(std::min(1.0, chord / (2 * radius)));
}

std::string points_json(const std::vector<Point>& points) {
    std::string text(1, '[');
    for (const Point& p : points) {
        if (text.size() > 1) text += ',';
        text += fmt::format("[{},{},{}]", p[0], p[1], p[2]);
    }
    text += ']';
    return text;
}

}  // namespace

ReportPicks read_report_picks(const CsvTable& table, const Model& model) {
    const PointColumns sources(table, "source");
    const PointColumns receivers(table, "receiver");
    const std::size_t before = table.column("initial_residual");
    const std::size_t after = table.column("final_residual");
    const auto time = table.find_column("time");
    const auto error = table.find_column("error");
    const auto use = table.find_column("use");
    const auto phase = table.find_column("phase");
    ReportPicks picks;
    picks.count = table.rows();
    std::map<Point, std::size_t> numbers;
    std::vector<Point> places;
    std::set<Point> seen;
    const std::size_t step = std::max<std::size_t>(1, (table.rows() + most_picks - 1) / most_picks);
    for (std::size_t row = 0; phase && row < table.rows(); ++row) {
        const std::string_view name = table.text(row, *phase);
        if (std::find(picks.phases.begin(), picks.phases.end(), name) == picks.phases.end()) {
            picks.phases.emplace_back(name);
        }
    }
    for (std::size_t row = 0; row < table.rows(); row += step) {
        if (phase) {
            const auto found =
                std::find(picks.phases.begin(), picks.phases.end(), table.text(row, *phase));
            picks.phase.push_back(static_cast<float>(found - picks.phases.begin()));
        }
        const Point source = sources.at(table, row);
        const Point receiver = receivers.at(table, row);
        const auto [found, is_new] = numbers.try_emplace(source, picks.shots.size());
        if (is_new) picks.shots.push_back(source);
        places.push_back(receiver);
        seen.insert(receiver);
        picks.shot.push_back(static_cast<float>(found->second));
        picks.offset.push_back(static_cast<float>(level_distance(model, source, receiver)));
        picks.time.push_back(float_or_nan(table, row, time));
        picks.error.push_back(float_or_nan(table, row, error));
        picks.before.push_back(float_or_nan(table, row, before));
        picks.after.push_back(float_or_nan(table, row, after));
        picks.kept.push_back(use && table.text(row, *use) == "rejected" ? 0.0F : 1.0F);
    }
    picks.receivers.assign(seen.begin(), seen.end());
    if (places.empty()) return picks;
    picks.across_name = spread_of(places, !sources.y);
    for (std::size_t n = 0; n < places.size(); ++n) {
        picks.across.push_back(
            picks.across_name == "offset"
                ? picks.offset[n]
                : static_cast<float>(places[n][picks.across_name == "receiver x" ? 0 : 2]));
    }
    return picks;
}

std::string picks_json(const ReportPicks& picks) {
    return fmt::format(
        R"({{"shots":{},"receivers":{},"shot":{},"offset":{},"time":{},"error":{},"before":{},"after":{},)"
        R"("kept":{},"across":{},"acrossName":{},"phase":{}}})",
        points_json(picks.shots), points_json(picks.receivers), json_floats(picks.shot),
        json_floats(picks.offset), json_floats(picks.time), json_floats(picks.error),
        json_floats(picks.before), json_floats(picks.after), json_floats(picks.kept),
        json_floats(picks.across), json_text(picks.across_name), json_floats(picks.phase));
}

}  // namespace fermat::cli
