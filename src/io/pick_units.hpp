#pragma once

#include <string>

#include "io/pick_options.hpp"

namespace fermat {

/// Says the unit of a file's times ("time"), of its lengths ("length") or of one of its columns.
void set_unit(PickReadOptions& options, const std::string& what, const std::string& unit);

/// Says the unit that times or lengths are wanted in. Throws InputError for anything else.
void set_wanted_unit(PickReadOptions& options, const std::string& what, const std::string& unit);

}  // namespace fermat
