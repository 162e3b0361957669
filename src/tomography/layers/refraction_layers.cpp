#include "tomography/layers/refraction_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/median.hpp"
#include "tomography/layers/delay_times.hpp"
#include "tomography/start/survey_shape.hpp"

namespace fermat {
namespace {

/// Two digits: a number that people would choose.
double two_digits_up(double h) {
    const double unit = std::pow(10, std::floor(std::log10(h)) - 1);
    return std::ceil(h / unit - 1e-9) * unit;
}

/// Depth of the ground along a line.
class Ground {
  public:
    explicit Ground(const SurveyShape& shape) : surface_(ground_of(shape)), level_(shape.low.z) {}

    bool is_level() const { return !surface_; }
    double at(double x) const { return surface_ ? surface_->at(x) : level_; }

  private:
    std::optional<Surface> surface_;
    double level_;
};

/// The ground at the columns of a grid. Where straight lines between columns cut off points of the
/// survey, it is higher, so that all lie on it or below.
Interface surface_over(const Survey& survey, const Ground& ground, const Lattice& columns) {
    if (ground.is_level()) return Interface::flat("surface", ground.at(columns.x0));
    std::vector<double> depth;
    for (int i = 0; i < columns.nx; ++i) depth.push_back(ground.at(columns.x(i)));
    const auto lift = [&](const Vec3& p) {
        const double at = std::clamp((p.x - columns.x0) / columns.dx, 0.0, columns.nx - 1.0);
        const auto left = std::min(static_cast<std::size_t>(at), depth.size() - 2);
        const double right = at - static_cast<double>(left);
        const double here = (1 - right) * depth[left] + right * depth[left + 1];
        if (here <= p.z) return;
        depth[left] -= here - p.z;
        depth[left + 1] -= here - p.z;
    };
    for (const Event& event : survey.events) lift(event.position);
    for (const Station& station : survey.stations) lift(station.position);
    return Interface("surface", columns, std::move(depth), InterfaceShape::linear);
}

/// A grid round all points, from above the ground to below the deepest interface.
Grid grid_for(const SurveyShape& shape, double deepest, const GuessOptions& options) {
    const double across = shape.high.x - shape.low.x;
    const double margin = 0.03 * across;
    const double deep = options.depth > 0 ? options.depth : 1.5 * deepest + 0.02 * across;
    const double h = options.spacing > 0
                         ? options.spacing
                         : two_digits_up(std::min(shape.point_distance / 2, across / 100));
    Grid grid;
    grid.spacing = {h, h, h};
    const auto cells = [&](double length) {
        return static_cast<int>(std::ceil(length / h - 1e-9));
    };
    const int left = cells(margin);
    const int above = shape.high.z > shape.low.z ? 1 : 0;
    grid.origin = {shape.low.x - left * h, shape.low.y, shape.low.z - above * h};
    grid.shape = {left + cells(across + margin) + 1, 1,
                  above + cells(shape.high.z - shape.low.z + deep) + 1};
    validate(grid);
    return grid;
}

/// A layer that grows by a hundredth over its usual thickness: waves turn in it, as in those that
/// an inversion finds, and do not only run along its top.
Model nearly_constant_layer(const Grid& grid, double velocity, double top, double thickness) {
    constexpr double growth = 0.01;
    Field<float> out(grid.shape);
    for (int k = 0; k < grid.shape.z; ++k) {
        const double below = (grid.position({0, 0, k}).z - top) / thickness;
        const auto v = static_cast<float>(velocity * std::max(1 + growth * below, 0.5));
        for (int i = 0; i < grid.shape.x; ++i) out(i, 0, k) = v;
    }
    return Model(grid, std::move(out));
}

void require_line(const Survey& picks, int layers) {
    if (layers < 2 || layers > most_refraction_layers) {
        throw InputError(
            fmt::format("`layers` is {} (must be 2 to {})", layers, most_refraction_layers));
    }
    if (!picks.is_2d) {
        throw InputError(
            "`layers` is given and the picks have y (layers of first arrivals are found along a "
            "line: give picks of x and z)");
    }
}

}  // namespace

RefractionLayers refraction_layers(const Survey& picks, int layers, const GuessOptions& options) {
    require_line(picks, layers);
    const SurveyShape shape = survey_shape(picks);
    if (!shape.along_surface) {
        throw InputError(
            "`layers` is given and the points are not along the ground (layers of first arrivals "
            "are found below a line: leave it out)");
    }
    const auto count = static_cast<std::size_t>(layers);
    const double across = shape.high.x - shape.low.x;
    const double step = std::max(2 * shape.point_distance, across / 40);
    const DelayTimes delays = find_delay_times(line_picks(picks), count, step);
    const auto thickness = thicknesses_of(delays);

    const Ground ground(shape);
    std::vector<std::vector<double>> below(count - 1);  // depths below the ground
    double deepest = 0;
    for (std::size_t k = 0; k + 1 < count; ++k) {
        for (std::size_t at = 0; at < delays.places; ++at) {
            below[k].push_back(thickness[k][at] + (k > 0 ? below[k - 1][at] : 0));
            deepest = std::max(deepest, below[k].back());
        }
    }
    const Grid grid = grid_for(shape, deepest, options);
    std::vector<Layer> made;
    double top = 0.5 * (shape.low.z + shape.high.z);
    for (std::size_t k = 0; k < count; ++k) {
        const double usual = k + 1 < count ? median(thickness[k]) : deepest;
        made.push_back({nearly_constant_layer(grid, delays.velocity[k], top, usual)});
        top += usual;
    }
    const Lattice columns = columns_of(made.front().p.place());
    const double bottom = grid.far_corner().z;
    std::vector<Interface> interfaces{surface_over(picks, ground, columns)};
    std::vector<BlockPrior> blocks;
    std::string list = fmt::format("{:.3g} at the ground", delays.velocity.front());
    for (std::size_t k = 0; k + 1 < count; ++k) {
        std::vector<double> depth;
        for (int i = 0; i < columns.nx; ++i) {
            const double x = columns.x(i);
            const double at = std::clamp((x - delays.first) / delays.step, 0.0,
                                         static_cast<double>(delays.places - 1));
            const auto left = std::min(static_cast<std::size_t>(at), delays.places - 2);
            const double right = at - static_cast<double>(left);
            const double deep = (1 - right) * below[k][left] + right * below[k][left + 1];
            const double highest = interfaces.back().depth_at(x, 0);
            depth.push_back(std::clamp(ground.at(x) + deep, highest, std::max(highest, bottom)));
        }
        const std::string id = fmt::format("{}", k + 1);
        interfaces.emplace_back(id, columns, std::move(depth));
        const double usual = median(below[k]);
        constexpr double uncertain = 0.3;
        blocks.push_back({id, uncertain * usual, std::max(3 * shape.point_distance, across / 16)});
        list += fmt::format(", {:.3g} below '{}', which is {:.3g} below the ground (median)",
                            delays.velocity[k + 1], id, usual);
    }
    std::vector<std::string> choices;
    choices.push_back(fmt::format(
        "start layers from delay times (`model` gives others): {}; they miss the picks by {:.2g} "
        "(mean)",
        list, delays.misfit));
    choices.push_back(fmt::format("`spacing={:g}` `depth={:.3g}`: {} nodes from ({:g}, {:g})",
                                  grid.spacing.x, bottom - shape.high.z, to_string(grid.shape),
                                  grid.origin.x, grid.origin.z));
    return {LayeredMedium(std::move(interfaces), std::move(made)), std::move(blocks), 2 * across,
            std::move(choices)};
}

}  // namespace fermat
