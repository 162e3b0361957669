#pragma once

#include <vector>

#include "core/field.hpp"

namespace fermat {

/// Part of a field in the order of VTK's files, z slowest and x fastest: the rows [y, y + ny) of
/// the planes [z, z + nz).
struct FileBlock {
    int z = 0;
    int nz = 0;
    int y = 0;
    int ny = 0;
};

/// Cuts a shape into blocks of at most about 16 MiB of floats, in file order: complete planes if
/// they fit.
std::vector<FileBlock> file_blocks(Shape shape);

/// Copies a block from our order (z fastest) to that of the file (x fastest).
void to_file_order(FieldView<const float> field, FileBlock block, float* values);
void from_file_order(const float* values, FileBlock block, FieldView<float> field);

}  // namespace fermat
