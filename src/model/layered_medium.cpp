#include "model/layered_medium.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/expect.hpp"

namespace fermat {
namespace {

/// How far below an interface, in cells, a point still lies on it.
constexpr double on_interface = 1e-6;

void check_model(const Model& model, const Model& first, std::size_t layer) {
    const auto refuse = [&](std::string_view why) {
        throw InputError(fmt::format("layer {} {}", layer, why));
    };
    if (model.grid() != first.grid() || model.coordinates() != first.coordinates()) {
        refuse("has another grid than layer 0 (all layers must share one)");
    }
    if (model.cells() != nullptr) refuse("has velocity in cells (give it on the nodes)");
    if (!model.is_isotropic()) refuse("is anisotropic (layers must be isotropic)");
    if (model.has_air()) {
        refuse("has nodes of velocity 0 (outside the layer, continue the velocity inside it)");
    }
    if (!model.coordinates().jumps.empty()) {
        refuse("has jumps of its own (make each jump an interface)");
    }
}

/// Throws where `lower` is above `upper` at a point of the lattice of either.
void check_order(const Interface& upper, const Interface& lower, const Lattice& columns,
                 double slack) {
    const auto check = [&](const Lattice& at) {
        for (int i = 0; i < at.nx; ++i) {
            for (int j = 0; j < at.ny; ++j) {
                const double a = upper.depth_at(at.x(i), at.y(j));
                const double b = lower.depth_at(at.x(i), at.y(j));
                if (b >= a - slack) continue;
                throw InputError(fmt::format(
                    "interface '{}' (depth {:g}) is above '{}' (depth {:g}) at x = {:g}, y = {:g} "
                    "(interfaces may touch, never cross)",
                    lower.id(), b, upper.id(), a, at.x(i), at.y(j)));
            }
        }
    };
    check(columns);
    check(upper.lattice());
    check(lower.lattice());
}

}  // namespace

LayeredMedium::LayeredMedium(std::vector<Interface> interfaces, std::vector<Layer> layers)
    : interfaces_(std::move(interfaces)), layers_(std::move(layers)) {
    if (layers_.empty()) throw InputError("a layered medium has no layer");
    if (interfaces_.size() != layers_.size()) {
        throw InputError(
            fmt::format("{} layers have {} interfaces (must be one on top of each, the "
                        "surface first)",
                        layers_.size(), interfaces_.size()));
    }
    const Model& first = layers_.front().p;
    for (std::size_t k = 0; k < layers_.size(); ++k) {
        check_model(layers_[k].p, first, k);
        if (layers_[k].s) check_model(*layers_[k].s, first, k);
    }
    const Lattice columns = columns_of(place());
    const double slack = on_interface * grid().spacing.z;
    for (std::size_t k = 1; k < interfaces_.size(); ++k) {
        for (std::size_t other = 0; other < k; ++other) {
            if (interfaces_[other].id() == interfaces_[k].id()) {
                throw InputError(
                    fmt::format("two interfaces are called '{}'", interfaces_[k].id()));
            }
        }
        check_order(interfaces_[k - 1], interfaces_[k], columns, slack);
        const double bottom = place().corners().high.z;
        for (const double z : interfaces_[k].depth()) {
            if (z > bottom) {
                throw InputError(fmt::format(
                    "interface '{}' has depth {:g}, below the model (which ends at {:g})",
                    interfaces_[k].id(), z, bottom));
            }
        }
    }
}

bool LayeredMedium::has_s() const {
    for (const Layer& layer : layers_) {
        if (!layer.s) return false;
    }
    return true;
}

std::span<const Phase> LayeredMedium::phases_of(int layer) const {
    const bool both = layers_[static_cast<std::size_t>(layer)].s.has_value();
    return std::span(all_phases).first(both ? 2 : 1);
}

const Model& LayeredMedium::model(int layer, Phase wave) const {
    FERMAT_EXPECT(layer >= 0 && layer < layer_count());
    const Layer& of = layers_[static_cast<std::size_t>(layer)];
    if (wave == Phase::P) return of.p;
    if (!of.s) {
        throw InputError(
            fmt::format("layer {} below '{}' has no velocity of S (give one per layer)", layer,
                        top_of(layer).id()));
    }
    return *of.s;
}

int LayeredMedium::interface_of(std::string_view id) const {
    std::string ids;
    for (std::size_t k = 0; k < interfaces_.size(); ++k) {
        if (interfaces_[k].id() == id) return static_cast<int>(k);
        ids += (ids.empty() ? "" : ", ") + interfaces_[k].id();
    }
    throw InputError(fmt::format("no interface is called '{}' (there are {})", id, ids));
}

int LayeredMedium::layer_of(Vec3 user, const std::string& what) const {
    place().inside(user, what);
    const double slack = on_interface * grid().spacing.z;
    for (int k = layer_count() - 1; k >= 0; --k) {
        if (user.z >= top_of(k).depth_at(user.x, user.y) - slack) return k;
    }
    throw InputError(fmt::format("{} at {} is above the surface (depth {:g} there)", what,
                                 to_string(grid(), user), top_of(0).depth_at(user.x, user.y)));
}

double LayeredMedium::bottom_of(int layer, double x, double y) const {
    FERMAT_EXPECT(layer >= 0);
    if (layer + 1 >= layer_count()) return std::numeric_limits<double>::infinity();
    return top_of(layer + 1).depth_at(x, y);
}

Field<float> LayeredMedium::layer_numbers() const {
    const Shape shape = grid().shape;
    Field<float> numbers(shape);
    const Mapping& mapping = place().mapping();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            int layer = 0;
            for (int k = 0; k < shape.z; ++k) {
                const Vec3 user = mapping.to_user(grid().position({i, j, k}));
                while (layer + 1 < layer_count() &&
                       user.z >= top_of(layer + 1).depth_at(user.x, user.y)) {
                    ++layer;
                }
                numbers(i, j, k) = static_cast<float>(layer);
            }
        }
    }
    return numbers;
}

Model LayeredMedium::merged(Phase wave) const {
    Field<float> velocity = layer_numbers();
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        velocity[n] = model(static_cast<int>(velocity[n]), wave).velocity()[n];
    }
    return layers_.front().p.with_given(std::move(velocity));
}

Medium LayeredMedium::merged() const {
    return has_s() ? Medium(merged(Phase::P), merged(Phase::S)) : Medium(merged(Phase::P));
}

}  // namespace fermat
