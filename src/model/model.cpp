#include "model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/corner_weight.hpp"
#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "model/metric.hpp"
#include "model/velocity_check.hpp"

namespace fermat {

Model::Model(Grid grid, FieldView<const float> velocity, std::shared_ptr<const void> owner)
    : place_(grid), velocity_(velocity), owner_(std::move(owner)) {
    validate(grid);
    if (velocity_.shape() != grid.shape) {
        throw InputError(fmt::format("velocity has shape {} (must be {} nodes, as the grid)",
                                     to_string(velocity_.shape()), to_string(grid.shape)));
    }
    const VelocityCheck check = check_velocity(velocity_);
    require_velocity(grid.shape, check);
    has_air_ = check.has_air;
    gather_into_huge_pages(velocity_.data(), velocity_.size() * sizeof(float));
}

Model::Model(Grid grid, const std::shared_ptr<const Field<float>>& velocity)
    : Model(grid, velocity->view(), velocity) {}

Model::Model(Grid grid, Field<float> velocity)
    : Model(grid, std::make_shared<const Field<float>>(std::move(velocity))) {}

Model Model::of_cells(Grid grid, FieldView<const float> velocity,
                      std::shared_ptr<const void> owner) {
    validate(grid);
    require_cell_velocity(grid, velocity);
    Model model(grid, node_velocity(grid, velocity));
    struct OwnedCells {
        std::shared_ptr<const void> owner;
        CellMedium medium;
    };
    const auto cells = std::make_shared<const OwnedCells>(
        OwnedCells{std::move(owner), {velocity, find_jumps(grid, velocity)}});
    model.cells_ = {cells, &cells->medium};
    model.has_air_ = check_velocity(velocity).has_air;
    return model;
}

Model Model::of_cells(Grid grid, Field<float> velocity) {
    const auto owner = std::make_shared<const Field<float>>(std::move(velocity));
    return of_cells(grid, owner->view(), owner);
}

Model Model::with_given(Field<float> velocity) const {
    if (cells_) return of_cells(grid(), std::move(velocity));
    Model model(grid(), std::move(velocity));
    model.place_ = place_;
    model.metric_ = metric_;
    return model;
}

Model Model::with_metric(std::shared_ptr<const Metric> metric) const {
    require_nodes(*this, metric ? metric->name() : "it");
    Model model = *this;
    model.place_ = metric ? Place(grid(), metric->shared_mapping()) : Place(grid());
    model.metric_ = std::move(metric);
    return model;
}

const AnisotropyValues& Model::anisotropy() const {
    static const AnisotropyValues none;
    return is_plain() ? none : metric_->anisotropy();
}

bool Model::is_isotropic() const { return is_plain() || metric_->isotropic(); }

bool Model::has_thomsen() const { return !is_plain() && metric_->has_thomsen(); }

std::string Model::medium_name() const {
    return is_plain() ? "isotropic velocity" : metric_->name();
}

Model Model::copy() const {
    Field<float> values(given().shape());
    std::copy(given().begin(), given().end(), values.begin());
    return with_given(std::move(values));
}

void require_nodes(const Model& model, std::string_view what) {
    if (model.cells()) {
        throw InputError(
            fmt::format("{} reads velocity on nodes, and this model has it in cells (put it on "
                        "nodes: `to_nodes`)",
                        what));
    }
}

void require_plain(const Model& model, std::string_view what) {
    if (model.is_plain()) return;
    throw InputError(fmt::format(
        "{} knows isotropic velocity on a Cartesian grid only, and this model has {} (times by "
        "solver 'fim', rays by tracer 'descent', and inversion by 'gauss-newton' know it)",
        what, model.medium_name()));
}

Vec3 require_rock(const Model& model, Vec3 user, const std::string& what) {
    const Vec3 point = model.place().inside(user, what);
    if (!in_air(model, point)) return point;
    throw InputError(fmt::format("{} at {} is in air (move it below the surface)", what,
                                 to_string(model.grid(), user)));
}

Model as_nodes(const Model& model) {
    if (!model.cells()) return model.copy();
    Field<float> values(model.grid().shape);
    std::copy(model.velocity().begin(), model.velocity().end(), values.begin());
    return Model(model.grid(), std::move(values));
}

CellsView<> Model::jumping_cells() const {
    if (!cells_ || cells_->jumps.empty()) return {};
    return {cells_->velocity, cells_->jumps.view()};
}

double slowness_at(const Model& model, Vec3 point) {
    const CellsView<> cells = model.jumping_cells();
    if (cells.exist() && cells.jump_round(locate(model.grid(), point).cell)) {
        const double v = cells.velocity(cells.fastest_touched(model.grid(), point));
        return v > 0 ? 1 / v : std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    double weights = 0;
    for_each_corner(model.grid(), point, [&](Index3 node, double weight) {
        const double v = model.velocity()(node);
        if (weight > 0 && v > 0) {
            sum += weight / v;
            weights += weight;
        }
    });
    return weights > least_corner_weight ? sum / weights : std::numeric_limits<double>::infinity();
}

bool in_air(const Model& model, Vec3 point) { return std::isinf(slowness_at(model, point)); }

}  // namespace fermat
