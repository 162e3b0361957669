#include "io/pick_units.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat {

void set_unit(PickReadOptions& options, const std::string& what, const std::string& unit) {
    if (what == "time") {
        options.units.time = unit;
    } else if (what == "length") {
        options.units.length = unit;
    } else {
        options.column_units.emplace_back(what, unit);
    }
}

void set_wanted_unit(PickReadOptions& options, const std::string& what, const std::string& unit) {
    if (what == "time") {
        options.units.to_time = unit;
    } else if (what == "length") {
        options.units.to_length = unit;
    } else {
        throw InputError(fmt::format("the unit {} is wanted of {} (must be of time or length)",
                                     in_quotes(unit), in_quotes(what)));
    }
}

}  // namespace fermat
