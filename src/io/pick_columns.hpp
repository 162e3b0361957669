#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fermat {

/// What a column of a table of picks can hold.
struct PickColumn {
    std::string role;  ///< "source_x", "receiver_height", "time", "error", "valid", "phase" ...
    std::string unit;  ///< of times, where the name tells it: "ms" of "time (ms)" or "t_ms"
};

/// The column that a usual name means: sx, shot_x, x_source and SourceX are all source_x; t, tt and
/// traveltime are time. Nothing if the name is not known.
std::optional<PickColumn> pick_column_of(std::string_view name);

/// Throws InputError unless `role` is one that a mapping may name; the message lists them.
void require_pick_role(std::string_view role);

}  // namespace fermat
