#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/flags.hpp"
#include "core/error.hpp"
#include "io/local_plane.hpp"

namespace fermat::cli {

/// --centre LONGITUDE,LATITUDE of x = y = 0, for places that are longitudes and latitudes.
inline void add_centre_flag(CLI::App& app, std::optional<GeoPoint>& centre) {
    add_value(app, "--centre", "LON,LAT", centre,
              "longitude and latitude of x = y = 0 of the model, in km, where stations have "
              "longitudes and latitudes (default: the middle of the stations)",
              [](std::string_view flag, std::string_view text) {
                  const AxisNumbers given = parse_axes(flag, text);
                  if (given.numbers.size() != 2) {
                      throw InputError(flag_message(flag, text, "must be LONGITUDE,LATITUDE"));
                  }
                  return std::optional(GeoPoint{given.numbers[0], given.numbers[1]});
              });
}

}  // namespace fermat::cli
