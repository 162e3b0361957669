#include "tomography/start/set_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "survey/mapped_points.hpp"
#include "survey/settle.hpp"
#include "tomography/gauss_newton/cross_validation.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/true_sizes.hpp"
#include "tomography/joint/difference_rows.hpp"
#include "tomography/joint/first_places.hpp"
#include "tomography/joint/invert_joint.hpp"
#include "tomography/joint/joint_setup.hpp"
#include "tomography/start/far_events.hpp"
#include "tomography/start/first_guess.hpp"
#include "tomography/start/layered_start.hpp"
#include "tomography/start/pick_checks.hpp"
#include "tomography/start/set_up_picks.hpp"
#include "tomography/start/survey_points.hpp"

namespace fermat {
namespace {

std::string numbers(const Grid& grid, Vec3 v) {
    return grid.is_2d() ? fmt::format("{:g},{:g}", v.x, v.z)
                        : fmt::format("{:g},{:g},{:g}", v.x, v.y, v.z);
}

/// Rounded to three digits, down or up: a bound that people can read.
double rounded(double value, bool up) {
    const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
    return (up ? std::ceil(value / unit) : std::floor(value / unit)) * unit;
}

/// Shortest side of a model below a surface, but for that across a crooked line: depth, if not the
/// line itself.
double least_depth(const Model& model) {
    if (!model.is_plain()) return least_extent(model);
    const Grid& grid = model.grid();
    const Vec3 size = grid.extent();
    return std::min(size.z, grid.is_2d() ? size.x : std::max(size.x, size.y));
}

/// Whether the start model may have layers: one velocity, and a regularisation that is chosen too.
bool may_have_layers(const Survey& picks, const InversionOptions& options) {
    const GaussNewtonOptions& own = options.gauss_newton;
    const bool gauss_newton =
        options.method == InversionMethod::gauss_newton ||
        (options.method == InversionMethod::automatic && options.schedule.empty());
    return gauss_newton && own.roughness.kind == Regularisation::automatic && !own.reference &&
           own.terms == Terms::none && !is_joint(picks, options);
}

class SetUp {
  public:
    SetUp(InversionSetup& setup, const SurveyShape& shape, const RepeatedPaths& both_ways)
        : setup_(setup), shape_(shape), both_ways_(both_ways) {}

    void describe_guess(const FirstGuess& guess, const std::optional<LayeredStart>& layers) {
        const Grid& grid = setup_.start.grid();
        const std::size_t holes = guess.shape.ground.buried;
        choose(fmt::format("`spacing={:g}` `depth={:.3g}`: {} nodes from ({}), {} survey{}",
                           grid.spacing.x, grid.far_corner().z - guess.shape.high.z,
                           to_string(grid.shape), numbers(grid, grid.origin),
                           guess.shape.along_surface ? "a surface" : "not a surface",
                           holes > 0 ? fmt::format(", {} points below the ground", holes) : ""));
        choose(start_sentence(guess, setup_.start.first(), layers));
    }

    void choose_method() {
        InversionOptions& options = setup_.options;
        if (options.method != InversionMethod::automatic) return;
        const bool boxes = !options.schedule.empty();
        options.method = boxes ? InversionMethod::hole : InversionMethod::gauss_newton;
        if (!boxes) choose(fmt::format("`method={}`", name_of(options.method)));
    }

    /// What Hole's loop needs, where it is given neither a schedule nor a step: large steps (most
    /// of a step is smoothed away), and no box below what the points resolve.
    void choose_boxes() {
        InversionOptions& options = setup_.options;
        const bool boxes = options.method == InversionMethod::hole && options.schedule.empty();
        constexpr double good_step = 1.9;
        options.update.step = options.step.value_or(boxes ? good_step : 1);
        if (!boxes) return;
        const double least = 2 * shape_.point_distance;
        constexpr int iterations = 6;
        options.schedule = default_schedule(setup_.start.grid(), iterations, least);
        choose(
            fmt::format("`step={:g}`, {} stages of {} iterations: boxes from half of the model "
                        "down to {:.3g}, twice the points' distance (`schedule` gives others)",
                        options.update.step, options.schedule.size(), iterations, least));
        if (!setup_.picks.has_errors || options.target_chi2 > 0 || options.target_rms > 0) return;
        options.target_chi2 = 1;
        choose("`target_chi2=1`: the picks have errors");
    }

