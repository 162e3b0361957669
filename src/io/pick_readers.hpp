#pragma once

#include <filesystem>

#include "core/notes.hpp"
#include "io/pick_builder.hpp"
#include "io/pick_options.hpp"

namespace fermat {

// The readers of the formats of picks, one file each; read_survey_file() (io/survey_file.hpp)
// chooses among them. All throw InputError that names file and line, and note what they leave out.

/// A table whose columns are named by `options.columns` or by their usual names, in the first line
/// or, if there are no names, by their numbers. Positions are x, y and z (or height), or longitude,
/// latitude and z (or height), which are put on a plane in km round their middle.
SurveyFile read_pick_table(const std::filesystem::path& path, const PickReadOptions& options,
                           Notes& notes);

/// Tomo+ `.gtt`, big-endian: 100 bytes of header (number of shots, ...), then per shot 24 bytes
/// (number, channels, x, y, height, unused) and per channel 24 bytes (number, x, y, height, unused,
/// time in s). A channel with time 0 has no pick.
SurveyFile read_gtt(const std::filesystem::path& path, const PickReadOptions& options,
                    Notes& notes);

/// A folder of PyRefra, or its picks.dat: shot, receiver, time, earliest and latest time in s; the
/// error is half their distance. `shots.geo` and `receivers.geo` beside it give number, x, y and
/// height in m of the stations.
SurveyFile read_pyrefra(const std::filesystem::path& path, const PickReadOptions& options,
                        Notes& notes);

/// SeisImager's `.vs`: a line of the version, a line with the number of shots, then per shot its
/// position and number of traces, and per trace position in m, time in ms and layer. Heights are
/// not in the file.
SurveyFile read_seisimager(const std::filesystem::path& path, const PickReadOptions& options,
                           Notes& notes);

/// rayinvr's `tx.in`: x in km, time and error in s, and a code per line; code 0 starts a shot, -1
/// ends the file. Of several arrivals of a pair the earliest is taken, or that with the code
/// `options.phase`.
SurveyFile read_rayinvr(const std::filesystem::path& path, const PickReadOptions& options,
                        Notes& notes);

/// tomo2d's data: the number of sources, then 's x z n' and n lines 'r x z code time error', in km
/// and s. Code 0 is a refraction, 1 a reflection.
SurveyFile read_tomo2d(const std::filesystem::path& path, const PickReadOptions& options,
                       Notes& notes);

/// TomoATT's `src_rec`: per event a line with latitude, longitude, depth in km and number of
/// arrivals, then per arrival latitude, longitude, elevation in m, phase and time in s.
SurveyFile read_src_rec(const std::filesystem::path& path, const PickReadOptions& options,
                        Notes& notes);

}  // namespace fermat
