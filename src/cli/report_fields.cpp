#include "cli/report_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/json.hpp"
#include "core/error.hpp"
#include "io/vtkhdf_image.hpp"
#include "tomography/fade.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

std::string triple(double x, double y, double z) { return fmt::format("[{},{},{}]", x, y, z); }

/// A file of the run that may be missing, on the model's grid.
std::optional<ImageReader> open_image(const fs::path& path, const Grid& grid) {
    if (!fs::exists(path)) return std::nullopt;
    ImageReader image(path);
    if (image.grid().shape != grid.shape) {
        throw InputError(fmt::format("'{}' has shape {} (must be {}, as the model)", path.string(),
                                     to_string(image.grid().shape), to_string(grid.shape)));
    }
    return image;
}

bool holds(const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// A field at the nodes; that of a model of cells is brought there.
std::optional<Field<float>> nodes_named(const std::optional<ImageReader>& image, const char* name) {
    if (!image) return std::nullopt;
    if (holds(image->point_arrays(), name)) return image->read_point_array(name);
    if (!holds(image->cell_arrays(), name)) return std::nullopt;
    return at_nodes(image->grid(), image->read_cell_array(name));
}

}  // namespace

std::string fields_json(const Model& model, const std::optional<Model>& start, const fs::path& run,
                        const ReportGrid& shown, const UnitNames& units) {
    const Grid& grid = shown.grid();
    const auto rays = open_image(run / "coverage.h5", model.grid());
    const auto trust = open_image(run / "trust.h5", model.grid());
    const auto resolution = nodes_named(trust, "resolution");
    // An ensemble's spread says the same by other means.
    auto deviation = nodes_named(trust, "deviation");
    if (!deviation) deviation = nodes_named(trust, "spread");
    const auto nodes = [&](const std::optional<Field<float>>& field) {
        return field ? json_floats(shown.nodes(field->view())) : std::string("null");
    };
    std::optional<Field<float>> coverage;
    if (rays) coverage = rays->read_cell_array("coverage");
    std::optional<Field<float>> fade;
    if (resolution) {
        fade = fade_of_resolution(model, resolution->view());
    } else if (coverage) {
        fade = fade_of_coverage(model, coverage->view());
    }
    return fmt::format(
        R"({{"shape":{},"origin":{},"spacing":{},{},"velocity":{},"start":{},"coverage":{},)"
        R"("resolution":{},"deviation":{},"fade":{}}})",
        triple(grid.shape.x, grid.shape.y, grid.shape.z),
        triple(grid.origin.x, grid.origin.y, grid.origin.z),
        triple(grid.spacing.x, grid.spacing.y, grid.spacing.z), shown.axes_json(units),
        json_floats(shown.nodes(model.velocity())),
        start ? json_floats(shown.nodes(start->velocity())) : "null",
        coverage ? json_floats(shown.cells(coverage->view())) : "null", nodes(resolution),
        nodes(deviation), nodes(fade));
}

}  // namespace fermat::cli