    void choose_axis_weights() {
        RoughnessOptions& roughness = setup_.options.gauss_newton.roughness;
        // Below a surface, rays run along x and less is known of depth: longer lengths, less weight
        // of changes with depth.
        const bool damped =
            roughness.kind != Regularisation::first && roughness.kind != Regularisation::blocky;
        const double length = rounded(least_depth(setup_.start.first()) / 2, true);
        const bool differ = roughness.lengths.x != roughness.lengths.z;
        // Between boreholes picks do not see what differs across alone: top and bottom hold it.
        constexpr double firm = 1.4;
        if (shape_.crosses && damped && !roughness.end_damping) {
            roughness.end_damping = firm;
            choose(fmt::format("`end_damping={:g}`", firm));
        }
        if (shape_.along_surface && roughness.lengths == Vec3{} && damped) {
            // As the same numbers from a flag, so that the run has the same name.
            roughness.lengths = {length, setup_.start.grid().is_2d() ? 1 : length, length};
            choose(fmt::format("`correlation_length={:g}`", length));
        }
        if (roughness.weights.x > 0 || differ) return;
        roughness.weights = {1, 1, shape_.along_surface ? 0.5 : 1};
        choose(fmt::format("`axis_weights={}`", numbers(setup_.start.grid(), roughness.weights)));
    }

    /// `layers`: the start model has rock and ground as they are.
    void choose_bounds(bool layers) {
        UpdateLimits& limits = setup_.options.update;
        const bool low = limits.min_velocity > 0;
        const bool high = std::isfinite(limits.max_velocity);
        if (low && high) return;
        // Times of events that are not yet in place say little about velocity.
        const bool moves = setup_.options.joint.relocate != Relocate::none;
        double slowest = moves ? std::numeric_limits<double>::infinity() : shape_.slowest;
        double fastest = moves ? 0 : shape_.fastest;
        for (const float v : setup_.start.first().given()) {
            if (v == 0) continue;
            slowest = std::min(slowest, static_cast<double>(v));
            fastest = std::max(fastest, static_cast<double>(v));
        }
        if (!low) limits.min_velocity = rounded(slowest / (layers ? 2 : 3), false);
        if (!high) limits.max_velocity = rounded(fastest * (layers ? 1.5 : 3), true);
        choose(fmt::format("`min_velocity={:g}` `max_velocity={:g}`", limits.min_velocity,
                           limits.max_velocity));
    }

    /// Of runs that find more than one velocity: cross-validation knows these alone.
    void settle_joint() {
        InversionOptions& options = setup_.options;
        const Survey& picks = setup_.picks;
        if (!picks.has_errors && !(options.target_rms > 0) && !(options.gauss_newton.lambda > 0)) {
            throw InputError(
                "the picks have no errors, in a run of P and S or of events that move (give "
                "`error` "
                "or `target_rms`: cross-validation does not move events)");
        }
        Regularisation& kind = options.gauss_newton.roughness.kind;
        if (kind == Regularisation::automatic) {
            kind = Regularisation::second;
            choose(fmt::format("`regularisation={}`", name_of(kind)));
        }
        std::vector<std::string> unknowns;
        const Velocities found = options.joint.velocities;
        const bool two = phases_of(picks).size() == 2;
        if (found == Velocities::both || found == Velocities::p) {
            unknowns.emplace_back(two ? "Vp" : "velocity");
        }
        if (two && (found == Velocities::both || found == Velocities::s)) {
            unknowns.emplace_back("Vp/Vs");
        }
        const std::size_t events = used_points(picks).events;
        if (options.joint.relocate == Relocate::all) {
            unknowns.push_back(fmt::format("places and origin times of {} events", events));
        } else if (options.joint.relocate == Relocate::times) {
            unknowns.push_back(fmt::format("origin times of {} events", events));
        }
        if (options.gauss_newton.terms == Terms::receiver) {
            unknowns.push_back(fmt::format("terms of {} stations", used_points(picks).stations));
        }
        choose(fmt::format("unknowns: {}", fmt::join(unknowns, "; ")));
        if (picks.differences.empty()) return;
        const DifferenceRows rows(picks, picks.differences, options.joint.weighting, 1);
        choose(rows.description());
        if (auto said = say_origin_mismatch(picks)) setup_.warnings.push_back(std::move(*said));
    }

    void place_events(const Execution& execution) {
        JointOptions& joint = setup_.options.joint;
        const Medium medium = joint_medium(setup_.start, joint, setup_.picks);
        FirstPlaces found = first_places(medium, setup_.picks, joint, execution);
        joint.first_shift = std::move(found.shift);
        if (found.choice) choose(std::move(*found.choice));
        if (found.warning) setup_.warnings.push_back(std::move(*found.warning));
    }

