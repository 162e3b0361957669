#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "io/text_file.hpp"
#include "model/placement.hpp"

namespace fermat {

/// A grid as Surfer has it: rows from the lowest y, values along x in each.
struct SurferGrid {
    int columns = 0;
    int rows = 0;
    double x = 0;
    double y = 0;
    double dx = 1;
    double dy = 1;
    double blank_from = 1.70141e38;
    std::vector<double> values{};

    double at(int column, int row) const {
        return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                      static_cast<std::size_t>(column)];
    }
    bool is_blank(double value) const { return !(value < blank_from * 0.999999); }
};

/// Whether the first bytes of a file are those of a grid of Surfer.
bool is_surfer_grid(const TextFile& file);

/// Reads the bytes of a grid of Surfer: text ('DSAA'), Surfer 6 binary ('DSBB') or Surfer 7
/// ('DSRB'). Throws InputError that does not name the file.
SurferGrid read_surfer_grid(const std::string& content);

/// Reads a section from a grid of Surfer. Its x is ours; its y is height, so that depth is its
/// negative, or depth if `depths`. Blanked nodes become air, and their number is noted. Throws
/// InputError.
Model read_surfer(const TextFile& file, bool depths, Placement placement, Notes& notes);

/// Writes a 2-D model as Surfer's text grid; y is height, and air is blanked. Cells are written at
/// their middles. Throws InputError if the model is 3-D.
void write_surfer(const std::filesystem::path& path, const Model& model);

}  // namespace fermat
