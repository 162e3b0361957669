#include "location/locate_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "core/error.hpp"
#include "core/expect.hpp"
#include "core/parallel.hpp"
#include "location/branch_event.hpp"
#include "location/event_job.hpp"
#include "location/flat.hpp"
#include "location/outcome.hpp"

namespace fermat {
namespace {

bool is_plain(std::string_view name) { return name == "P" || name == "S"; }

void refuse_options(const LocateOptions& options) {
    const char* const lacking = options.samples > 0                         ? "samples"
                                : options.terms != TermSearch::nothing      ? "station terms"
                                : options.given_terms                       ? "station terms"
                                : options.far                               ? "weights by distance"
                                : options.azimuth_sectors > 0               ? "weights by azimuth"
                                : options.likelihood == LikelihoodKind::edt ? "`likelihood=edt`"
                                                                            : nullptr;
    if (lacking == nullptr) return;
    throw InputError(
        fmt::format("{} cannot be had with later phases (leave it out, or keep only picks called P "
                    "and S)",
                    lacking));
}

/// The branches of the names of picks; none where the medium does not have the phase.
using Branches = std::map<std::string, std::unique_ptr<const Branch>, std::less<>>;

Branches branches_of(const LayeredMedium& medium, std::span<const std::string> phases,
                     Notes& notes) {
    Branches out;
    std::map<std::string, std::size_t> unknown;
    std::string why;
    for (const std::string& name : phases) {
        auto known = out.find(name);
        if (known == out.end()) {
            std::unique_ptr<const Branch> branch;
            try {
                branch = std::make_unique<const Branch>(branch_of(medium, name));
                note_doubts(*branch, medium, notes);
            } catch (const InputError& error) {
                if (why.empty()) why = error.what();
            }
            known = out.emplace(name, std::move(branch)).first;
        }
        if (!known->second) ++unknown[name];
    }
    std::size_t count = 0;
    std::string names;
    for (const auto& [name, picks] : unknown) {
        count += picks;
        names += fmt::format("{}'{}' {}", names.empty() ? "" : ", ", name, picks);
    }
    if (count > 0) {
        notes.add(
            fmt::format("{} of {} picks are not used: their phases are not in the medium "
                        "({}; {})",
                        count, phases.size(), names, why));
    }
    return out;
}

/// The earliest pick of a wave that may come first, per event and station.
std::vector<std::int32_t> first_picks(const Survey& survey, std::span<const std::string> phases) {
    std::map<std::tuple<std::int32_t, std::int32_t, Phase>, std::int32_t> earliest;
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        if (!may_come_first(phases[n])) continue;
        const Arrival& arrival = survey.arrivals[n];
        const auto number = static_cast<std::int32_t>(n);
        const auto [entry, added] =
            earliest.emplace(std::tuple(arrival.event, arrival.station, arrival.phase), number);
        const Arrival& known = survey.arrivals[static_cast<std::size_t>(entry->second)];
        if (!added && arrival.time < known.time) entry->second = number;
    }
    std::vector<std::int32_t> out;
    for (const auto& [key, number] : earliest) out.push_back(number);
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::int32_t> picks_called(std::span<const std::string> phases,
                                       std::initializer_list<std::string_view> names) {
    std::vector<std::int32_t> out;
    for (std::size_t n = 0; n < phases.size(); ++n) {
        if (std::find(names.begin(), names.end(), phases[n]) == names.end()) continue;
        out.push_back(static_cast<std::int32_t>(n));
    }
    return out;
}

/// The layers above an interface, the last of which goes on below it.
Medium without_below(const LayeredMedium& medium, int interface) {
    const auto count = static_cast<std::ptrdiff_t>(interface);
    const std::vector<Interface> tops(medium.interfaces().begin(),
                                      medium.interfaces().begin() + count);
    const std::vector<Layer> layers(medium.layers().begin(), medium.layers().begin() + count);
    return LayeredMedium(tops, layers).merged();
}

/// Where events are by Pg and Sg alone; nothing without a Moho or such picks.
std::vector<Vec3> crustal_places(const LayeredMedium& medium, const Survey& survey,
                                 std::span<const std::string> phases, const LocateOptions& options,
                                 const Surface* surface, const Execution& execution) {
    const std::vector<std::int32_t> picks = picks_called(phases, {"Pg", "Sg"});
    if (picks.empty()) return {};
    const int moho = medium.interface_of("moho");
    Notes unheard;
    const Catalogue found = locate(without_below(medium, moho), subset(survey, picks), options,
                                   surface, execution, &unheard);
    std::vector<Vec3> out;
    for (const Hypocentre& event : found.events) out.push_back(event.position);
    return out;
}

void tell_absent(const Catalogue& found, const Survey& survey, std::span<const std::string> phases,
                 const Branches& branches, Notes& notes) {
    std::map<std::string, std::pair<std::size_t, std::size_t>> counts;  // absent, of all
    for (std::size_t n = 0; n < phases.size(); ++n) {
        const auto event = static_cast<std::size_t>(survey.arrivals[n].event);
        if (!is_located(found.events[event].status) || !branches.find(phases[n])->second) continue;
        auto& [absent, all] = counts[phases[n]];
        ++all;
        absent += !std::isfinite(found.fits[n].travel_time);
    }
    std::string names;
    std::size_t absent = 0;
    for (const auto& [name, count] : counts) {
        if (count.first == 0) continue;
        absent += count.first;
        names += fmt::format("{}{} of {} {}", names.empty() ? "" : ", ", count.first, count.second,
                             name);
    }
    if (absent == 0) return;
    notes.add(
        fmt::format("{} picks are not used: their phases have no ray from the places that "
                    "were found, or their stations lie outside the medium ({})",
                    absent, names));
}

}  // namespace

bool may_come_first(std::string_view name) {
    return !name.empty() && name.size() <= 2 && (name[0] == 'P' || name[0] == 'S') &&
           (name.size() == 1 || name[1] == 'g' || name[1] == 'n' || name[1] == 'b');
}

bool any_named(std::span<const std::string> phases) {
    return std::any_of(phases.begin(), phases.end(),
                       [](const std::string& name) { return !is_plain(name); });
}

Catalogue locate_phases(const LayeredMedium& medium, const Survey& survey,
                        std::span<const std::string> phases, const LocateOptions& options,
                        const Surface* surface, const Execution& execution, Notes* told) {
    FERMAT_EXPECT(phases.size() == survey.arrivals.size());
    Notes unheard;
    Notes& notes = told != nullptr ? *told : unheard;
    const Medium merged = medium.merged();
    if (!any_named(phases)) return locate(merged, survey, options, surface, execution, &notes);
    refuse_options(options);
    const Branches branches = branches_of(medium, phases, notes);
    const std::vector<std::int32_t> first = first_picks(survey, phases);
    // How many picks an event needs is asked of all its picks, not of the first ones alone.
    LocateOptions wishes = options;
    wishes.least_picks = std::min(options.least_picks, LocateOptions{}.least_picks);
    const Catalogue start =
        first_places(merged, subset(survey, first), wishes, surface, execution, notes);
    const std::vector<Vec3> crustal =
        crustal_places(medium, survey, phases, wishes, surface, execution);

    const Place& place = medium.place();
    const Survey flat = flat_survey(place, survey);
    const LocateOptions flat_wishes = flat_options(place, options);
    const SearchBox whole = flat_box(place);
    const Region region{flat_wishes.box.value_or(whole),
                        {true, !place.grid().is_2d(), true},
                        merged.first(),
                        surface};
    Catalogue found;
    found.errors = start.errors;
    found.fields_by_depth = start.fields_by_depth;
    found.events = start.events;
    found.fits.resize(survey.arrivals.size());
    const ArrivalLists lists = by_event(survey);
    Monitor& monitor = execution.monitor;
    monitor.begin("later phases", static_cast<std::int64_t>(survey.events.size()));
    const Execution one = execution.with_threads(1).heard_by(silent_monitor());
    const BranchTimes times(medium, one);
    const Vec3 cell = place.cell_at_middle();
    const double finest = 1e-3 * typical_slowness(merged.first()) * std::min(cell.x, cell.z);
    Outcome outcome(options, typical_slowness(merged.first()), survey.events.size());
    const int threads = resolve_threads(execution.threads);
    parallel_for(static_cast<std::int64_t>(survey.events.size()), threads, [&](std::int64_t i) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        Hypocentre& event = found.events[n];
        std::vector<Vec3> starts;
        for (const Vec3 at : {event.position, crustal.empty() ? event.position : crustal[n]}) {
            if (is_finite(at)) starts.push_back(place.mapping().flat_from_user(at));
        }
        if (starts.empty()) return;
        BranchEvent job{flat, survey, flat_wishes, region, times, found.errors, finest * finest, n};
        for (const std::int32_t pick : lists[n]) {
            const Branch* const branch =
                branches.find(phases[static_cast<std::size_t>(pick)])->second.get();
            if (branch != nullptr) job.add(pick, *branch, medium);
        }
        event = job.locate(starts, found.fits);
        double depth = not_known;
        if (is_located(event.status)) {
            const Vec3 user = place.mapping().flat_to_user(event.position);
            depth = user.z - medium.interfaces().front().depth_at(user.x, user.y);
        }
        outcome.settle(n, lists[n], depth, event, found.fits);
        monitor.advance();
    });
    monitor.end();
    to_user(place, found);
    outcome.tell(found, notes);
    tell_absent(found, survey, phases, branches, notes);
    return found;
}

}  // namespace fermat
