#include "io/joint_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/error.hpp"
#include "io/catalogue_io.hpp"
#include "io/catalogue_row.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/geographic_picks.hpp"
#include "io/geometry.hpp"
#include "io/survey_file.hpp"
#include "io/vtkhdf_image.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/joint/vp_vs.hpp"

namespace fermat {

namespace fs = std::filesystem;

void write_events(const fs::path& path, const Survey& picks, const InversionResult& result,
                  const std::string& run, const std::optional<LocalPlane>& plane) {
    if (result.events.empty()) return;
    const bool flat = picks.is_2d;
    const bool sphere = on_sphere(result.model);
    std::vector<std::string> names = {"event"};
    add_place_names(names, "", flat, sphere);
    const bool on_plane = plane && !sphere;
    if (on_plane) names.insert(names.end(), {"longitude", "latitude"});
    names.emplace_back("origin_time");
    add_axis_names(names, "shift_", flat);
    names.emplace_back("shift_time");
    add_axis_names(names, "error_", flat);
    names.insert(names.end(), {"error_time", "rms", "picks", "used", "use"});
    const bool has_covariance = !result.trust.events.empty();
    if (has_covariance) {
        for (const char* pair : {"xx", "xy", "xz", "xt", "yy", "yz", "yt", "zz", "zt", "tt"}) {
            const bool across = pair[0] == 'y' || pair[1] == 'y';
            if (!flat || !across) names.push_back(std::string("cov_") + pair);
        }
    }
    CsvWriter table(path, names, run);
    for (std::size_t n = 0; n < result.events.size(); ++n) {
        const JointEvent& event = result.events[n];
        if (event.picks == 0) continue;
        const std::string name = name_of(picks, picks.events[n]);
        const std::string rms = std::isnan(event.rms) ? "" : fmt::format("{}", event.rms);
        std::vector<CsvCell> cells = {std::string_view(name)};
        const auto add = [&](Vec3 v) {
            for (int axis = 0; axis < 3; ++axis) {
                if (!flat || axis != 1) cells.emplace_back(v[axis]);
            }
        };
        add(as_named(event.position, sphere));
        const GeoPoint at =
            on_plane ? plane->to_geographic({event.position.x, event.position.y}) : GeoPoint{};
        if (on_plane) cells.insert(cells.end(), {CsvCell(at.longitude), CsvCell(at.latitude)});
        cells.emplace_back(event.origin_time);
        add(event.shift);
        cells.emplace_back(event.time_shift);
        add(event.error);
        cells.insert(cells.end(), {CsvCell(event.time_error), CsvCell(std::string_view(rms)),
                                   CsvCell(std::int64_t{event.picks}),
                                   CsvCell(std::int64_t{event.used}), CsvCell(name_of(event.use))});
        for (std::size_t n_pair = 0; has_covariance && n_pair < 10; ++n_pair) {
            constexpr std::array<bool, 10> across = {false, true, false, false, true,
                                                     true,  true, false, false, false};
            if (!flat || !across[n_pair]) cells.emplace_back(result.trust.events[n][n_pair]);
        }
        table.add_row(cells);
    }
    table.commit();
}

void write_moved_picks(const fs::path& path, SurveyFile picks, const InversionResult& result,
                       const std::string& run) {
    if (result.events.empty()) return;
    for (std::size_t n = 0; n < result.events.size(); ++n) {
        picks.picks.events[n].position = result.events[n].position;
        picks.picks.events[n].origin_time = result.events[n].origin_time;
    }
    if (on_sphere(result.model)) {
        write_geographic_picks(path, picks, run);
    } else {
        write_pick_table(path, picks, false, run);
    }
}

Catalogue catalogue_of(const Survey& picks, const InversionResult& result) {
    Catalogue out;
    for (const JointEvent& event : result.events) {
        Hypocentre one;
        one.status = LocationStatus::located;
        one.position = event.position;
        one.origin_time = event.origin_time;
        for (int a = 0; a < 3; ++a) {
            const auto n = static_cast<std::size_t>(a);
            one.covariance[n][n] = event.error[a] * event.error[a];
        }
        one.time_error = event.time_error;
        one.rms = event.rms;
        one.picks = event.picks;
        one.used = event.used;
        out.events.push_back(one);
    }
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        PickFit fit;
        fit.residual = n < result.final_residual.size() ? result.final_residual[n] : not_known;
        fit.weight = std::isfinite(fit.residual) ? 1 : 0;
        out.fits.push_back(fit);
    }
    return out;
}

void write_vp_vs(const fs::path& path, const InversionResult& result, const std::string& run) {
    if (!result.s_model) return;
    const Field<float> ratio = vp_vs_of(result.model, *result.s_model);
    ImageWriter image(path, result.model.grid(), run);
    if (result.model.cells() != nullptr) {
        image.add_cell_array("vp_vs", ratio);
    } else {
        image.add_point_array("vp_vs", ratio);
    }
    image.commit();
}

void set_known(Survey& picks, const std::string& name, const std::string& known) {
    const KnownParts parts{known == "place" || known == "both", known == "time" || known == "both"};
    if (!parts.any()) {
        throw InputError(
            fmt::format("what is known of event '{}' is '{}' (must be place, time or "
                        "both)",
                        name, known));
    }
    const auto at = std::find_if(picks.events.begin(), picks.events.end(),
                                 [&](const Event& event) { return name_of(picks, event) == name; });
    if (at == picks.events.end()) {
        throw InputError(fmt::format(
            "event '{}', which is known, is not in the picks (they have {} events, the first is "
            "'{}')",
            name, picks.events.size(),
            picks.events.empty() ? "" : name_of(picks, picks.events.front())));
    }
    at->known.place = at->known.place || parts.place;
    at->known.time = at->known.time || parts.time;
}

void read_known_events(const fs::path& path, Survey& picks, Notes& notes) {
    const CsvTable table(path);
    const std::size_t event = table.column("event");
    const std::size_t known = table.column("known");
    constexpr std::array<std::string_view, 2> used = {"event", "known"};
    note_unused_columns(fmt::format("'{}'", path.string()), table.names(), used,
                        "known events have event,known", notes);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        try {
            set_known(picks, std::string(table.text(row, event)),
                      std::string(table.text(row, known)));
        } catch (const InputError& error) {
            throw InputError(table.where(row) + error.what());
        }
    }
}

}  // namespace fermat
