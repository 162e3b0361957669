#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/text_file.hpp"

namespace fermat {

/// What a unit measures. Fermat itself has no units: a reader only changes one into another.
enum class Quantity { length, time };

/// Metres or seconds in one unit: 1000 of "km", 0.001 of "ms". Throws InputError that lists the
/// units of the quantity.
double unit_size(Quantity quantity, std::string_view name);

/// The units of a file and those wanted of it. Empty names mean: those of the format, or, where the
/// format has none either, whatever they are.
struct UnitChange {
    std::string length{};     ///< of the file
    std::string time{};       ///< of the file
    std::string to_length{};  ///< wanted; m if the file's is given
    std::string to_time{};    ///< wanted; s if the file's is given

    friend bool operator==(const UnitChange&, const UnitChange&) = default;
};

/// Names of the units that numbers are in; empty where nobody has told them.
struct UnitNames {
    std::string length{};
    std::string time{};

    bool complete() const { return !length.empty() && !time.empty(); }
    friend bool operator==(const UnitNames&, const UnitNames&) = default;
};

/// The factor from the file's numbers to the wanted ones. `own` is the unit of the format, if it
/// has one, and `usual` what its numbers become if nothing is wanted. Throws InputError where a
/// unit is wanted and the file's is not known.
double unit_factor(Quantity quantity, const UnitChange& change, std::string_view own = "",
                   std::string_view usual = "");

/// The unit of the numbers after that factor; empty where it is not known.
std::string unit_after(Quantity quantity, const UnitChange& change, std::string_view own = "",
                       std::string_view usual = "");

/// The line of a table that keeps its units: "units: length=m time=ms"; empty where none is known.
std::string to_text(const UnitNames& units);

/// The units of such a line, without its '#'; nothing if it is another one.
std::optional<UnitNames> units_from(std::string_view text);

/// The units that a table keeps in such a line before its header; empty ones if it keeps none.
UnitNames read_units(const TextFile& table);

}  // namespace fermat
