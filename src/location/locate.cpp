#include "location/locate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "location/event_job.hpp"
#include "location/find_terms.hpp"
#include "location/flat.hpp"
#include "location/locator.hpp"
#include "location/outcome.hpp"
#include "location/proportion.hpp"

namespace fermat {

double typical_slowness(const Model& model) {
    double sum = 0;
    std::size_t count = 0;
    for (const float velocity : model.velocity()) {
        if (velocity == 0) continue;
        sum += 1 / static_cast<double>(velocity);
        ++count;
    }
    return sum / static_cast<double>(count);
}

namespace {

void require_positions(const Survey& survey, const LocateOptions& options, const Region& region) {
    const bool believed = options.prior.x > 0 || options.prior.y > 0 || options.prior.z > 0;
    if (options.depth &&
        !(*options.depth >= region.box.low.z && *options.depth <= region.box.high.z)) {
        throw InputError(fmt::format("depth is {:g} (must be in the search box, from {:g} to {:g})",
                                     *options.depth, region.box.low.z, region.box.high.z));
    }
    if (options.fixed == Fixed::nothing && !believed) return;
    for (const Event& event : survey.events) {
        if (is_finite(event.position)) continue;
        throw InputError(fmt::format(
            "event {} has no position, which {} needs (give events with x,y,z)",
            name_of(survey, event), options.fixed != Fixed::nothing ? "fixed" : "prior"));
    }
}

double depth_below_ground(const Region& region, Vec3 place) {
    const double top = region.surface != nullptr
                           ? static_cast<double>(surface_at(*region.surface, place))
                           : std::max(region.box.low.z, 0.0);
    return place.z - top;
}

}  // namespace

/// What the events of all surveys share. Positions are flat (mapping.hpp).
struct Locator::Frame {
    Frame(const Medium& given, const Survey& survey, const LocateOptions& wishes,
          const Surface* surface, const Execution& execution, Notes& notes)
        : medium(given),
          options(wishes),
          fields(medium, survey, options, execution, notes),
          region{fields.box(), {true, !medium.grid().is_2d(), true}, medium.first(), surface},
          // Most of the first cells are hopeless, so they get half of all.
          first(fields, region, std::clamp(tree_cells(options) / 2, 50, 4000),
                resolve_threads(execution.threads)) {}

    /// Tells what became of the events if this is the `last` that is heard of them.
    Catalogue locate(const Survey& survey, const Execution& execution, Notes& notes,
                     bool last) const;

    const Medium& medium;
    LocateOptions options;
    StationFields fields;
    Region region;
    FirstCells first;
};

Catalogue Locator::Frame::locate(const Survey& survey, const Execution& execution, Notes& notes,
                                 bool last) const {
    require_positions(survey, options, region);
    const int threads = resolve_threads(execution.threads);
    LocateJob job{survey, options, fields, region, first, {}, 0, {}, {}};
    for (const auto& [name, phase] : choices<Phase>.entries) {
        job.slowness[static_cast<std::size_t>(phase)] = typical_slowness(medium.of(phase));
    }
    // No time is better than a thousandth of the time across a cell.
    const Vec3 cell = medium.place().cell_at_middle();
    const double finest = 1e-3 * job.slowness[0] * std::min(cell.x, cell.z);
    job.least_variance = finest * finest;

    const ArrivalLists lists = by_event(survey);
    tell_long_records(survey, lists, fields, first, notes);
    Catalogue catalogue;
    catalogue.events.resize(survey.events.size());
    catalogue.fits.resize(survey.arrivals.size());
    catalogue.fields_by_depth = fields.radial();
    Monitor& monitor = execution.monitor;
    if (options.given_terms) {
        catalogue.terms = options.given_terms;
        use_terms(job, lists, *options.given_terms, threads, monitor);
    } else if (options.terms != TermSearch::nothing) {
        catalogue.terms = find_terms(job, lists, threads, monitor, notes);
    }
    job.starts.clear();
    catalogue.errors = find_model_errors(job, lists, threads);
    Outcome outcome(options, job.slowness[0], survey.events.size());
    monitor.begin("locations", static_cast<std::int64_t>(survey.events.size()));
    parallel_for(static_cast<std::int64_t>(survey.events.size()), threads, [&](std::int64_t i) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        Hypocentre& event = catalogue.events[n];
        event = locate_event(job, n, lists[n], catalogue.errors, true, catalogue.fits);
        const double depth =
            is_located(event.status) ? depth_below_ground(region, event.position) : not_known;
        outcome.settle(n, lists[n], depth, event, catalogue.fits);
        monitor.advance();
    });
    monitor.end();
    if (last) outcome.tell(catalogue, notes);
    return catalogue;
}

