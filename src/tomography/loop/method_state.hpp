#pragma once

#include <cstdint>
#include <vector>

#include "tomography/pick_ledger.hpp"

namespace fermat {

/// Where a run is on its way to the smoothest model that explains the picks; see Cooling.
enum class CoolingPhase { cooling, relaxing, done, stagnant };

/// What Cooling knows.
struct CoolingState {
    double lambda = 0;  ///< weight of the roughness
    CoolingPhase phase = CoolingPhase::cooling;
    double relax_factor = 2;
    double last_chi2 = 0;  ///< 0 before the first model
    int slow = 0;          ///< accepted models in a row that hardly changed chi2
};

/// Whether picks that were left out are heard; see PickHearing.
enum class HearingPhase { open, hearing, closed };

/// What PickHearing knows.
struct HearingState {
    HearingPhase phase = HearingPhase::open;
    int rounds = 0;  ///< steps made in the hearing
    /// Per pick, after the phase `open`: 0 admitted, below 0 rejected, else |z| when last heard.
    std::vector<double> verdict;
    std::vector<std::int32_t> taken_back;  ///< sorted
};

/// Of events that move and differences of times.
struct EventsState {
    std::vector<std::uint8_t> bounded;       ///< per event: held by a face or the ground
    std::vector<double> differences_before;  ///< RMS per kind in the start
    std::vector<double> differences_last;    ///< in the last accepted model
};

/// Of L-BFGS.
struct GradientState {
    double curvature = 0;       ///< the trace of A^T A
    std::vector<double> pairs;  ///< steps and changes of the gradient, one after the other
};

/// Of Hole's loop: where it is in its schedule.
struct HoleState {
    int stage = 0;             ///< that is under way, from 0
    int stage_iterations = 0;  ///< updates made in it
    ResidualLimits limits;
};

/// What a stepper knows beside its unknowns. Parts that are not of its method stay as they are.
struct MethodState {
    CoolingState cooling;
    double damping = 0;  ///< of steps (Levenberg-Marquardt)
    HearingState hearing;
    EventsState events;
    GradientState gradients;
    HoleState hole;
};

/// Calls visit(name, member) for every number of a MethodState, and for every array of it: what a
/// checkpoint keeps.
template <class State, class Visit>
void for_each_number(State& state, Visit visit) {
    visit("stage", state.hole.stage);
    visit("stage_iterations", state.hole.stage_iterations);
    visit("limit_low", state.hole.limits.low);
    visit("limit_high", state.hole.limits.high);
    visit("lambda", state.cooling.lambda);
    visit("cooling_phase", state.cooling.phase);
    visit("relax_factor", state.cooling.relax_factor);
    visit("last_chi2", state.cooling.last_chi2);
    visit("slow", state.cooling.slow);
    visit("damping", state.damping);
    visit("hearing_phase", state.hearing.phase);
    visit("hearing_rounds", state.hearing.rounds);
    visit("curvature", state.gradients.curvature);
}
template <class State, class Visit>
void for_each_array(State& state, Visit visit) {
    visit("verdict", state.hearing.verdict);
    visit("taken_back", state.hearing.taken_back);
    visit("bounded", state.events.bounded);
    visit("differences_before", state.events.differences_before);
    visit("differences_last", state.events.differences_last);
    visit("gradient_pairs", state.gradients.pairs);
}

}  // namespace fermat
