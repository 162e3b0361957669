#include "cli/report_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cli/json.hpp"
#include "cli/table_number.hpp"
#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/layered_io.hpp"
#include "phases/phases.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_rays = 60;  ///< of a phase

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("[{}]", fmt::join(parts, ","));
}

/// Numbers of the rows of each phase, in the order of the table.
struct PhaseRowsOf {
    std::string name;
    std::vector<std::size_t> used;
    std::size_t all = 0;
    double rms = 0;
};
std::vector<PhaseRowsOf> phases_in(const CsvTable& table) {
    const std::size_t phase = table.column("phase");
    const std::size_t use = table.column("use");
    const std::size_t after = table.column("final_residual");
    std::vector<PhaseRowsOf> out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string_view name = table.text(row, phase);
        auto found = std::find_if(out.begin(), out.end(),
                                  [&](const PhaseRowsOf& one) { return one.name == name; });
        if (found == out.end()) found = out.insert(found, {std::string(name), {}, 0, 0});
        ++found->all;
        if (table.text(row, use) != "used") continue;
        found->used.push_back(row);
        const double residual = number_or_nan(table, row, after);
        found->rms += residual * residual;
    }
    for (PhaseRowsOf& one : out) {
        one.rms = one.used.empty() ? 0 : std::sqrt(one.rms / static_cast<double>(one.used.size()));
    }
    return out;
}

std::string points_of_line(const std::vector<Vec3>& points) {
    std::vector<std::string> out;
    for (const Vec3& p : points) out.push_back(fmt::format("[{:.5g},{:.5g}]", p.x, p.z));
    return joined(out);
}

std::string interfaces_json(const LayeredMedium& medium, const CsvTable& found) {
    const std::size_t of = found.column("of");
    const std::size_t kind = found.column("kind");
    const auto [low, high] = medium.place().corners();
    std::vector<std::string> out;
    for (const Interface& one : medium.interfaces()) {
        std::vector<Vec3> line;
        constexpr int steps = 240;
        for (int i = 0; i <= steps; ++i) {
            const double x = low.x + (high.x - low.x) * i / steps;
            line.push_back({x, 0, one.depth_at(x, low.y)});
        }
        std::vector<std::string> bars;
        for (std::size_t row = 0; row < found.rows(); ++row) {
            if (found.text(row, kind) != "depth" || found.text(row, of) != one.id()) continue;
            bars.push_back(fmt::format("[{},{},{}]", found.number(row, found.column("x")),
                                       found.number(row, found.column("z")),
                                       found.number(row, found.column("deviation"))));
        }
        out.push_back(fmt::format(R"({{"id":{},"points":{},"bars":{}}})", json_text(one.id()),
                                  points_of_line(line), joined(bars)));
    }
    return joined(out);
}

std::string rays_json(const LayeredMedium& medium, const CsvTable& table,
                      const std::vector<PhaseRowsOf>& phases, const Execution& execution) {
    std::vector<std::string> out;
    const double y = medium.grid().origin.y;
    const auto point = [&](std::size_t row, const std::string& end) {
        return Vec3{table.number(row, table.column(end + "_x")), y,
                    table.number(row, table.column(end + "_z"))};
    };
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const std::vector<std::size_t>& used = phases[k].used;
        const std::size_t step =
            std::max<std::size_t>(1, (used.size() + most_rays - 1) / most_rays);
        std::vector<Vec3> sources;
        std::vector<Vec3> receivers;
        std::vector<RayPair> pairs;
        for (std::size_t i = 0; i < used.size(); i += step) {
            const auto number = static_cast<std::int32_t>(pairs.size());
            sources.push_back(point(used[i], "source"));
            receivers.push_back(point(used[i], "receiver"));
            pairs.push_back({number, number});
        }
        const auto rays = trace_branch(medium, branch_of(medium, phases[k].name), sources,
                                       receivers, pairs, {}, execution);
        for (const auto& found : rays) {
            if (!has_arrived(found.front().status)) continue;
            std::vector<Vec3> points = points_of(medium, found.front());
            constexpr std::size_t most_points = 64;
            std::vector<Vec3> few;
            const std::size_t skip = points.size() / most_points + 1;
            for (std::size_t i = 0; i < points.size(); i += skip) few.push_back(points[i]);
            few.push_back(points.back());
            out.push_back(fmt::format(R"({{"phase":{},"points":{}}})", k, points_of_line(few)));
        }
    }
    return joined(out);
}

}  // namespace

std::string layers_json(const fs::path& run) {
    if (!fs::exists(run / "layers.csv")) return "null";
    const CsvTable found(run / "layers.csv");
    const CsvTable table(run / "residuals.csv");
    const std::vector<PhaseRowsOf> phases = phases_in(table);
    std::vector<std::string> names;
    for (const PhaseRowsOf& one : phases) {
        names.push_back(fmt::format(R"({{"name":{},"used":{},"all":{},"rms":{}}})",
                                    json_text(one.name), one.used.size(), one.all, one.rms));
    }
    std::string interfaces = "[]";
    std::string rays = "[]";
    Notes none;  // of a file of our own
    const LayeredMedium medium = read_layered(run / "model.h5", none);
    if (medium.grid().is_2d()) {
        interfaces = interfaces_json(medium, found);
        // Where events moved, the rays begin where they were given, which is near by.
        try {
            rays = rays_json(medium, table, phases, {});
        } catch (const InputError&) {
            rays = "[]";  // a place that the layers have left: the page has no rays then
        }
    }
    return fmt::format(R"({{"phases":{},"interfaces":{},"rays":{}}})", joined(names), interfaces,
                       rays);
}

}  // namespace fermat::cli