Locator::Locator(const Medium& medium, std::vector<Station> stations, const LocateOptions& options,
                 const Surface* surface, const Execution& execution, Notes& notes)
    : medium_(medium), stations_(std::move(stations)), execution_(execution) {
    validate(options);
    require_surface_fits(medium, surface);
    Survey probe;
    probe.stations = stations_;
    probe.events.push_back({medium.place().corners().low});
    probe.is_2d = medium.grid().is_2d();
    for (std::size_t n = 0; n < stations_.size(); ++n) {
        for (const Phase phase : medium.phases()) {
            probe.arrivals.push_back({0, static_cast<std::int32_t>(n), 0, 0, phase});
        }
    }
    const Place& place = medium.place();
    Notes unheard;
    frame_ =
        std::make_unique<const Frame>(medium, flat_survey(place, probe),
                                      flat_options(place, options), surface, execution, unheard);
    std::size_t lost = 0;
    std::string names;
    for (std::size_t n = 0; n < stations_.size(); ++n) {
        if (frame_->fields.of({0, static_cast<std::int32_t>(n)}) >= 0) continue;
        if (++lost <= 5) names += (lost == 1 ? "" : ", ") + stations_[n].id;
    }
    if (lost > 5) names += fmt::format(" and {} more", lost - 5);
    if (lost > 0) {
        notes.add(
            fmt::format("picks of {} of {} stations will not be used: they lie outside the "
                        "model, in air or too far away ({})",
                        lost, stations_.size(), names));
    }
}

Locator::~Locator() = default;

Catalogue Locator::locate(const Survey& survey, Notes& notes) const {
    std::map<std::string_view, std::int32_t> numbers;
    for (std::size_t n = 0; n < stations_.size(); ++n) {
        numbers.emplace(stations_[n].id, static_cast<std::int32_t>(n));
    }
    Survey mine = survey;
    mine.stations = stations_;
    for (Arrival& arrival : mine.arrivals) {
        arrival.station = numbers.at(survey.station_of(arrival).id);
    }
    require_phases(medium_, mine);
    const Place& place = medium_.place();
    Catalogue catalogue = frame_->locate(flat_survey(place, mine), execution_, notes, true);
    to_user(place, catalogue);
    return catalogue;
}

namespace {

Catalogue locate_in(const Medium& medium, const Survey& survey, const LocateOptions& options,
                    const Surface* surface, const Execution& execution, Notes& notes, bool last) {
    validate(options);
    const Place& place = medium.place();
    require_surface_fits(medium, surface);
    const Survey flat = flat_survey(place, survey);
    const Locator::Frame frame(medium, flat, flat_options(place, options), surface, execution,
                               notes);
    Catalogue catalogue = frame.locate(flat, execution, notes, last);
    to_user(place, catalogue);
    return catalogue;
}

}  // namespace

Catalogue locate(const Medium& medium, const Survey& survey, const LocateOptions& options,
                 const Surface* surface, const Execution& execution, Notes* told) {
    Notes unheard;
    return locate_in(medium, survey, options, surface, execution, told != nullptr ? *told : unheard,
                     true);
}

Catalogue first_places(const Medium& medium, const Survey& survey, const LocateOptions& options,
                       const Surface* surface, const Execution& execution, Notes& notes) {
    return locate_in(medium, survey, options, surface, execution, notes, false);
}

std::vector<std::int32_t> trusted_arrivals(const Survey& survey, const Catalogue& catalogue) {
    std::vector<std::int32_t> kept;
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const auto event = static_cast<std::size_t>(survey.arrivals[n].event);
        const bool right = catalogue.fits[n].weight >= 0.5 &&
                           survey.arrivals[n].time >= catalogue.events[event].origin_time;
        if (is_located(catalogue.events[event].status) && right) {
            kept.push_back(static_cast<std::int32_t>(n));
        }
    }
    return kept;
}

Survey relocated(const Survey& survey, const Catalogue& catalogue) {
    Survey moved = survey;
    for (std::size_t n = 0; n < moved.events.size(); ++n) {
        moved.events[n].position = catalogue.events[n].position;
        moved.events[n].origin_time = catalogue.events[n].origin_time;
    }
    return compact(moved, trusted_arrivals(survey, catalogue));
}

}  // namespace fermat
