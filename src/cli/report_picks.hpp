#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "io/csv.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// Picks of a run as the page draws them: one entry per pick, of every so many where there are over
/// 60,000.
struct ReportPicks {
    std::size_t count = 0;                         ///< of the run
    std::vector<std::array<double, 3>> shots;      ///< different sources, in the table's order
    std::vector<std::array<double, 3>> receivers;  ///< different places
    std::vector<float> shot;                       ///< number of its source in `shots`
    std::vector<float> offset, time, error;        ///< horizontal distance; error NaN where unknown
    std::vector<float> before, after;              ///< residuals; NaN where a ray was lost
    std::vector<float> kept;                       ///< 1, or 0 where it was rejected as an outlier
    std::vector<float> across;                     ///< where along the spread its receiver stands
    std::string across_name;                       ///< "receiver x", "receiver depth" or "offset"
    std::vector<std::string> phases;               ///< different ones, in the table's order
    std::vector<float> phase;                      ///< its number among them; empty without phases
};

/// From residuals.csv of a run with this model. Throws InputError that names a missing column.
ReportPicks read_report_picks(const CsvTable& table, const Model& model);

std::string picks_json(const ReportPicks& picks);

}  // namespace fermat::cli
