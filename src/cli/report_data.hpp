#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fermat::cli {

/// What the user says about a report.
struct ReportOptions {
    std::filesystem::path run;                   ///< folder that `fermat invert` wrote
    std::optional<std::filesystem::path> start;  ///< start model, to show what changed
    std::string title;                           ///< empty: the folder's name
    std::string length = "km";                   ///< names of the user's units
    std::string time = "s";
};

/// The run as one JSON object for the page's script (report/page.js): summary, model, coverage,
/// history, residuals and settings. Arrays of numbers are base64 of little-endian float32; a model
/// of more than some million nodes is thinned, and so are more than 60,000 picks. Nothing in it can
/// end the script element in which it stands. Throws InputError that names the file.
std::string report_data(const ReportOptions& options);

}  // namespace fermat::cli
