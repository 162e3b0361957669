#pragma once

#include <string>
#include <string_view>

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

/// The factor from the file's numbers to the wanted ones. `own` is the unit of the format, if it
/// has one, and `usual` what its numbers become if nothing is wanted. Throws InputError where a
/// unit is wanted and the file's is not known.
double unit_factor(Quantity quantity, const UnitChange& change, std::string_view own = "",
                   std::string_view usual = "");

}  // namespace fermat
