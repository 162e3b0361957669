#include "location/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/expect.hpp"
#include "location/event_job.hpp"

namespace fermat {
namespace {

/// A place that fewer picks agree with than an event needs is a place by chance: any one pick fits
/// anywhere.
void forget_chance(int least_picks, std::span<const std::int32_t> arrivals, Hypocentre& event,
                   std::vector<PickFit>& fits) {
    if (!is_located(event.status) || event.used >= least_picks) return;
    Hypocentre unknown;
    unknown.status = LocationStatus::few_used;
    unknown.picks = event.picks;
    unknown.used = event.used;
    event = unknown;
    for (const std::int32_t n : arrivals) fits[static_cast<std::size_t>(n)] = {};
}

/// Whether so many picks contradict the place of an event that they are hardly errors of reading:
/// they may be those of another event.
bool is_contradicted(std::span<const std::int32_t> arrivals, const std::vector<PickFit>& fits) {
    const auto gross = std::count_if(arrivals.begin(), arrivals.end(), [&](std::int32_t n) {
        const PickFit& fit = fits[static_cast<std::size_t>(n)];
        return std::isfinite(fit.residual) && fit.weight < 0.5;
    });
    constexpr std::int64_t least = 3;
    return gross >= least && 4 * gross > static_cast<std::int64_t>(arrivals.size());
}

/// Whether all picks that count lie in one sector of azimuth.
bool is_one_sided(std::span<const std::int32_t> arrivals, const std::vector<PickFit>& fits,
                  int sectors) {
    int sector = -1;
    for (const std::int32_t n : arrivals) {
        const PickFit& fit = fits[static_cast<std::size_t>(n)];
        if (!std::isfinite(fit.residual) || fit.weight < 0.5) continue;
        const int at = sector_of(fit.azimuth, sectors);
        if (sector >= 0 && at != sector) return false;
        sector = at;
    }
    return true;
}

}  // namespace

Outcome::Outcome(const LocateOptions& options, double slowness, std::size_t events)
    : least_picks_(options.least_picks),
      // Velocities above 100 are of m/s.
      kilometre_(slowness < 0.01 ? 1000 : 1),
      contradicted_(events, 0),
      sectors_(options.azimuth_sectors),
      one_sided_(events, 0) {}

void Outcome::settle(std::size_t number, std::span<const std::int32_t> arrivals, double depth,
                     Hypocentre& event, std::vector<PickFit>& fits) {
    FERMAT_EXPECT(number < contradicted_.size());
    forget_chance(least_picks_, arrivals, event, fits);
    if (!is_located(event.status)) return;
    event.quality = quality_of(event, depth, kilometre_);
    contradicted_[number] = is_contradicted(arrivals, fits);
    one_sided_[number] = sectors_ > 0 && is_one_sided(arrivals, fits, sectors_);
    if (contradicted_[number]) event.quality = std::max(event.quality, Quality::C);
}

void Outcome::tell(const Catalogue& catalogue, Notes& notes) const {
    const std::size_t contradicted =
        static_cast<std::size_t>(std::count(contradicted_.begin(), contradicted_.end(), char{1}));
    std::array<std::size_t, choices<LocationStatus>.entries.size()> counts{};
    for (const Hypocentre& event : catalogue.events) {
        ++counts[static_cast<std::size_t>(event.status)];
    }
    const auto count = [&](LocationStatus status) {
        return counts[static_cast<std::size_t>(status)];
    };
    const std::size_t all = catalogue.events.size();
    if (const auto n = count(LocationStatus::few_picks)) {
        notes.add(
            fmt::format("{} of {} events have fewer than {} usable picks and are not located "
                        "(least_picks)",
                        n, all, least_picks_));
    }
    if (const auto n = count(LocationStatus::few_used)) {
        notes.add(
            fmt::format("{} of {} events have no place that {} of their picks agree with and are "
                        "not located (least_picks; are times and lengths in the model's units, and "
                        "are all picks of an event its own?)",
                        n, all, least_picks_));
    }
    if (const auto n = count(LocationStatus::nowhere)) {
        notes.add(
            fmt::format("{} of {} events have no place in the search box with times of their "
                        "picks",
                        n, all));
    }
    if (contradicted > 0) {
        notes.add(
            fmt::format("{} of {} events are contradicted by more than a quarter of their picks, "
                        "and their quality is C at best (picks of several events under one name, "
                        "many wrong picks, or too small a `model_error`)",
                        contradicted, all));
    }
    const auto one_sided = std::count(one_sided_.begin(), one_sided_.end(), char{1});
    if (one_sided > 0) {
        notes.add(
            fmt::format("{} of {} events have all their picks in one of {} sectors of azimuth, "
                        "where weights by azimuth change nothing",
                        one_sided, all, sectors_));
    }
    if (const auto n = count(LocationStatus::at_ground)) {
        notes.add(
            fmt::format("{} of {} events are held down by the ground (their depths are not known "
                        "well: S picks, a better model or `prior` may help)",
                        n, all));
    }
    if (const auto n = count(LocationStatus::at_face)) {
        notes.add(
            fmt::format("{} of {} events lie on a face of the search box (the true places "
                        "may be outside: make the model or the box larger)",
                        n, all));
    }
}

}  // namespace fermat
