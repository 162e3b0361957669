#include "tomography/start/set_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "tomography/gauss_newton/cross_validation.hpp"

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

class SetUp {
  public:
    SetUp(InversionSetup& setup, const SurveyShape& shape) : setup_(setup), shape_(shape) {}

    void describe_guess(const FirstGuess& guess) {
        const Grid& grid = setup_.start.grid();
        choose(fmt::format("--spacing {:g} --depth {:.3g}: {} nodes from ({}), {} survey",
                           grid.spacing.x, grid.far_corner().z - guess.shape.high.z,
                           to_string(grid.shape), numbers(grid, grid.origin),
                           guess.shape.along_surface ? "a surface" : "not a surface"));
        choose(fmt::format(
            "start model: {:.4g} at the {}, growing by {:.4g} per length{}; it misses the picks by "
            "{:.2g} % (median)",
            guess.fit.v0, guess.has_ground ? "ground" : "top", guess.fit.gradient,
            guess.has_ground ? ", air above the points" : "", 100 * guess.fit.misfit));
    }

    void choose_method() {
        InversionOptions& options = setup_.options;
        if (options.method != InversionMethod::automatic) return;
        const bool boxes = !options.schedule.empty();
        options.method = boxes ? InversionMethod::hole : InversionMethod::gauss_newton;
        if (!boxes) choose(fmt::format("--method {}", name_of(options.method)));
    }

    void choose_roughness() {
        RoughnessOptions& roughness = setup_.options.gauss_newton.roughness;
        if (roughness.kind == Regularisation::automatic) {
            roughness.kind = Regularisation::second;
            choose(fmt::format("--regularisation {}", name_of(roughness.kind)));
        }
        if (roughness.weights.x > 0) return;
        roughness.weights = {1, 1, shape_.along_surface ? 0.5 : 1};
        choose(fmt::format("--axis-weights {}", numbers(setup_.start.grid(), roughness.weights)));
    }

    void choose_bounds() {
        UpdateLimits& limits = setup_.options.update;
        const bool low = limits.min_velocity > 0;
        const bool high = std::isfinite(limits.max_velocity);
        if (low && high) return;
        double slowest = shape_.slowest;
        double fastest = shape_.fastest;
        for (const float v : setup_.start.given()) {
            if (v == 0) continue;
            slowest = std::min(slowest, static_cast<double>(v));
            fastest = std::max(fastest, static_cast<double>(v));
        }
        constexpr double reach = 3;
        if (!low) limits.min_velocity = rounded(slowest / reach, false);
        if (!high) limits.max_velocity = rounded(fastest * reach, true);
        choose(fmt::format("--min-velocity {:g} --max-velocity {:g}", limits.min_velocity,
                           limits.max_velocity));
    }

    void give_errors(const std::optional<PickErrors>& errors) {
        Picks& picks = setup_.picks;
        if (!errors) return;
        for (Pick& pick : picks.picks) pick.error = errors->absolute + errors->relative * pick.time;
        picks.has_errors = true;
    }

    void find_errors(const Execution& execution) {
        const InversionOptions& options = setup_.options;
        if (setup_.picks.has_errors || options.target_rms > 0) return;
        if (options.gauss_newton.lambda > 0) return;
        constexpr std::size_t least_picks = 12;  // a third of them is left out
        if (setup_.picks.picks.size() < least_picks) {
            throw InputError(fmt::format(
                "the picks have no errors, and {} are too few for cross-validation (at least {}; "
                "give their error, or a target RMS)",
                setup_.picks.picks.size(), least_picks));
        }
        const CrossValidation found =
            cross_validate(setup_.start, setup_.picks, setup_.options, execution);
        setup_.options.target_rms = found.rms;
        choose(fmt::format(
            "--target-rms {:.3g}: the picks have no errors, so {}-fold cross-validation says how "
            "well they can be explained (picks left out are met to {:.3g})",
            found.rms, found.folds, found.held_out_rms));
    }

    void compare_units() {
        std::vector<double> velocity;
        for (const float v : setup_.start.given()) {
            if (v > 0) velocity.push_back(v);
        }
        const auto middle = velocity.begin() + static_cast<std::ptrdiff_t>(velocity.size() / 2);
        std::nth_element(velocity.begin(), middle, velocity.end());
        const double ratio = *middle / shape_.typical;
        constexpr double order = 10;
        if (ratio < order && ratio > 1 / order) return;
        setup_.warnings.push_back(fmt::format(
            "the start model's velocities (median {:.4g}) and the picks' (distance over time, "
            "median {:.4g}) differ by a factor of {:.3g} (are lengths, times and velocities in "
            "units that belong together?)",
            *middle, shape_.typical, std::max(ratio, 1 / ratio)));
    }

  private:
    void choose(std::string sentence) { setup_.choices.push_back(std::move(sentence)); }

    InversionSetup& setup_;
    const SurveyShape& shape_;
};

}  // namespace

InversionSetup set_up_inversion(std::optional<Model> start, Picks picks, InversionOptions options,
                                const GuessOptions& guess, const std::optional<PickErrors>& errors,
                                const Execution& execution) {
    if (picks.picks.empty()) throw InputError("there is no pick (at least one is needed)");
    const SurveyShape shape = survey_shape(picks);
    std::optional<FirstGuess> first;
    if (!start) {
        first.emplace(first_guess(picks, guess));
        if (first->shape.is_2d) picks.is_2d = true;
    }
    InversionSetup setup{first ? first->start.copy() : std::move(*start),
                         std::move(picks),
                         std::move(options),
                         first.has_value(),
                         {},
                         {}};
    SetUp choices(setup, shape);
    if (first) choices.describe_guess(*first);
    choices.choose_method();
    choices.compare_units();
    choices.give_errors(errors);
    if (setup.options.method == InversionMethod::gauss_newton) {
        choices.choose_roughness();
        choices.choose_bounds();
        validate(setup.options, setup.picks, setup.start);
        choices.find_errors(execution);
    }
    return setup;
}

}  // namespace fermat
