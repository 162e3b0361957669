#include "io/transpose.hpp"

#include <algorithm>

namespace fermat {
namespace {

constexpr std::size_t block_floats = std::size_t{4} << 20;
/// Columns that are copied together: one cache line along x in the file's order.
constexpr int lanes = 16;

/// Calls copy(field offset, block offset) for every value of a block, in an order that keeps both
/// sides within a few cache lines.
template <class Copy>
void for_each_value(Shape shape, FileBlock block, Copy copy) {
    for (int j = 0; j < block.ny; ++j) {
        for (int first = 0; first < shape.x; first += lanes) {
            const int last = std::min(first + lanes, shape.x);
            for (int k = 0; k < block.nz; ++k) {
                const std::size_t row = (static_cast<std::size_t>(k) * block.ny + j) * shape.x;
                for (int i = first; i < last; ++i) {
                    copy(shape.offset(i, block.y + j, block.z + k), row + i);
                }
            }
        }
    }
}

}  // namespace

std::vector<FileBlock> file_blocks(Shape shape) {
    const std::size_t plane = static_cast<std::size_t>(shape.x) * shape.y;
    const std::size_t planes = std::max<std::size_t>(1, block_floats / plane);
    const std::size_t rows = std::max<std::size_t>(1, block_floats / shape.x);
    const int nz = static_cast<int>(std::min<std::size_t>(planes, shape.z));
    const int ny =
        plane <= block_floats ? shape.y : static_cast<int>(std::min<std::size_t>(rows, shape.y));
    std::vector<FileBlock> blocks;
    for (int z = 0; z < shape.z; z += nz) {
        for (int y = 0; y < shape.y; y += ny) {
            blocks.push_back({z, std::min(nz, shape.z - z), y, std::min(ny, shape.y - y)});
        }
    }
    return blocks;
}

void to_file_order(FieldView<const float> field, FileBlock block, float* values) {
    for_each_value(field.shape(), block,
                   [&](std::size_t ours, std::size_t theirs) { values[theirs] = field[ours]; });
}

void from_file_order(const float* values, FileBlock block, FieldView<float> field) {
    for_each_value(field.shape(), block,
                   [&](std::size_t ours, std::size_t theirs) { field[ours] = values[theirs]; });
}

}  // namespace fermat
