#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fermat {

/// Compressed sparse rows, one per pick: the derivative of its time by each unknown. A row has each
/// column once.
struct UnknownRows {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> column;
    std::vector<float> value;

    std::size_t rows() const { return start.size() - 1; }
    std::size_t entries() const { return value.size(); }
};

/// Rows that were made together, and the numbers of their picks.
struct RowLot {
    std::vector<std::int32_t> picks;
    UnknownRows rows;
};

}  // namespace fermat
