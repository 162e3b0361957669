#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// Every step-th node along each axis that has more than one, for pages that stay small.
struct Thinning {
    Grid grid;
    int step = 1;

    explicit Thinning(const Grid& full);
    std::vector<float> nodes(FieldView<const float> values) const;
    /// Of the cells that became one, the largest value.
    std::vector<float> cells(FieldView<const float> values) const;
};

/// The run's fields as one JSON object: grid, velocity, start model, coverage, resolution and
/// deviation where the run has them (trust.h5), and how plainly each node is shown. Throws
/// InputError where a file's grid is not the model's.
std::string fields_json(const Model& model, const std::optional<Model>& start,
                        const std::filesystem::path& run, const Thinning& thin);

}  // namespace fermat::cli
