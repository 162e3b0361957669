#pragma once

#include <cmath>
#include <optional>

#include "core/choice.hpp"
#include "core/option.hpp"
#include "core/vec3.hpp"
#include "eikonal/eikonal.hpp"
#include "location/delay_terms.hpp"

namespace fermat {

/// What of an event's given position is kept.
enum class Fixed { nothing, depth, epicentre, place };
template <>
inline constexpr auto choices<Fixed> = choice_table<Fixed>("fixed part",
                                                           {{"nothing", Fixed::nothing},
                                                            {"depth", Fixed::depth},
                                                            {"epicentre", Fixed::epicentre},
                                                            {"place", Fixed::place}});

/// What makes a place likely.
enum class LikelihoodKind {
    gaussian,  ///< Gaussian errors of times, and a share of gross ones
    edt,       ///< equal differential times: pairs of picks that agree on the origin time
};
template <>
inline constexpr auto choices<LikelihoodKind> = choice_table<LikelihoodKind>(
    "likelihood", {{"gaussian", LikelihoodKind::gaussian}, {"edt", LikelihoodKind::edt}});

/// Which station terms are found.
enum class TermSearch {
    nothing,
    fixed,     ///< one per station and phase
    by_place,  ///< that depend on where events are, too
};

/// A box that events are looked for in.
struct SearchBox {
    Vec3 low;
    Vec3 high;
};

struct LocateOptions {
    LikelihoodKind likelihood = LikelihoodKind::gaussian;
    Fixed fixed = Fixed::nothing;
    std::optional<double> depth;
    Vec3 prior;  ///< standard deviation of given positions; 0 along an axis: they tell nothing
    std::optional<double> model_error;
    std::optional<double> error_length;
    double model_error_share = 0;
    double outliers = 0.05;
    double near = 0;
    std::optional<double> far;
    int azimuth_sectors = 0;
    std::optional<double> term_radius;
    std::optional<double> reach;
    int least_picks = 4;
    int search_cells = 500;
    int samples = 0;
    int seed = 1;
    /// None: the whole model. Not in the table below: it is two points.
    std::optional<SearchBox> box;
    /// Not in the table below either: a file may be given instead.
    TermSearch terms = TermSearch::nothing;
    std::optional<DelayTerms> given_terms;  ///< of the survey's stations
    EikonalOptions eikonal;
};

/// Cells that are tried for an event.
inline int tree_cells(const LocateOptions& options) {
    constexpr int more_for_pairs = 10;
    return options.likelihood == LikelihoodKind::edt ? more_for_pairs * options.search_cells
                                                     : options.search_cells;
}

inline bool is_prior(const Vec3& prior) {
    return prior.x >= 0 && prior.y >= 0 && prior.z >= 0 &&
           std::isfinite(prior.x + prior.y + prior.z);
}
inline bool is_outlier_share(const double& share) { return share >= 0 && share <= 0.5; }
inline bool is_reach(const std::optional<double>& reach) { return !reach || *reach > 0; }
inline bool is_sector_count(const int& count) { return count == 0 || (count >= 2 && count <= 36); }
inline bool is_least_picks(const int& count) { return count >= 1 && count <= 1000; }
inline bool is_cell_count(const int& count) { return count >= 100 && count <= 1000000; }
inline bool is_sample_count(const int& count) { return count >= 0 && count <= 1000000; }
inline bool is_seed(const int& seed) { return seed >= 0; }
inline bool is_model_error(const std::optional<double>& error) {
    return !error || is_not_negative(*error);
}

template <>
inline constexpr auto options_of<LocateOptions> = std::tuple{
    Option{"likelihood", &LocateOptions::likelihood,
           "what makes a place likely: Gaussian errors with a share of gross ones, or pairs of "
           "picks that agree on the origin time (equal differential times, as NonLinLoc's "
           "EDT_OT_WT), which many gross errors spoil less"},
    Option{"fixed", &LocateOptions::fixed, "what of the given positions is kept"},
    Option{"depth", &LocateOptions::depth, "keep all events at this depth",
           Rule<std::optional<double>>{}, "found"},
    Option{"prior", &LocateOptions::prior,
           "standard deviation of the given positions along each axis",
           Rule<Vec3>{&is_prior, ">= 0; 0: the given positions tell nothing"},
           "given positions tell nothing"},
    Option{"model_error", &LocateOptions::model_error,
           "standard deviation of computed times, added to the error of each pick",
           Rule<std::optional<double>>{&is_model_error, ">= 0"}, "found from the residuals"},
    Option{"error_length", &LocateOptions::error_length,
           "distance between stations within which computed times are wrong alike; 0: errors are "
           "independent",
           Rule<std::optional<double>>{&is_model_error, ">= 0"},
           "found from the residuals, or 0 with model_error"},
    Option{"model_error_share", &LocateOptions::model_error_share,
           "further standard deviation of computed times, as a share of each", not_negative},
    Option{"outliers", &LocateOptions::outliers, "share of picks that may be grossly wrong",
           Rule<double>{&is_outlier_share, "from 0 to 0.5"}},
    Option{"near", &LocateOptions::near,
           "picks within this distance of the event count fully where far is given", not_negative},
    Option{"far", &LocateOptions::far,
           "picks beyond this distance of the event count for nothing; between near and far they "
           "count by half a wave of a cosine",
           Rule<std::optional<double>>{&is_reach, "> 0"}, "all picks count fully"},
    Option{"azimuth_sectors", &LocateOptions::azimuth_sectors,
           "sectors of azimuth whose picks count alike, however many they are (4: quadrants, as "
           "HYPO71 has); 0: picks count by themselves",
           Rule<int>{&is_sector_count, "0, or from 2 to 36"}},
    Option{"term_radius", &LocateOptions::term_radius,
           "smallest radius of events that share station terms, where terms depend on the place",
           Rule<std::optional<double>>{&is_reach, "> 0"},
           "within which half of the events have ten others"},
    Option{"reach", &LocateOptions::reach,
           "use a station only if all of the search box lies within this horizontal distance of "
           "it, as NonLinLoc does with time grids of that length",
           Rule<std::optional<double>>{&is_reach, "> 0"}, "all stations are used"},
    Option{"least_picks", &LocateOptions::least_picks, "of an event that is located",
           Rule<int>{&is_least_picks, "from 1 to 1000"}},
    Option{
        "search_cells", &LocateOptions::search_cells,
        "of the oct-tree in which the best place is looked for; ten times as many for edt, whose "
        "probability has many peaks",
        Rule<int>{&is_cell_count, "from 100 to 1000000"}},
    Option{"samples", &LocateOptions::samples, "places drawn from the probability of each event",
           Rule<int>{&is_sample_count, "from 0 to 1000000"}},
    Option{"seed", &LocateOptions::seed, "of the samples", Rule<int>{&is_seed, ">= 0"}},
    OptionPart{&LocateOptions::eikonal}};

/// Throws InputError that names the first option that is wrong.
void validate(const LocateOptions& options);

}  // namespace fermat
