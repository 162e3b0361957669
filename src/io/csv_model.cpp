#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/model_formats.hpp"
#include "io/model_table_write.hpp"

namespace fermat {
namespace {

/// First coordinate, step and number of nodes along an axis with even spacing.
struct CsvAxis {
    double first = 0;
    double step = 1;
    int nodes = 1;

    /// Index of the node at a coordinate, or -1 if the coordinate lies between nodes.
    int index(double value) const {
        const double u = nodes == 1 ? 0 : (value - first) / step;
        const double nearest = std::round(u);
        return std::abs(u - nearest) <= 1e-3 && nearest >= 0 && nearest < nodes
                   ? static_cast<int>(nearest)
                   : -1;
    }
};

CsvAxis find_axis(const CsvTable& table, std::size_t column) {
    std::vector<double> values(table.rows());
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = table.number(row, column);
    std::sort(values.begin(), values.end());
    // Coordinates printed with few digits vary a little from row to row.
    const double range = values.back() - values.front();
    const double same = 1e-6 * range / static_cast<double>(values.size()) +
                        1e-12 * (std::abs(values.front()) + std::abs(values.back()));
    std::size_t nodes = 1;
    for (std::size_t i = 1; i < values.size(); ++i) nodes += values[i] - values[i - 1] > same;
    CsvAxis axis;
    axis.first = values.front();
    axis.nodes = static_cast<int>(nodes);
    if (nodes > 1) axis.step = range / static_cast<double>(nodes - 1);
    return axis;
}

Model read_csv_model(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    const Placement placement = options.placement.value_or(Placement::nodes);
    const CsvTable table(file);
    if (table.rows() == 0 || table.rows() > std::numeric_limits<int>::max()) {
        throw InputError(fmt::format("{} has {} rows", file.quoted(), table.rows()));
    }
    const std::size_t velocity_column = table.column("velocity");
    const auto y_column = table.find_column("y");
    const std::array<std::size_t, 3> columns = {
        table.column("x"), y_column.value_or(table.column("x")), table.column("z")};
    constexpr std::array<std::string_view, 4> known = {"x", "y", "z", "velocity"};
    note_unused_columns(file.quoted(), table.names(), known,
                        "a model is x,y,z,velocity, without y in 2-D", notes);
    std::array<CsvAxis, 3> axes;
    for (std::size_t i = 0; i < 3; ++i) {
        if (i != 1 || y_column) axes[i] = find_axis(table, columns[i]);
    }
    Grid grid;
    grid.shape = {axes[0].nodes, axes[1].nodes, axes[2].nodes};
    grid.origin = {axes[0].first, axes[1].first, axes[2].first};
    grid.spacing = {axes[0].step, axes[1].step, axes[2].step};
    const double nodes = static_cast<double>(grid.shape.x) * grid.shape.y * grid.shape.z;
    if (nodes != static_cast<double>(table.rows())) {
        throw InputError(
            fmt::format("{} has {} rows for {} different x, {} y and {} z (every node of "
                        "a regular grid must have one row)",
                        file.quoted(), table.rows(), grid.shape.x, grid.shape.y, grid.shape.z));
    }
    named_by_file(file, [&] { validate(grid); });
    Field<float> velocity(grid.shape, -1.0F);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        Index3 node;
        for (int i = 0; i < 3; ++i) {
            const auto axis = static_cast<std::size_t>(i);
            if (i == 1 && !y_column) continue;
            const double value = table.number(row, columns[axis]);
            node[i] = axes[axis].index(value);
            if (node[i] < 0) {
                throw InputError(fmt::format("{}{} is {} (must lie on an evenly spaced grid)",
                                             table.where(row), "xyz"[i], value));
            }
        }
        const double value = table.number(row, velocity_column);
        if (value < 0 || value > std::numeric_limits<float>::max()) {
            throw InputError(fmt::format("{}velocity is {} (must be finite and > 0, or 0 for air)",
                                         table.where(row), value));
        }
        if (velocity(node) >= 0) {
            throw InputError(fmt::format("{}its node was given before", table.where(row)));
        }
        velocity(node) = static_cast<float>(value);
    }
    if (placement == Placement::cells) {
        const bool is_2d = grid.is_2d();
        grid.shape = node_shape(grid.shape, is_2d, placement);
        grid.origin = grid.origin_before_middles();
        if (is_2d) grid.origin.y = axes[1].first;
    }
    return named_by_file(file, [&] { return make_model(grid, std::move(velocity), placement); });
}

}  // namespace

const ModelFormat csv_model{".csv",
                            ToldOfModel::placement,
                            true,
                            nullptr,
                            read_csv_model,
                            [](const std::filesystem::path& path, const Model& model,
                               const std::string&) { write_model_table(path, model); },
                            "",
                            false};

}  // namespace fermat
