#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/units.hpp"

namespace fermat::cli {

/// What the user says about a report.
struct ReportOptions {
    /// Folder that `fermat invert` wrote, or the CSV of `fermat locate` or `fermat relocate`.
    std::filesystem::path run;
    std::optional<std::filesystem::path> start;     ///< start model, to show what changed
    std::optional<std::filesystem::path> stations;  ///< of a catalogue
    std::optional<std::filesystem::path> fits;      ///< of a catalogue: residuals by pick
    std::string title;                              ///< empty: the folder's name
    UnitNames units;  ///< empty names: the run's own, or as its velocities are
};

/// How far a run has come.
enum class RunPhase {
    ended,    ///< it has written its model
    going,    ///< a process works in its folder
    stopped,  ///< neither: it may be resumed
};

/// Throws InputError where there is no such folder.
RunPhase phase_of_run(const std::filesystem::path& run);

/// Whether the report is of a catalogue: a file, not a folder.
bool is_catalogue_report(const ReportOptions& options);

/// The run or catalogue as one JSON object for the page's script (report/page.js): summary, model,
/// coverage, history, residuals, settings, and events where a run has relocated them. Of a run that
/// has not ended it is the model of the last checkpoint, without residuals and coverage, and the
/// page of one that is going loads itself again and again. Arrays of numbers are base64 of
/// little-endian float32; a model of more than some million nodes is thinned, and so are more than
/// 60,000 picks. Nothing in it can end the script element in which it stands. Throws InputError
/// that names the file.
std::string report_data(const ReportOptions& options);

}  // namespace fermat::cli