    /// Below a line along a surface no score tells layers from gradual ground: picks left out are
    /// met alike by models of both (bench/inversion, truths of both kinds). There the model has a
    /// part of each, and nothing is compared.
    /// A reference model is what a change is smooth from.
    bool is_line() const {
        return shape_.along_surface && setup_.start.grid().is_2d() &&
               !setup_.options.gauss_newton.reference;
    }

    /// The kind of regularisation, and how well picks without errors can be explained.
    void validate_by_folds(const Execution& execution) {
        InversionOptions& options = setup_.options;
        Regularisation& kind = options.gauss_newton.roughness.kind;
        const bool open = kind == Regularisation::automatic;
        const bool kept = options.gauss_newton.lambda > 0;
        const bool no_errors = !setup_.picks.has_errors && !(options.target_rms > 0) && !kept;
        constexpr std::size_t least_picks = 12;  // a third of them is left out
        const bool few = setup_.picks.arrivals.size() < least_picks;
        if (no_errors && few) {
            throw InputError(fmt::format(
                "the picks have no errors, and {} are too few for cross-validation (at least {}; "
                "give their error, or a target RMS)",
                setup_.picks.arrivals.size(), least_picks));
        }
        const bool line = is_line();
        const bool edges = line && !hardly_differs(shape_);
        const Regularisation likely = edges ? Regularisation::mixed : Regularisation::second;
        std::vector<Regularisation> kinds{open ? likely : kind};
        const bool test =
            open && !kept && !few && is_cheap_to_validate(setup_.start.first(), setup_.picks);
        const bool compare = test && !line;
        if (compare) kinds = {Regularisation::second, Regularisation::blocky};
        std::vector<CrossValidation> found;
        if (no_errors || test) {
            found = cross_validate(setup_.start.first(), setup_.picks, options, kinds, execution);
        }
        // Where both are alike, smooth invents no edges. Between boreholes curvature lets velocity
        // drift across, which no pick sees: neither is preferred in 2-D, where strong bends count
        // less (see Roughness), and blocky in 3-D.
        const double between = setup_.start.grid().is_2d() ? 1 : 1.03;
        const double alike = shape_.along_surface ? 0.8 : 0.97;
        const double clearly = shape_.crosses ? between : alike;
        const bool tested = compare && found[0].folds > 0 && found[1].folds > 0;
        const bool blocky = tested && found[1].held_out < clearly * found[0].held_out;
        kind = kinds[blocky ? 1 : 0];
        if (open) {
            choose(fmt::format(
                "`regularisation={}`{}", name_of(kind),
                tested  ? fmt::format(": {}-fold cross-validation misses picks left "
                                       "out by {:.3g} with second and by {:.3g} with "
                                       "blocky",
                                      found[0].folds, found[0].held_out, found[1].held_out)
                : edges ? ", a smooth part and one with edges"
                : line  ? ", smooth: velocities along the ground hardly differ"
                        : ""));
        }
        if (no_errors) {
            take_target(found[blocky ? 1 : 0]);
        } else if (test && !(options.target_chi2 > 0) && !(options.target_rms > 0)) {
            judge_errors(found[blocky ? 1 : 0], execution);
        }
    }

    /// Of picks whose errors contradict their own times. What picks left out miss is noise and what
    /// the others do not say of the ground: it raises no target unless all picks together stall.
    void judge_errors(CrossValidation found, const Execution& execution) {
        constexpr double too_far = 3;  // chi2: below, less smoothing may still explain the picks
        constexpr double better = 0.8;
        if (found.chi2 > too_far) {
            found = with_own_unknowns(found, setup_.start.first(), setup_.picks, setup_.options,
                                      execution);
            if (found.chi2 > too_far && found.stalled) {
                raise_target(found);
            } else {
                warn_of_unpredicted(found);
            }
        } else if (found.rougher > 0 && found.rougher < better * found.held_out) {
            setup_.warnings.push_back(fmt::format(
                "the picks' errors seem too large: a model that explains them to their errors "
                "misses picks left out by {:.3g}, with a ninth of the smoothing it would by {:.3g} "
                "(see `error`, or give a `target_chi2` below 1)",
                found.held_out, found.rougher));
        }
    }

    void raise_target(const CrossValidation& found) {
        setup_.options.target_chi2 = found.chi2;
        choose(fmt::format(
            "`target_chi2={:.3g}`: no model explains the picks to their errors; {}-fold "
            "cross-validation says how well they can be explained (picks left out are met to "
            "{:.3g})",
            found.chi2, found.folds, found.held_out));
        setup_.warnings.push_back(fmt::format(
            "the picks' errors seem {:.2g} times too small (the picks contradict each other or "
            "the model is too coarse: see `error` and `spacing`; `target_chi2=1` insists)",
            std::sqrt(found.chi2)));
    }

