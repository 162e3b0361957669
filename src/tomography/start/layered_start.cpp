#include "tomography/start/layered_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/median.hpp"

namespace fermat {
namespace {

/// A start needs no more: every n-th pick, so that large surveys wait for fields alone.
std::vector<LinePick> some_of(const std::vector<LinePick>& picks) {
    constexpr std::size_t most = 5000;
    const std::size_t stride = picks.size() / most + 1;
    std::vector<LinePick> out;
    for (std::size_t n = 0; n < picks.size(); n += stride) out.push_back(picks[n]);
    return out;
}

/// By how much the layer at the ground gets faster down to the refractor, relative to its top.
double growth_of(const DelayTimes& delays) {
    return delays.gradient * median(thicknesses_of(delays).front()) / delays.velocity.front();
}

/// Where both meet the picks alike, the layer is constant.
std::optional<DelayTimes> likelier_of(std::optional<DelayTimes> constant,
                                      std::optional<DelayTimes> gradient) {
    constexpr double alike = 1.03;
    constexpr double grows = 0.5;
    if (!gradient) return constant;
    const bool clear = !constant || constant->misfit > alike * gradient->misfit;
    return clear && growth_of(*gradient) > grows ? gradient : constant;
}

}  // namespace

double LayeredStart::velocity_at(double x, double below_ground) const {
    const double at =
        std::clamp((x - delays.first) / delays.step, 0.0, static_cast<double>(delays.places - 1));
    const auto left = std::min(static_cast<std::size_t>(at), delays.places - 2);
    const double right = at - static_cast<double>(left);
    const double thick = (1 - right) * thickness[left] + right * thickness[left + 1];
    if (below_ground >= thick) return delays.velocity.back();
    return delays.velocity.front() + delays.gradient * std::max(below_ground, 0.0);
}

std::string LayeredStart::description() const {
    const double usual = median(thickness);
    const double top = delays.velocity.front();
    const double bottom = top + delays.gradient * usual;
    return fmt::format("{:.3g}{} over {:.3g} below {:.3g} (median)", top,
                       bottom > top ? fmt::format(" growing to {:.3g}", bottom) : "",
                       delays.velocity.back(), usual);
}

std::optional<LayeredStart> layered_start(const Survey& picks, const SurveyShape& shape) {
    constexpr double sharp = 2;   // rock over the ground, of velocities
    constexpr double jump = 1.3;  // and over the bottom of the layer
    if (!shape.is_2d || !shape.along_surface || hardly_differs(shape)) {
        return std::nullopt;
    }
    const double across = shape.high.x - shape.low.x;
    const double step = std::max(2 * shape.point_distance, across / 40);
    const std::vector<LinePick> line = some_of(line_picks(picks));
    auto found = likelier_of(try_delay_times(line, 2, step, TopLayer::constant),
                             try_delay_times(line, 2, step, TopLayer::gradient));
    if (!found) return std::nullopt;
    std::vector<double> thickness = std::move(thicknesses_of(*found).front());
    const double above = found->velocity.front() + found->gradient * median(thickness);
    const bool jumps = found->velocity.back() > jump * above;
    if (!jumps || found->velocity.back() < sharp * found->velocity.front()) return std::nullopt;
    return LayeredStart{std::move(*found), std::move(thickness)};
}

bool meets(const LayeredStart& layers, double error) {
    constexpr double met = 1.8;  // mean of misses in errors; 0.8 of Gaussian ones
    return layers.delays.misfit <= met * error;
}

double usual_error(const Survey& picks) {
    std::vector<double> errors;
    for (const Arrival& pick : picks.arrivals) errors.push_back(pick.error);
    return median(std::move(errors));
}

std::string layers_sentence(const LayeredStart& layers, double error) {
    return fmt::format(
        "no start model of layers: {}, by delay times, would miss the picks by {:.2g} (mean); with "
        "errors of the picks, as `error={:.2g}`, a run starts from there",
        layers.description(), layers.delays.misfit, error);
}

std::string stalled_sentence(const LayeredStart& layers, double reached, double other) {
    return fmt::format(
        "no start model of layers: {}, by delay times, misses the picks by {:.2g} (mean), but a "
        "run from there stalls at chi2 {:.2g} and one from the gradient comes to {:.2g} "
        "(`layers=2` finds layers alone)",
        layers.description(), layers.delays.misfit, reached, other);
}

std::optional<Model> layered_model(const LayeredStart& layers, const FirstGuess& guess) {
    const Grid& grid = guess.start.grid();
    const std::optional<Surface> ground = ground_of(guess.shape);
    const double deepest = *std::max_element(layers.thickness.begin(), layers.thickness.end());
    constexpr double below = 2;  // cells
    if (guess.shape.high.z + deepest + below * grid.spacing.z > grid.far_corner().z) {
        return std::nullopt;
    }
    const auto given = guess.start.given();
    Field<float> velocity(grid.shape, 0.0F);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Vec3 p = grid.position({i, 0, k});
            if (given(i, 0, k) == 0) continue;
            const double top = ground ? surface_at(*ground, p) : guess.shape.low.z;
            constexpr int parts = 20;
            constexpr double cells = 2;
            double slowness = 0;
            for (int n = 0; n < parts; ++n) {
                const double off = cells * grid.spacing.z * ((n + 0.5) / parts - 0.5);
                slowness += 1 / layers.velocity_at(p.x, p.z + off - top) / parts;
            }
            velocity(i, 0, k) = static_cast<float>(1 / slowness);
        }
    }
    return Model(grid, std::move(velocity));
}

std::string start_sentence(const FirstGuess& guess, const Model& start,
                           const std::optional<LayeredStart>& layers) {
    if (layers) {
        return fmt::format(
            "start model: {}, by delay times, which miss the picks by {:.2g} (mean), and "
            "`regularisation=second` (`regularisation=mixed` starts from a gradient)",
            layers->description(), layers->delays.misfit);
    }
    if (guess.profile) {
        const DepthProfile& profile = *guess.profile;
        return fmt::format(
            "start model: {:.4g} at the ground to {:.4g} at a depth of {:.3g}, by the slopes of "
            "times over distance",
            profile.velocity.front(), profile.velocity.back(), profile.depth.back());
    }
    if (guess.fit.gradient == 0) {
        return fmt::format(
            "start model: {:.4g} everywhere{}, which misses the picks by {:.2g} % "
            "(median)",
            guess.fit.v0, guess.has_ground ? " below the ground, air above it" : "",
            100 * guess.fit.misfit);
    }
    const auto v = start.given();
    return fmt::format(
        "start model: {:.4g} at the {}, growing by {:.4g} per length to {:.4g}{}; the gradient "
        "misses the picks by {:.2g} % (median)",
        guess.fit.v0, guess.has_ground ? "ground" : "top", guess.fit.gradient,
        *std::max_element(v.begin(), v.end()), guess.has_ground ? ", air above it" : "",
        100 * guess.fit.misfit);
}

}  // namespace fermat
