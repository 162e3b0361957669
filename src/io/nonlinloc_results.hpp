#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "io/local_plane.hpp"
#include "io/polarity.hpp"
#include "location/catalogue.hpp"
#include "location/station_fields.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Writes located events as NonLinLoc's `.hyp`, one after the other in one file: hypocentre,
/// quality, statistics and phases. Times must be seconds since 1970. Without a plane, the latitude
/// and longitude are y and x in degrees of 111.2 km, as NonLinLoc's TRANS NONE has none either.
/// Events that were not located are not in it. Names of phases and first motions are one per pick,
/// if there are some.
void write_nonlinloc_hyp(const std::filesystem::path& path, const Survey& survey,
                         const Catalogue& catalogue, const LocalPlane* plane,
                         std::span<const std::string> phases = {},
                         std::span<const Polarity> polarities = {});

/// Writes the times of the fields as NonLinLoc's time grids, which NLLoc reads:
/// ROOT.P.STATION.time.hdr and .buf, and the same for S. Where velocity depends on depth alone they
/// are 2-D (TIME2D). Returns the number of grids. Throws InputError where a field has nodes that no
/// wave reaches, or a station no id.
std::size_t write_nonlinloc_times(const std::filesystem::path& root, const Survey& survey,
                                  const StationFields& fields, const LocalPlane* plane);

}  // namespace fermat
