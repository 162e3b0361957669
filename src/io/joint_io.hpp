#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "io/local_plane.hpp"
#include "io/pick_builder.hpp"
#include "location/catalogue.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// Events that an inversion found: place, origin time, shifts from what was given, standard
/// deviations with the velocities held, RMS of the picks used, numbers of picks and of those used,
/// and what became of it; with deviations asked for, covariances with the velocities free;
/// longitude and latitude if there is a plane. Events without picks are left out; no file where
/// none was relocated.
void write_events(const std::filesystem::path& path, const Survey& picks,
                  const InversionResult& result, const std::string& run,
                  const std::optional<LocalPlane>& plane = std::nullopt);

/// The picks with the events where and when they were found, and all that their file told of them;
/// no file where none was relocated.
void write_moved_picks(const std::filesystem::path& path, SurveyFile picks,
                       const InversionResult& result, const std::string& run);

/// The events of a result as a catalogue, with the residuals of its picks, for files of others.
/// Errors are those with the velocities held.
Catalogue catalogue_of(const Survey& picks, const InversionResult& result);

/// Vp/Vs of a result of P and S, as `vp_vs` on nodes or in cells; 0 in air.
void write_vp_vs(const std::filesystem::path& path, const InversionResult& result,
                 const std::string& run);

/// Sets what is known of events: CSV with the columns event (its id in the picks, or its number
/// where they have none) and known (place, time or both). Throws InputError that names file and
/// line.
void read_known_events(const std::filesystem::path& path, Survey& picks, Notes& notes);

/// Sets "place", "time" or "both" as known of the event of an id or number. Throws InputError.
void set_known(Survey& picks, const std::string& name, const std::string& known);

}  // namespace fermat
