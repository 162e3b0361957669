#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/notes.hpp"
#include "eikonal/eikonal.hpp"
#include "location/difference_weights.hpp"
#include "location/not_known.hpp"
#include "model/medium.hpp"
#include "model/topography.hpp"

namespace fermat {

/// Relocation of events by differences of their times of travel (Waldhauser & Ellsworth 2000).
struct RelocateOptions {
    int iterations = 30;
    double damping = 1e-4;
    DifferenceWeighting weighting;
    int least_links = 4;
    int bootstrap = 0;
    EikonalOptions eikonal;
};

inline bool is_bootstrap_count(const int& count) {
    return count == 0 || (count >= 10 && count <= 100000);
}
inline bool is_relocation_count(const int& count) { return count >= 1 && count <= 1000; }

template <>
inline constexpr auto options_of<RelocateOptions> =
    std::tuple{Option{"iterations", &RelocateOptions::iterations, "at most",
                      Rule<int>{&is_relocation_count, "from 1 to 1000"}},
               Option{"damping", &RelocateOptions::damping,
                      "of each step, as a share of its curvature", not_negative},
               OptionPart{&RelocateOptions::weighting},
               Option{"least_links", &RelocateOptions::least_links,
                      "differences that two events must share to be linked",
                      Rule<int>{&is_pair_count, "from 1 to 100000"}},
               Option{"bootstrap", &RelocateOptions::bootstrap,
                      "relocations with stations weighted by chance, whose spread is the error of "
                      "relative places; 0: errors are those while neighbours stay",
                      Rule<int>{&is_bootstrap_count, "0, or from 10 to 100000"}},
               OptionPart{&RelocateOptions::eikonal}};

void validate(const RelocateOptions& options);

/// What became of one event.
struct RelocatedEvent {
    Vec3 position;
    double origin_time = 0;
    int cluster = -1;  ///< from 0, the largest first; -1: not linked and not moved
    /// Standard deviation while its neighbours stay; with RelocateOptions::bootstrap that of its
    /// place relative to the centroid of its cluster.
    Vec3 error;
    double time_error = not_known;
    /// [kind][phase]: differences that count.
    std::array<std::array<int, phase_count>, kind_count> used{};
    std::array<double, kind_count> rms{not_known, not_known};  ///< weighted
};

struct Relocation : DifferenceFits {
    std::vector<RelocatedEvent> events{};  ///< as in the survey
    std::vector<int> cluster_sizes{};      ///< the largest first
    int iterations = 0;
};

/// Moves the events of a survey so that the differences of their times of travel fit. Each step is
/// a damped least-squares problem over the gradients of the stations' fields, solved by conjugate
/// gradients on its 4 x 4 blocks. Differences are weighted by their own weight, by the residuals'
/// deviation of their kind, by a biweight of the residual, and by the distance of their events. Of
/// each cluster the mean shift of place and origin time is zero: differences do not tell it.
/// Clusters are events that are linked; events that are not stay, and notes tell how many.
/// Positions and origin times of all events must be known. Events stay in the model, below
/// `surface` and out of air. Results have the same bits for any number of threads. Throws
/// ComputeError, which says why, if no event can be moved.
Relocation relocate(const Medium& medium, const Survey& survey,
                    const std::vector<TimeDifference>& differences,
                    const RelocateOptions& options = {}, const Surface* surface = nullptr,
                    const Execution& execution = {}, Notes* notes = nullptr);

}  // namespace fermat
