#include "tomography/start/set_up_picks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tomography/joint/joint_setup.hpp"

namespace fermat {
namespace {

double origin_mismatch(const Survey& picks) {
    std::map<std::tuple<std::int32_t, std::int32_t, Phase>, double> travel;
    for (const Arrival& pick : picks.arrivals) {
        travel[{pick.event, pick.station, pick.phase}] =
            pick.time - picks.event_of(pick).origin_time;
    }
    std::vector<double> off;
    for (const TimeDifference& one : picks.differences) {
        const auto first = travel.find({one.first, one.station, one.phase});
        const auto second = travel.find({one.second, one.station, one.phase});
        const bool both = first != travel.end() && second != travel.end();
        if (one.kind != DifferenceKind::catalogue || !both) continue;
        off.push_back(std::abs(one.time - (first->second - second->second)));
    }
    if (off.empty()) return 0;
    const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
    std::nth_element(off.begin(), middle, off.end());
    return *middle;
}

}  // namespace

Survey travel_times(const Survey& picks) {
    const std::vector<std::int32_t> of_p = arrivals_of(picks, Phase::P);
    Survey out = of_p.empty() ? picks : subset(picks, of_p);
    for (Arrival& pick : out.arrivals) pick.time -= picks.event_of(pick).origin_time;
    for (Event& event : out.events) event.origin_time = 0;
    return out;
}

void give_pick_errors(Survey& picks, const PickErrors& errors) {
    for (Arrival& pick : picks.arrivals) {
        pick.error =
            errors.absolute + errors.relative * (pick.time - picks.event_of(pick).origin_time);
    }
    picks.has_errors = true;
}

std::optional<std::string> say_origin_mismatch(const Survey& picks) {
    const double off = origin_mismatch(picks);
    constexpr double plain = 0.01;
    if (off < plain) return std::nullopt;
    return fmt::format(
        "catalogue differences are not those of the picks, by {:.2g} (median): they were made "
        "from other origin times (make them of this catalogue, or give picks its origin times)",
        off);
}

std::optional<std::string> say_units(const Model& start, double typical) {
    std::vector<double> velocity;
    for (const float v : start.given()) {
        if (v > 0) velocity.push_back(v);
    }
    const auto middle = velocity.begin() + static_cast<std::ptrdiff_t>(velocity.size() / 2);
    std::nth_element(velocity.begin(), middle, velocity.end());
    const double ratio = *middle / typical;
    constexpr double order = 10;
    if (ratio < order && ratio > 1 / order) return std::nullopt;
    return fmt::format(
        "the start model's velocities (median {:.4g}) and the picks' (distance over time, "
        "median {:.4g}) differ by a factor of {:.3g} (are lengths, times and velocities in "
        "units that belong together?)",
        *middle, typical, std::max(ratio, 1 / ratio));
}

void take_targets(InversionSetup& setup, InversionSetup&& other) {
    for (std::string& said : other.choices) {
        if (said.starts_with("`target_")) setup.choices.push_back(std::move(said));
    }
    std::vector<std::string>& own = setup.warnings;
    for (std::string& said : other.warnings) {
        if (std::find(own.begin(), own.end(), said) == own.end()) own.push_back(std::move(said));
    }
}

}  // namespace fermat
