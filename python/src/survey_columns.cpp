#include "survey_columns.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "core/error.hpp"

namespace fermat::python {

namespace nb = nanobind;

namespace {

Phase phase_from(std::int32_t number) {
    if (number < 0 || static_cast<std::size_t>(number) >= phase_count) {
        throw InputError(fmt::format("phase is number {} (must be 0, P, or 1, S)", number));
    }
    return static_cast<Phase>(number);
}

template <class Point>
void set_ids(std::vector<Point>& points, const nb::handle& names, const char* what) {
    const auto ids = nb::cast<std::vector<std::string>>(names);
    require_rows(ids.size(), points.size(), what);
    for (std::size_t n = 0; n < points.size(); ++n) points[n].id = ids[n];
}

void set_origin_times(std::vector<Event>& events, const nb::handle& values) {
    const auto given = nb::cast<Numbers>(values);
    const double* const origin = column_of(given, events.size(), "origin_time");
    for (std::size_t n = 0; n < events.size(); ++n) events[n].origin_time = origin[n];
}

}  // namespace

void require_rows(std::size_t values, std::size_t rows, const char* name) {
    if (values == rows) return;
    throw InputError(
        fmt::format("{} has {} values for {} rows (must have one per row)", name, values, rows));
}

std::vector<Arrival> arrivals_from(const Indices& event, const Indices& station,
                                   const Indices& phase, const Numbers& time,
                                   const Numbers& error) {
    const std::size_t rows = time.shape(0);
    const std::int32_t* const events = column_of(event, rows, "event");
    const std::int32_t* const stations = column_of(station, rows, "station");
    const std::int32_t* const phases = column_of(phase, rows, "phase");
    const bool has_errors = error.shape(0) > 0;
    const double* const errors = has_errors ? column_of(error, rows, "error") : nullptr;
    std::vector<Arrival> out;
    out.reserve(rows);
    for (std::size_t n = 0; n < rows; ++n) {
        out.push_back({events[n], stations[n], time.data()[n], has_errors ? errors[n] : 0,
                       phase_from(phases[n])});
    }
    return out;
}

Survey points_of_survey(const nb::dict& given, double flat_y) {
    Survey survey;
    const auto places = nb::cast<Points>(given["events"]);
    for (const Vec3 place : points_from(places, flat_y)) survey.events.push_back({place});
    for (const Vec3 place : points_from(nb::cast<Points>(given["stations"]), flat_y)) {
        survey.stations.push_back({place});
    }
    survey.is_2d = places.shape(1) == 2;
    if (given.contains("origin_time")) set_origin_times(survey.events, given["origin_time"]);
    return survey;
}

Survey survey_from(const nb::dict& given, double flat_y) {
    const auto rows = [&](const char* name) { return nb::cast<Indices>(given[name]); };
    const auto error = nb::cast<Numbers>(given["error"]);
    Survey survey = points_of_survey(given, flat_y);
    survey.has_errors = error.shape(0) > 0;
    survey.arrivals = arrivals_from(rows("event"), rows("station"), rows("phase"),
                                    nb::cast<Numbers>(given["time"]), error);
    validate(survey);
    return survey;
}

void add_labels(Survey& survey, const nb::tuple& labels) {
    set_ids(survey.events, labels[1], "event ids");
    set_ids(survey.stations, labels[2], "station ids");
    set_origin_times(survey.events, labels[3]);
}

}  // namespace fermat::python
