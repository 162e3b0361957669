#include "cli/report_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/json.hpp"
#include "core/error.hpp"
#include "io/vtkhdf_image.hpp"
#include "tomography/fade.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_nodes = 2'000'000;  // 11 MB of page a field

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

Thinning::Thinning(const Grid& full) : grid(full) {
    while (grid.shape.count() > most_nodes) {
        ++step;
        const auto fewer = [&](int n) { return n == 1 ? 1 : (n - 1) / step + 1; };
        grid.shape = {fewer(full.shape.x), fewer(full.shape.y), fewer(full.shape.z)};
    }
    grid.spacing = step * full.spacing;
}

std::vector<float> Thinning::nodes(FieldView<const float> values) const {
    std::vector<float> kept;
    kept.reserve(grid.shape.count());
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                kept.push_back(values({i * step, j * step, k * step}));
            }
        }
    }
    return kept;
}

std::vector<float> Thinning::cells(FieldView<const float> values) const {
    const Shape many = values.shape();
    const auto few = [](int nodes) { return std::max(1, nodes - 1); };
    const Shape shape{few(grid.shape.x), few(grid.shape.y), few(grid.shape.z)};
    std::vector<float> kept(shape.count(), 0.0F);
    for (int i = 0; i < many.x; ++i) {
        for (int j = 0; j < many.y; ++j) {
            for (int k = 0; k < many.z; ++k) {
                float& cell = kept[shape.offset(std::min(i / step, shape.x - 1),
                                                std::min(j / step, shape.y - 1),
                                                std::min(k / step, shape.z - 1))];
                cell = std::max(cell, values({i, j, k}));
            }
        }
    }
    return kept;
}

std::string fields_json(const Model& model, const std::optional<Model>& start, const fs::path& run,
                        const Thinning& thin) {
    const Grid& grid = thin.grid;
    const auto rays = open_image(run / "coverage.h5", model.grid());
    const auto trust = open_image(run / "trust.h5", model.grid());
    const auto resolution = nodes_named(trust, "resolution");
    // An ensemble's spread says the same by other means.
    auto deviation = nodes_named(trust, "deviation");
    if (!deviation) deviation = nodes_named(trust, "spread");
    const auto nodes = [&](const std::optional<Field<float>>& field) {
        return field ? json_floats(thin.nodes(field->view())) : std::string("null");
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
        R"({{"shape":{},"origin":{},"spacing":{},"velocity":{},"start":{},"coverage":{},)"
        R"("resolution":{},"deviation":{},"fade":{}}})",
        triple(grid.shape.x, grid.shape.y, grid.shape.z),
        triple(grid.origin.x, grid.origin.y, grid.origin.z),
        triple(grid.spacing.x, grid.spacing.y, grid.spacing.z),
        json_floats(thin.nodes(model.velocity())),
        start ? json_floats(thin.nodes(start->velocity())) : "null",
        coverage ? json_floats(thin.cells(coverage->view())) : "null", nodes(resolution),
        nodes(deviation), nodes(fade));
}

}  // namespace fermat::cli
