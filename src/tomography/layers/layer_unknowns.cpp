#include "tomography/layers/layer_unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace fermat {
namespace {

/// A coarse grid over the model with about `wanted` points per correlation length.
Grid coarse_grid(const Grid& grid, Vec3 lengths, bool of_depth) {
    constexpr double per_length = 2.5;
    Grid out = grid;
    for (int axis = 0; axis < 3; ++axis) {
        const int n = grid.shape[axis];
        int points = 1;
        if (n > 1 && !(of_depth && axis == 2)) {
            const double extent = grid.length_along(axis, n - 1);
            points = std::clamp(
                static_cast<int>(std::lround(per_length * extent / lengths[axis])) + 1, 2, n);
            out.spacing[axis] = extent / (points - 1);
        }
        (axis == 0 ? out.shape.x : axis == 1 ? out.shape.y : out.shape.z) = points;
    }
    return out;
}

/// Calls visit(node, weight) for the corners of a point's cell on a coarse grid, which may have one
/// node along an axis.
template <class Visit>
void for_each_coarse(const Grid& grid, Vec3 p, Visit visit) {
    int low[3];
    double part[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int n = grid.shape[axis];
        const double u = n == 1 ? 0 : detail::clamped(grid.index_along(axis, p[axis]), n);
        low[axis] = detail::lower_node(u, n);
        part[axis] = n == 1 ? 0 : u - low[axis];
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            for (int k = 0; k < 2; ++k) {
                const double weight = (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]) *
                                      (k ? part[2] : 1 - part[2]);
                if (weight == 0) continue;
                visit(grid.shape.offset(low[0] + i, low[1] + j, low[2] + k), weight);
            }
        }
    }
}

double value_at(const UnknownBlock& block, std::span<const double> x, Vec3 p) {
    double sum = 0;
    for_each_coarse(block.grid, p, [&](std::size_t node, double weight) {
        sum += weight * x[block.first + node];
    });
    return block.deviation * sum;
}

/// A point of an interface's lattice in grid coordinates.
Vec3 lattice_point(const LayeredMedium& medium, const Interface& surface, int number) {
    const Lattice& l = surface.lattice();
    const double x = l.x(number / l.ny);
    const double y = medium.grid().is_2d() ? medium.grid().origin.y : l.y(number % l.ny);
    return medium.place().grid_point({x, y, surface.depth()[static_cast<std::size_t>(number)]});
}

}  // namespace

LayerUnknowns::LayerUnknowns(const LayeredMedium& start, std::span<const int> parts,
                             std::span<const int> interfaces, const LayerPrior& prior)
    : start_(start) {
    const Grid& grid = start.grid();
    const Vec3 cell = start.place().cell_at_middle();
    Vec3 lengths;
    Vec3 along;
    for (int axis = 0; axis < 3; ++axis) {
        const int n = grid.shape[axis];
        const double extent = n > 1 ? grid.length_along(axis, n - 1) : 1;
        const double unit = grid.spacing_along(axis) / cell[axis];  // grid coordinates per length
        const double given = prior.velocity_length[axis] * unit;
        lengths[axis] = given > 0 ? given : extent / (axis == 2 ? 5 : 8);
        along[axis] = prior.interface_length > 0 ? prior.interface_length * unit : extent / 8;
    }
    double wider = 1;
    do {
        blocks_.clear();
        size_ = 0;
        for (const int part : parts) {
            if (prior.velocity == 0) break;
            add_block({UnknownBlock::Of::velocity, part, coarse_grid(grid, wider * lengths, false),
                       0, prior.velocity, lengths});
        }
        for (const int number : interfaces) {
            if (prior.depth == 0 || number == 0) continue;
            add_block({UnknownBlock::Of::depth, number, coarse_grid(grid, wider * along, true), 0,
                       prior.depth, along});
        }
        wider *= 1.25;
    } while (size_ > static_cast<std::size_t>(prior.most_unknowns));
}

void LayerUnknowns::add_block(UnknownBlock block) {
    block.first = size_;
    size_ += block.size();
    blocks_.push_back(std::move(block));
}

LayeredMedium LayerUnknowns::medium_of(std::span<const double> x) const {
    std::vector<Layer> layers = start_.layers();
    std::vector<Interface> interfaces = start_.interfaces();
    const Grid& grid = start_.grid();
    for (const UnknownBlock& block : blocks_) {
        const auto number = static_cast<std::size_t>(block.number);
        if (block.of == UnknownBlock::Of::depth) {
            const Interface& surface = start_.interfaces()[number];
            // A flat interface gets the columns of the grid, so that it can bend.
            const bool flat = surface.lattice().count() == 1;
            const Lattice lattice = flat ? columns_of(start_.place()) : surface.lattice();
            std::vector<double> depth(static_cast<std::size_t>(lattice.count()));
            const Interface shape(
                surface.id(), lattice,
                flat ? std::vector<double>(depth.size(), surface.depth()[0]) : surface.depth(),
                surface.shape());
            for (std::size_t i = 0; i < depth.size(); ++i) {
                const int at = static_cast<int>(i);
                depth[i] = shape.depth()[i] + value_at(block, x, lattice_point(start_, shape, at));
                // Interfaces may touch, and never cross.
                const double above = interfaces[number - 1].depth_at(lattice.x(at / lattice.ny),
                                                                     lattice.y(at % lattice.ny));
                depth[i] = std::clamp(depth[i], above, start_.place().corners().high.z);
            }
            interfaces[number] = shape.with_depth(std::move(depth));
            continue;
        }
        const Model& before =
            start_.model(block.number / 2, block.number % 2 ? Phase::S : Phase::P);
        Field<float> velocity(grid.shape);
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < grid.shape.z; ++k) {
                    const double change = value_at(block, x, grid.position({i, j, k}));
                    velocity(i, j, k) =
                        static_cast<float>(before.velocity()(i, j, k) * std::exp(change));
                }
            }
        }
        Layer& layer = layers[number / 2];
        (number % 2 ? *layer.s : layer.p) = before.with_given(std::move(velocity));
    }
    return LayeredMedium(std::move(interfaces), std::move(layers));
}

