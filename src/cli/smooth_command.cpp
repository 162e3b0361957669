#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/outputs.hpp"
#include "core/error.hpp"
#include "io/vtkhdf_image.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat::cli {
namespace {

struct SmoothFlags {
    std::filesystem::path in;
    std::optional<std::string> array;
    AxisNumbers size;
    SmoothingOptions smoothing;
    AxisFlags axes;
    std::optional<std::filesystem::path> coverage;
    std::filesystem::path output;
};

void add_flags(CLI::App& app, SmoothFlags& flags) {
    add_path(app, "--in,input", flags.in, "gridded fields to read: .h5")->required();
    add_value(app, "--array", "NAME", flags.array,
              "array to smooth, of nodes or cells (default: velocity, or the only one)",
              [](std::string_view, std::string_view text) { return std::string(text); });
    add_value(app, "--size", "NX,NY,NZ", flags.size,
              "nodes or cells of the box along each axis; NX,NZ in 2-D; or one for all", parse_axes)
        ->required();
    add_option_flags(app, flags.smoothing, flags.axes);
    add_path(app, "--coverage", flags.coverage,
             "cell array 'coverage' (.h5): the array is a sum over rays, smoothed to a mean a ray");
    add_output(app, "-o,--output", flags.output, "file to write: .h5, with all arrays of the input")
        ->required();
}

std::string quoted_list(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
    return list.empty() ? "no array" : list;
}

/// The array to smooth, among those of the file.
std::string choose_array(const SmoothFlags& flags, const std::vector<std::string>& names) {
    const auto has = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (flags.array && has(*flags.array)) return *flags.array;
    if (!flags.array && has("velocity")) return "velocity";
    if (!flags.array && names.size() == 1) return names.front();
    throw InputError(fmt::format("'{}' has {} (use --array NAME with one of them)",
                                 flags.in.string(), quoted_list(names)));
}

void require_finite(FieldView<const float> values, const SmoothFlags& flags,
                    const std::string& name) {
    const auto bad =
        std::find_if_not(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
    if (bad == values.end()) return;
    const std::size_t n = static_cast<std::size_t>(bad - values.begin());
    const Shape shape = values.shape();
    const std::size_t plane = static_cast<std::size_t>(shape.y) * shape.z;
    throw InputError(fmt::format("'{}' has {} at ({}, {}, {}) of array '{}' (must be finite)",
                                 flags.in.string(), *bad, n / plane, n % plane / shape.z,
                                 n % shape.z, name));
}

/// True where there is ground. Air has no velocity to smooth.
Field<std::uint8_t> ground_mask(FieldView<const float> velocity) {
    Field<std::uint8_t> mask(velocity.shape());
    std::transform(velocity.begin(), velocity.end(), mask.begin(),
                   [](float v) { return static_cast<std::uint8_t>(v != 0); });
    return mask;
}

void smooth_by_coverage(FieldView<float> values, const Grid& grid, const SmoothingSize& size,
                        const SmoothingOptions& options, const std::filesystem::path& path,
                        const Execution& execution) {
    const ImageReader file(path);
    if (!(file.grid() == grid)) {
        throw InputError(
            fmt::format("--coverage '{}' lies on another grid than the input", path.string()));
    }
    const Field<float> rays = file.read_cell_array("coverage");
    if (std::any_of(rays.begin(), rays.end(), [](float r) { return !(r >= 0 && r <= 1e30f); })) {
        throw InputError(
            fmt::format("--coverage '{}' has a negative or endless count of rays", path.string()));
    }
    Field<double> sums(values.shape());
    Field<double> coverage(values.shape());
    std::copy(values.begin(), values.end(), sums.begin());
    std::copy(rays.begin(), rays.end(), coverage.begin());
    smooth_cells(sums, coverage, size, options, execution);
    std::transform(sums.begin(), sums.end(), values.begin(),
                   [](double v) { return static_cast<float>(v); });
}

void smooth(const SmoothFlags& flags, const Run& run) {
    check_hdf5_output({"--output", flags.output});
    SmoothingOptions options = flags.smoothing;
    validate(options);

    const ImageReader in(flags.in);
    const Grid& grid = in.grid();
    const Shape box = to_block(flags.size, grid.is_2d());
    const SmoothingSize size{box.x, box.y, box.z};
    const std::vector<std::string> points = in.point_arrays();
    const std::vector<std::string> cells = in.cell_arrays();
    std::vector<std::string> all = points;
    all.insert(all.end(), cells.begin(), cells.end());
    const std::string chosen = choose_array(flags, all);
    const bool of_nodes = std::find(points.begin(), points.end(), chosen) != points.end();
    if (flags.coverage && of_nodes) {
        throw InputError(fmt::format(
            "--coverage weighs cells, and '{}' is an array of nodes (use a cell array)", chosen));
    }

    const auto smooth_plainly = [&](FieldView<float> values) {
        const auto mask = chosen == "velocity" ? ground_mask(values) : Field<std::uint8_t>();
        smooth_vertices(values, size, options, mask, run.execution());
    };
    ImageWriter out(flags.output, grid);
    for (const std::string& name : points) {
        Field<float> values = in.read_point_array(name);
        if (name == chosen && of_nodes) {
            require_finite(values, flags, name);
            smooth_plainly(values.view());
        }
        out.add_point_array(name, values);
    }
    for (const std::string& name : cells) {
        Field<float> values = in.read_cell_array(name);
        if (name == chosen && !of_nodes) {
            require_finite(values, flags, name);
            if (flags.coverage) {
                smooth_by_coverage(values, grid, size, options, *flags.coverage, run.execution());
            } else {
                smooth_plainly(values.view());
            }
        }
        out.add_cell_array(name, values);
    }
    run.monitor.check();
    out.commit();
    spdlog::info("wrote '{}' with '{}' smoothed over {}", flags.output.string(), chosen,
                 to_string(size));
}

}  // namespace

void add_smooth_command(Program& program) {
    program.add_command<SmoothFlags>(
        program.root(), "smooth", "Mean over a moving box, of nodes or of cells",
        "fermat model blocks --shape 101,41,21 --spacing 1 --min 3 --max 6 -o model.h5\n"
        "fermat smooth --in model.h5 --size 25,13,9 --passes 2 -o smooth.h5",
        &add_flags, &smooth);
}

}  // namespace fermat::cli