    void warn_of_unpredicted(const CrossValidation& found) {
        constexpr double far = 1.5;
        if (found.held_out < far * found.rms) return;
        setup_.warnings.push_back(fmt::format(
            "picks left out of {}-fold cross-validation are missed by {:.3g}, far more than their "
            "errors (the picks are too few to predict each other, or their errors too small: see "
            "`error`; the target stays chi2 1, `target_chi2` gives another)",
            found.folds, found.held_out));
    }

    void take_target(const CrossValidation& found) {
        setup_.options.target_rms = found.rms;
        if (found.folds == 0) {
            choose(fmt::format(
                "`target_rms={:.3g}`, a five-hundredth of the median time: the picks have no "
                "errors, and no step improves on the start model",
                found.rms));
            return;
        }
        // Picks of one path differ by noise alone: no model should explain them any better.
        constexpr std::size_t enough = 10;
        if (both_ways_.pairs >= enough && both_ways_.error > found.rms) {
            setup_.options.target_rms = both_ways_.error;
            choose(fmt::format(
                "`target_rms={:.3g}`: the picks have no errors, and {} paths that were picked both "
                "ways differ as picks of that error would (cross-validation could explain them to "
                "{:.3g})",
                both_ways_.error, both_ways_.pairs, found.rms));
            return;
        }
        choose(fmt::format(
            "`target_rms={:.3g}`: the picks have no errors, so {}-fold cross-validation says how "
            "well they can be explained (picks left out are met to {:.3g}{})",
            found.rms, found.folds, found.held_out,
            both_ways_.pairs < enough
                ? ""
                : fmt::format("; {} paths that were picked both ways differ as errors of {:.3g} "
                              "would",
                              both_ways_.pairs, both_ways_.error)));
    }

    /// Without errors a target RMS stands for them, and a kept smoothing may go with it.
    void refuse_contradictions() const {
        const InversionOptions& options = setup_.options;
        const bool target =
            options.target_chi2 > 0 || (options.target_rms > 0 && setup_.picks.has_errors);
        if (!(options.gauss_newton.lambda > 0) || !target) return;
        throw InputError(fmt::format(
            "smoothing is kept at {} and a target is given (one of them decides: leave the other "
            "out)",
            options.gauss_newton.lambda));
    }

    void compare_units() {
        auto said = say_units(setup_.start.first(), shape_.typical);
        if (said) setup_.warnings.push_back(std::move(*said));
    }

  private:
    void choose(std::string sentence) { setup_.choices.push_back(std::move(sentence)); }

