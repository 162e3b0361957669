#pragma once

#include <filesystem>
#include <vector>

#include "core/notes.hpp"
#include "io/difference_io.hpp"
#include "io/local_plane.hpp"
#include "io/phase_rows.hpp"
#include "io/place_table.hpp"
#include "location/relocate.hpp"

namespace fermat {

// Files of hypoDD and ph2dt (Waldhauser 2001). All readers throw InputError that names file and
// line.

/// The '#' lines of `phase.dat`: # year month day hour minute second latitude longitude depth
/// magnitude EH EV RMS id.
PlaceTable read_hypodd_headers(const TextFile& file);

/// Whether the first line is one of `hypoDD.reloc` or `hypoDD.loc`, as write_reloc() has them.
bool is_hypodd_reloc(const TextFile& file);
/// The events of such a file.
PlaceTable read_hypodd_reloc(const TextFile& file);

/// The picks of `phase.dat`: below each '#' line, station, time of travel, weight and phase. The
/// weight w becomes the error 0.05 s / w; picks without a weight > 0 are left out.
void read_hypodd_phases(const TextFile& file, PhaseRows& rows, Notes& notes);

/// Writes catalogue differences as `dt.ct`, with times of travel from the origin times of the
/// survey, or correlation differences as `dt.cc`; all must be of one kind.
void write_hypodd_differences(const std::filesystem::path& path, const Survey& survey,
                              const std::vector<TimeDifference>& differences);

/// Writes `hypoDD.reloc`: id latitude longitude depth, x y z (m, from the centroid of the cluster),
/// their errors (m), date and time, magnitude, numbers of P and S differences of both kinds, their
/// RMS (s), and the number of the cluster. Events that were not moved are not in it.
void write_reloc(const std::filesystem::path& path, const Survey& survey,
                 const std::vector<double>& magnitudes, const Relocation& found,
                 const LocalPlane& plane);

}  // namespace fermat
