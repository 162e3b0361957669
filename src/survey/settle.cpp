#include "survey/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/median.hpp"

namespace fermat {
namespace {

using Where = std::function<std::string(std::size_t)>;

/// Throws if an arrival is bad. Says which is the first, its value, and how many there are.
template <class Bad>
void refuse_where(const Survey& survey, const Where& where, double Arrival::*value,
                  const char* name, const std::string& right, Bad bad) {
    const auto is_bad = [&](const Arrival& arrival) { return bad(arrival); };
    const auto first = std::find_if(survey.arrivals.begin(), survey.arrivals.end(), is_bad);
    if (first == survey.arrivals.end()) return;
    throw InputError(fmt::format(
        "{}{} is {} ({}; so it is in {} of {} picks)",
        where(static_cast<std::size_t>(first - survey.arrivals.begin())), name, (*first).*value,
        right, std::count_if(first, survey.arrivals.end(), is_bad), survey.arrivals.size()));
}

void fill_missing_errors(Survey& survey, const std::string& what, Notes& notes) {
    std::vector<double> given;
    for (const Arrival& arrival : survey.arrivals) {
        if (!std::isnan(arrival.error)) given.push_back(arrival.error);
    }
    const std::size_t missing = survey.arrivals.size() - given.size();
    if (missing == 0) return;
    survey.has_errors = !given.empty();
    const double filled = survey.has_errors ? median(std::move(given)) : 0;
    for (Arrival& arrival : survey.arrivals) {
        if (std::isnan(arrival.error)) arrival.error = filled;
    }
    notes.add(
        survey.has_errors
            ? fmt::format("{}: {} of {} errors are missing and became {:g}, the median of "
                          "those given",
                          what, missing, survey.arrivals.size(), filled)
            : fmt::format("{}: all {} errors are missing, so the picks have none", what, missing));
}

}  // namespace

void settle_times(Survey& survey, const std::string& what, const Where& where, Notes& notes) {
    refuse_where(survey, where, &Arrival::time, "time",
                 "must be finite: leave out picks without a time",
                 [](const Arrival& arrival) { return !std::isfinite(arrival.time); });
    refuse_where(survey, where, &Arrival::time, "time",
                 "must not be negative: times count from the source's own; `leave_out_bad` of "
                 "fermat picks convert or fermat.picks leaves such picks out",
                 [&](const Arrival& arrival) {
                     return arrival.time < survey.event_of(arrival).origin_time;
                 });
    if (!survey.has_errors) return;
    refuse_where(
        survey, where, &Arrival::error, "error",
        "must be finite and > 0: an unknown one is left empty or nan, and all of them "
        "may be left out",
        [](const Arrival& arrival) { return arrival.error <= 0 || std::isinf(arrival.error); });
    fill_missing_errors(survey, what, notes);
}

std::optional<std::string> zero_times(const Survey& survey) {
    const auto count =
        std::count_if(survey.arrivals.begin(), survey.arrivals.end(), [&](const Arrival& arrival) {
            const Event& event = survey.event_of(arrival);
            const double distance = norm(survey.station_of(arrival).position - event.position);
            return arrival.time == event.origin_time && distance > 0;
        });
    if (count == 0) return std::nullopt;
    return fmt::format(
        "{} of {} picks have time 0 between two points that are apart (leave out those that stand "
        "for no pick: they count like any other)",
        count, survey.arrivals.size());
}

}  // namespace fermat
