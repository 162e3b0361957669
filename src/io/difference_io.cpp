#include "io/difference_io.hpp"

#include "io/catalogue_row.hpp"

namespace fermat {

void write_difference_fits(const std::filesystem::path& path, const Survey& survey,
                           const std::vector<TimeDifference>& differences,
                           const DifferenceFits& found, const std::string& run) {
    CsvWriter table(
        path, {"first", "second", "station", "phase", "kind", "time", "residual", "weight"}, run);
    CatalogueRow row;
    for (std::size_t n = 0; n < differences.size(); ++n) {
        const TimeDifference& one = differences[n];
        for (const std::int32_t event : {one.first, one.second}) {
            row.add(name_of(survey, survey.events[static_cast<std::size_t>(event)]));
        }
        row.add(name_of(survey, survey.stations[static_cast<std::size_t>(one.station)]));
        row.add(std::string(name_of(one.phase)));
        row.add(std::string(name_of(one.kind)));
        row.add(one.time);
        row.add(found.residuals[n]);
        row.add(found.weights[n]);
        row.write(table);
    }
    table.commit();
}

}  // namespace fermat