    InversionSetup& setup_;
    const SurveyShape& shape_;
    RepeatedPaths both_ways_;
};

/// What is known of a survey before anything is chosen.
struct Known {
    Survey travelling;  ///< of P alone where there is P, times from the origins of events
    SurveyShape shape;
    std::optional<FirstGuess> first;  ///< where no start model is given
    bool buried = false;              ///< earthquakes that move
};

/// Everything chosen, from a start model that is given or the guessed one.
InversionSetup settled(const Known& known, Medium start, Survey picks, InversionOptions options,
                       const std::optional<LayeredStart>& layers, const Execution& execution) {
    const auto& [travelling, shape, first, buried] = known;
    const auto far = first ? say_far_events(far_events(travelling), travelling) : std::nullopt;
    InversionSetup setup{
        std::move(start), std::move(picks), std::move(options), first.has_value(), {}, {}};
    require_points_inside(setup.start.first(), setup.picks);
    if (auto said = points_in_air(setup.start.first(), setup.picks))
        setup.warnings.push_back(*said);
    if (auto said = zero_times(setup.picks)) setup.warnings.push_back(*said);
    if (far) setup.warnings.push_back(*far);
    if (setup.options.gauss_newton.terms != Terms::common) {
        const auto said = shape.along_surface ? common_delay(travelling)
                          : shape.crosses     ? delay_between_boreholes(travelling)
                                              : std::nullopt;
        if (said) setup.warnings.push_back(*said);
    }
    for (std::string& said : doubts_before(travelling, shape)) {
        setup.warnings.push_back(std::move(said));
    }
    SetUp choices(setup, shape, reciprocal_pairs(travelling, shape.point_distance));
    if (first) choices.describe_guess(*first, layers);
    if (layers) setup.options.gauss_newton.roughness.kind = Regularisation::second;
    if (first && !first->shape.is_2d && !buried) {
        if (auto said = points_on_line(setup.picks)) setup.warnings.push_back(*said);
    }
    choices.choose_method();
    choices.compare_units();
    choices.choose_boxes();
    if (setup.options.method == InversionMethod::gauss_newton) {
        choices.refuse_contradictions();
        choices.choose_axis_weights();
        choices.choose_bounds(layers.has_value());
        validate(setup.options, setup.picks, setup.start);
        if (is_joint(setup.picks, setup.options)) {
            choices.settle_joint();
            choices.place_events(execution);
        } else {
            choices.validate_by_folds(execution);
        }
    } else if (setup.options.method == InversionMethod::adjoint) {
        choices.choose_axis_weights();
        choices.choose_bounds(layers.has_value());
    }
    return setup;
}

double reached_chi2(const InversionSetup& setup, double enough, const Execution& execution) {
    return reached_chi2(setup.start.first(), setup.picks, setup.options, enough, execution);
}

double target_of(const InversionOptions& options) {
    return options.target_chi2 > 0 ? options.target_chi2 : 1;
}

/// Of a line without a start model: from a layer over rock, where delay times tell one to the
/// errors of the picks and a run from it comes as near to them as one from the gradient does.
/// Picks without errors start from the gradient, since a run from a sharp layer hangs more on the
/// last bits of their times; a layer that they tell is said.
InversionSetup settled_line(const Known& known, const Survey& picks,
                            const InversionOptions& options, const Execution& execution) {
    const auto settled_from = [&](const Model& start, const InversionOptions& own,
                                  const std::optional<LayeredStart>& layers) {
        return settled(known, Medium(start.copy()), picks, own, layers, execution);
    };
    const auto from_gradient = [&] {
        return settled_from(known.first->start, options, std::nullopt);
    };
    const auto layers = layered_start(known.travelling, known.first->shape);
    const auto model = layers ? layered_model(*layers, *known.first) : std::nullopt;
    if (!model || (picks.has_errors && !meets(*layers, usual_error(picks)))) return from_gradient();
    if (!picks.has_errors) {
        InversionSetup gradual = from_gradient();
        const double error = gradual.options.target_rms;
        if (meets(*layers, error)) gradual.choices.push_back(layers_sentence(*layers, error));
        return gradual;
    }
    InversionOptions own = options;
    InversionSetup setup = settled_from(*model, own, layers);
    const bool kept = options.gauss_newton.lambda > 0;
    if (!kept && is_cheap_to_validate(*model, picks)) {
        constexpr double far = 1.3;
        const double enough = far * target_of(own);
        const double reached = reached_chi2(setup, enough, execution);
        if (reached > enough) {
            InversionSetup gradual = from_gradient();
            own.target_chi2 = gradual.options.target_chi2;
            const double other = reached_chi2(gradual, target_of(own), execution);
            if (reached > far * std::max(other, target_of(own))) {
                gradual.choices.push_back(stalled_sentence(*layers, reached, other));
                return gradual;
            }
            setup = settled_from(*model, own, layers);
            take_targets(setup, std::move(gradual));
        }
    }
    return setup;
}

}  // namespace

InversionSetup set_up_inversion(std::optional<Medium> start, Survey picks, InversionOptions options,
                                const GuessOptions& guess, const std::optional<PickErrors>& errors,
                                const Execution& execution) {
    if (picks.arrivals.empty()) throw InputError("there is no pick (at least one is needed)");
    resolve_threads(execution.threads);
    if (errors) give_pick_errors(picks, *errors);
    // Distances are compared with times, and need lengths.
    Known known;
    known.travelling = travel_times(start ? in_lengths(picks, start->first()) : picks);
    known.shape = survey_shape(known.travelling);
    // Few earthquakes below few stations could pass for points on a ground.
    known.buried = is_joint(picks, options) && options.joint.relocate == Relocate::all;
    if (known.buried) known.shape.along_surface = false;
    if (start) {
        return settled(known, std::move(*start), std::move(picks), std::move(options), std::nullopt,
                       execution);
    }
    known.first.emplace(first_guess(known.travelling, guess, known.buried));
    if (known.first->shape.is_2d) picks.is_2d = true;
    if (may_have_layers(picks, options)) return settled_line(known, picks, options, execution);
    Medium guessed(known.first->start.copy());
    return settled(known, std::move(guessed), std::move(picks), std::move(options), std::nullopt,
                   execution);
}

}  // namespace fermat
