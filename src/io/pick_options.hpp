#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/choice.hpp"
#include "io/units.hpp"

namespace fermat {

/// The formats of picks that are read (pick_formats.def); `automatic` by name, suffix and content.
enum class PickFormat {
    automatic,
#define FERMAT_PICKS(name) name,
#include "io/pick_formats.def"
};
inline constexpr std::pair<std::string_view, PickFormat> named_pick_formats[] = {
    {"auto", PickFormat::automatic},
#define FERMAT_PICKS(name) {#name, PickFormat::name},
#include "io/pick_formats.def"
};
template <>
inline constexpr auto choices<PickFormat> = choice_table("format of picks", named_pick_formats);

/// What the user says of a file of picks.
struct PickReadOptions {
    PickFormat format = PickFormat::automatic;
    /// Of a table: our column and the file's, as in {"time", "t_ms"}. Without a header the file's
    /// columns are named by their numbers from 1.
    std::vector<std::pair<std::string, std::string>> columns{};
    UnitChange units{};
    /// Of a table: units of single columns, as in {"receiver_height", "m"}.
    std::vector<std::pair<std::string, std::string>> column_units{};
    std::string phase{};           ///< the phase to take; empty: that of the format
    bool heights = false;          ///< z of the file counts upward
    bool depths = false;           ///< z of the file counts downward
    bool relative_errors = false;  ///< errors are fractions of the times
    bool on_line = false;          ///< positions become distances along a straight line
    /// Picks with a negative or missing time are left out, and errors that are not > 0 count as
    /// missing, with a note. Otherwise both are refused. Formats of picking programs, which write
    /// such rows, are always read so.
    bool leave_out_bad = false;
    /// Longitudes and latitudes are for a sphere: the plane is only a way, and not noted.
    bool on_sphere = false;
    /// All phases of a table, tx.in or tomo2d's data are taken, later ones too, under the names or
    /// codes that the file has for them (SurveyFile::phases).
    bool named_phases = false;

    friend bool operator==(const PickReadOptions&, const PickReadOptions&) = default;
};

}  // namespace fermat
