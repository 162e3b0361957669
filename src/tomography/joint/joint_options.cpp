#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "model/medium.hpp"
#include "tomography/joint/invert_joint.hpp"

namespace fermat {
namespace {

void check_phases(const JointOptions& joint, const Survey& picks, const Medium& start) {
    const std::vector<Phase> phases = phases_of(picks);
    if (phases.size() == 1) {
        const bool other =
            joint.velocities == (phases[0] == Phase::P ? Velocities::s : Velocities::p);
        if (!other) return;
        throw InputError(
            fmt::format("velocities is '{}' and all picks are of phase {} (leave "
                        "velocities out, or give picks of both)",
                        name_of(joint.velocities), name_of(phases[0])));
    }
    const bool has_ratio = joint.vp_vs > 0;
    const bool has_all = start.phases().size() == phases.size();
    if (has_all && has_ratio) {
        throw InputError(
            "an S model and Vp/Vs are both given (must be one of them: S velocities come from it)");
    }
    if (!has_all && !has_ratio) {
        const auto of_s = arrivals_of(picks, Phase::S).size();
        throw InputError(
            fmt::format("the picks are of two phases, {} of P and {} of S, and there is one "
                        "velocity (give an S "
                        "model or `vp_vs`, or leave out one of the phases)",
                        picks.arrivals.size() - of_s, of_s));
    }
}

void check_known(const JointOptions& joint, const Survey& picks) {
    const bool any = std::any_of(picks.events.begin(), picks.events.end(),
                                 [](const Event& event) { return event.known.any(); });
    if (any && joint.relocate == Relocate::none) {
        throw InputError(
            "events are said to be known and none moves (`relocate=all` moves the others)");
    }
}

void check_start_places(const JointOptions& joint) {
    if (joint.start_places == StartPlaces::automatic || joint.relocate == Relocate::all) return;
    throw InputError(fmt::format(
        "start_places is '{}' and no place is sought (leave it out, or use `relocate=all`)",
        name_of(joint.start_places)));
}

void check_differences(const JointOptions& joint, const Survey& picks) {
    const std::vector<TimeDifference>& differences = picks.differences;
    if (differences.empty()) return;
    if (joint.relocate == Relocate::none) {
        throw InputError(
            "differences of times are given and no event moves (they tell where events were "
            "relative to one another: `relocate=all`)");
    }
    validate(differences, picks);
    const std::vector<Phase> phases = phases_of(picks);
    const auto alien =
        std::count_if(differences.begin(), differences.end(), [&](const TimeDifference& one) {
            return std::find(phases.begin(), phases.end(), one.phase) == phases.end();
        });
    if (alien == 0) return;
    throw InputError(fmt::format(
        "{} of {} differences are of a phase that no pick is of (leave them out, or give picks of "
        "it)",
        alien, differences.size()));
}

}  // namespace

bool is_joint(const Survey& picks, const InversionOptions& options) {
    return options.joint.relocate != Relocate::none ||
           options.joint.velocities == Velocities::none || phases_of(picks).size() > 1;
}

void validate_joint(const InversionOptions& options, const Survey& picks, const Medium& start) {
    const JointOptions& joint = options.joint;
    check_known(joint, picks);
    check_start_places(joint);
    check_differences(joint, picks);
    check_phases(joint, picks, start);
    if (!is_joint(picks, options)) return;
    const bool other_method = (options.method != InversionMethod::automatic &&
                               options.method != InversionMethod::gauss_newton) ||
                              !options.schedule.empty();
    if (other_method) {
        throw InputError(
            "picks of P and S, or events that move, need `method=gauss-newton` without a schedule");
    }
    const Terms terms = options.gauss_newton.terms;
    if (terms != Terms::none && terms != Terms::receiver) {
        throw InputError(
            fmt::format("terms is '{}' in a run of P and S or of events that move (origin times "
                        "are the terms of "
                        "events: use `relocate=times`, and `terms=receiver` for stations)",
                        name_of(terms)));
    }
}

}  // namespace fermat
