#pragma once

#include <filesystem>
#include <string>

#include "core/notes.hpp"
#include "io/pick_builder.hpp"
#include "io/pick_options.hpp"
#include "io/text_file.hpp"

namespace fermat {

/// The format of a file of picks, or of the folder of PyRefra, by its name, its suffix and, where
/// these do not tell, its first lines. What is nothing else is a table.
PickFormat pick_format_of(const TextFile& file);

/// Reads a file of picks in any of the formats. Throws InputError that names file and line.
SurveyFile read_survey_file(const TextFile& file, const PickReadOptions& options, Notes& notes);

/// Writes `.csv`, whose first line keeps the plane, or `.sgt`, whose times and lengths have no
/// unit. With `geographic` the CSV has longitudes and latitudes instead of x and y; throws
/// InputError if the survey has no plane.
void write_survey_file(const std::filesystem::path& path, const SurveyFile& survey,
                       bool geographic = false);

/// Reads picks in any format, as read_picks() does, which has no options. A `.csv` with the columns
/// of ours is read strictly as such if there are no options; else it is a table.
SurveyFile read_pick_survey(const TextFile& file, const PickReadOptions& options, Notes& notes);

/// Writes picks as write_picks() does, with the plane in a '#' line before the header, or, if
/// `geographic`, with longitudes and latitudes instead of x and y. Picks that a run made carry its
/// identity. First motions are a column polarity, where some are known.
void write_pick_table(const std::filesystem::path& path, const SurveyFile& survey, bool geographic,
                      const std::string& run = "");

/// Writes picks in the unified data format of refraction surveys: the points of sources and
/// receivers, then picks with their errors. Depth becomes height.
void write_sgt(const std::filesystem::path& path, const SurveyFile& survey);

}  // namespace fermat
