#include "io/relocation_io.hpp"

#include <string>
#include <vector>

#include "io/catalogue_row.hpp"

namespace fermat {

void write_relocation(const std::filesystem::path& path, const Survey& survey,
                      const Relocation& found, const Mapping& mapping, const LocalPlane* plane,
                      Clock clock, std::span<const double> magnitudes) {
    const bool sphere = mapping.geographic();
    const bool is_2d = survey.is_2d;
    const bool sized = knows_magnitudes(magnitudes);
    std::vector<std::string> names = {"event", "cluster"};
    add_place_names(names, "", is_2d, sphere);
    if (plane != nullptr) names.insert(names.end(), {"longitude", "latitude"});
    names.emplace_back("origin_time");
    if (sized) names.emplace_back("magnitude");
    add_axis_names(names, "shift_", is_2d);
    names.emplace_back("shift_time");
    add_axis_names(names, "error_", is_2d);
    names.insert(names.end(), {"error_time", "rms_catalogue", "rms_correlation", "catalogue_p",
                               "catalogue_s", "correlation_p", "correlation_s"});
    CsvWriter table(path, names);
    CatalogueRow row;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        const RelocatedEvent& event = found.events[n];
        row.add(name_of(survey, survey.events[n]));
        row.add(event.cluster < 0 ? std::string() : std::to_string(event.cluster + 1));
        row.add(as_named(event.position, sphere), is_2d);
        row.add_geographic(event.position, plane);
        row.add_time(event.origin_time, clock);
        if (sized) row.add(magnitudes[n]);
        row.add(mapping.flat_way(mapping.flat_from_user(survey.events[n].position),
                                 mapping.flat_from_user(event.position)),
                is_2d);
        row.add(event.origin_time - survey.events[n].origin_time);
        row.add(event.error, is_2d);
        row.add(event.time_error);
        for (const double rms : event.rms) row.add(rms);
        for (const auto& kind : event.used) {
            for (const int count : kind) row.add(count);
        }
        row.write(table);
    }
    table.commit();
}

Catalogue catalogue_of(const Survey& survey, const Relocation& found) {
    Catalogue out;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        const RelocatedEvent& event = found.events[n];
        Hypocentre one;
        one.status = LocationStatus::located;
        one.position = event.position;
        one.origin_time = event.origin_time;
        const bool moved = event.cluster >= 0;
        for (int a = 0; moved && a < 3; ++a) {
            const auto i = static_cast<std::size_t>(a);
            one.covariance[i][i] = event.error[a] * event.error[a];
        }
        if (moved) one.time_error = event.time_error;
        out.events.push_back(one);
    }
    PickFit kept;
    kept.weight = 1;
    out.fits.assign(survey.arrivals.size(), kept);
    return out;
}

}  // namespace fermat