std::vector<std::pair<std::int32_t, double>> LayerUnknowns::row_of(
    const LayeredMedium& at, const BranchDerivative& by) const {
    std::map<std::int32_t, double> row;
    const Grid& grid = at.grid();
    for (const UnknownBlock& block : blocks_) {
        const bool of_depth = block.of == UnknownBlock::Of::depth;
        const auto& entries = of_depth ? by.depth : by.velocity;
        for (const auto& entry : entries) {
            if (entry.part != block.number) continue;
            double scale = entry.value * block.deviation;
            Vec3 p;
            if (of_depth) {
                p = lattice_point(at, at.top_of(block.number), static_cast<int>(entry.number));
            } else {
                const auto n = static_cast<std::size_t>(entry.number);
                const auto nz = static_cast<std::size_t>(grid.shape.z);
                const auto ny = static_cast<std::size_t>(grid.shape.y);
                p = grid.position({static_cast<int>(n / nz / ny), static_cast<int>(n / nz % ny),
                                   static_cast<int>(n % nz)});
                scale *= at.model(block.number / 2, block.number % 2 ? Phase::S : Phase::P)
                             .velocity()[n];
            }
            for_each_coarse(block.grid, p, [&](std::size_t node, double weight) {
                row[static_cast<std::int32_t>(block.first + node)] += weight * scale;
            });
        }
    }
    return {row.begin(), row.end()};
}

/// K = c (1 - l^2 laplace), with c such that changes of the covariance R^-1 = K^-2 have deviation
/// 1: the integral of (c (1 + l^2 k^2))^-2 over all wave numbers is 1 (Whittle-Matern).
void LayerUnknowns::operator_of(const UnknownBlock& block, std::span<const double> x,
                                std::span<double> out) const {
    const Shape s = block.grid.shape;
    double measure = 1;
    int dimensions = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (s[axis] == 1) continue;
        ++dimensions;
        measure *= block.grid.spacing_along(axis) / block.lengths[axis];
    }
    constexpr double pi = std::numbers::pi;
    const double density = dimensions == 1 ? 4 : dimensions == 2 ? 4 * pi : 8 * pi;
    const double c = std::sqrt(measure / density);
    const auto value = [&](int i, int j, int k) { return x[s.offset(i, j, k)]; };
    for (int i = 0; i < s.x; ++i) {
        for (int j = 0; j < s.y; ++j) {
            for (int k = 0; k < s.z; ++k) {
                const double here = value(i, j, k);
                double sum = here;
                for (int axis = 0; axis < 3; ++axis) {
                    if (s[axis] == 1) continue;
                    const double ratio = block.lengths[axis] / block.grid.spacing_along(axis);
                    for (const int side : {-1, 1}) {
                        int n[3] = {i, j, k};
                        n[axis] += side;
                        if (n[axis] < 0 || n[axis] >= s[axis]) continue;
                        sum += ratio * ratio * (here - value(n[0], n[1], n[2]));
                    }
                }
                out[s.offset(i, j, k)] = c * sum;
            }
        }
    }
}

std::vector<double> LayerUnknowns::apply(std::span<const double> x) const {
    std::vector<double> once(x.size());
    std::vector<double> out(x.size());
    for (const UnknownBlock& block : blocks_) {
        const auto part = [&](auto& v) { return std::span(v).subspan(block.first, block.size()); };
        operator_of(block, x.subspan(block.first, block.size()), part(once));
        operator_of(block, part(once), part(out));
    }
    return out;
}

double LayerUnknowns::roughness_of(std::span<const double> x) const {
    const std::vector<double> r = apply(x);
    double sum = 0;
    for (std::size_t u = 0; u < x.size(); ++u) sum += x[u] * r[u];
    return sum;
}

void LayerUnknowns::add_prior(std::vector<double>& matrix, double weight) const {
    std::vector<double> unit(size_, 0.0);
    for (std::size_t column = 0; column < size_; ++column) {
        unit[column] = 1;
        const std::vector<double> r = apply(unit);
        unit[column] = 0;
        for (std::size_t row = 0; row < size_; ++row)
            matrix[row * size_ + column] += weight * r[row];
    }
}

}  // namespace fermat
