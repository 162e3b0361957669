#include "tomography/layers/layer_unknowns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "core/error.hpp"
#include "core/expect.hpp"

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

/// Weights of the coarse points round a place along one axis: of two points between which values
/// are linear, or of four, through which a smooth curve goes (Catmull & Rom 1974). Beyond the ends
/// the curve goes on as it ends.
struct CoarseWeights {
    int node[4] = {};
    double weight[4] = {};
    int count = 1;
};
CoarseWeights coarse_weights(int points, double u, bool smooth) {
    CoarseWeights out;
    out.weight[0] = 1;
    if (points == 1) return out;
    const int low = detail::lower_node(u, points);
    const double t = u - low;
    if (!smooth || points == 2) {
        out.count = 2;
        out.node[0] = low;
        out.node[1] = low + 1;
        out.weight[0] = 1 - t;
        out.weight[1] = t;
        return out;
    }
    const double w[4] = {0.5 * t * (-1 + t * (2 - t)), 1 + 0.5 * t * t * (3 * t - 5),
                         0.5 * t * (1 + t * (4 - 3 * t)), 0.5 * t * t * (t - 1)};
    out.count = 4;
    for (int i = 0; i < 4; ++i) {
        out.node[i] = std::clamp(low - 1 + i, 0, points - 1);
        out.weight[i] = w[i];
    }
    // A point beyond an end is 2 times the end less the one before it.
    if (low == 0) {
        out.weight[1] += 2 * w[0];
        out.weight[2] -= w[0];
        out.weight[0] = 0;
    }
    if (low == points - 2) {
        out.weight[2] += 2 * w[3];
        out.weight[1] -= w[3];
        out.weight[3] = 0;
    }
    return out;
}

/// Calls visit(node, weight) for the points of a block's coarse grid that a place hangs on.
/// Interfaces are smooth between them, so that they do not bend rays at points that are ours alone.
template <class Visit>
void for_each_coarse(const UnknownBlock& block, Vec3 p, Visit visit) {
    const Grid& grid = block.grid;
    const bool smooth = block.of == UnknownBlock::Of::depth;
    CoarseWeights along[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int n = grid.shape[axis];
        along[axis] = coarse_weights(
            n, n == 1 ? 0 : detail::clamped(grid.index_along(axis, p[axis]), n), smooth);
    }
    for (int i = 0; i < along[0].count; ++i) {
        for (int j = 0; j < along[1].count; ++j) {
            for (int k = 0; k < along[2].count; ++k) {
                const double weight = along[0].weight[i] * along[1].weight[j] * along[2].weight[k];
                if (weight == 0) continue;
                visit(grid.shape.offset(along[0].node[i], along[1].node[j], along[2].node[k]),
                      weight);
            }
        }
    }
}

double value_at(const UnknownBlock& block, std::span<const double> x, Vec3 p) {
    double sum = 0;
    for_each_coarse(
        block, p, [&](std::size_t node, double weight) { sum += weight * x[block.first + node]; });
    return block.deviation * sum;
}

/// A point of an interface's lattice in grid coordinates.
Vec3 lattice_point(const LayeredMedium& medium, const Interface& surface, int number) {
    const Lattice& l = surface.lattice();
    const double x = l.x(number / l.ny);
    const double y = medium.grid().is_2d() ? medium.grid().origin.y : l.y(number % l.ny);
    return medium.place().grid_point({x, y, surface.depth()[static_cast<std::size_t>(number)]});
}

/// "P0": P in layer 0.
std::string short_name(int part) { return fmt::format("{}{}", part % 2 ? 'S' : 'P', part / 2); }

constexpr double infinite = std::numeric_limits<double>::infinity();

/// An interface, nowhere below another.
Interface held_above(const Interface& one, const Interface& below) {
    std::vector<double> depth = one.depth();
    const Lattice& l = one.lattice();
    for (std::size_t i = 0; i < depth.size(); ++i) {
        const int at = static_cast<int>(i);
        depth[i] = std::min(depth[i], below.depth_at(l.x(at / l.ny), l.y(at % l.ny)));
    }
    return one.with_depth(std::move(depth));
}

}  // namespace

double chosen_deviation(const LayeredMedium& start) {
    const double top = start.place().corners().low.z;
    double deepest = 0;
    for (const Interface& one : start.interfaces()) {
        for (const double depth : one.depth()) deepest = std::max(deepest, depth - top);
    }
    return deepest / 15;
}

namespace {

const BlockPrior* prior_of(const LayerPrior& prior, const std::string& name) {
    const auto found = std::find_if(prior.blocks.begin(), prior.blocks.end(),
                                    [&](const BlockPrior& one) { return one.of == name; });
    return found == prior.blocks.end() ? nullptr : &*found;
}

/// Throws InputError for what is said of blocks that there are not.
void check_blocks(const LayeredMedium& start, const LayerPrior& prior) {
    for (const BlockPrior& block : prior.blocks) {
        bool known = false;
        const bool of_layer =
            std::none_of(start.interfaces().begin(), start.interfaces().end(),
                         [&](const Interface& one) { return one.id() == block.of; });
        if (prior.coupling > 0 && of_layer && block.length > 0) {
            throw InputError(fmt::format(
                "'{}' has the length {:g} of its own and `coupling` is {:g} (layers that "
                "are coupled share `velocity_length`)",
                block.of, block.length, prior.coupling));
        }
        for (int k = 0; k < start.layer_count(); ++k) {
            known = known || (k > 0 && block.of == start.top_of(k).id()) ||
                    block.of == short_name(2 * k) ||
                    (start.has_s() && block.of == short_name(2 * k + 1));
        }
        if (known) continue;
        throw InputError(
            fmt::format("a deviation is given of '{}' (must be the id of an interface below the "
                        "surface, or a wave and a layer such as P0, the layers being 0 to {})",
                        block.of, start.layer_count() - 1));
    }
}

}  // namespace

LayerUnknowns::LayerUnknowns(const LayeredMedium& start, std::span<const int> parts,
                             std::span<const int> interfaces, const LayerPrior& prior,
                             const UpdateLimits& limits)
    : start_(start), prior_(prior), limits_(limits) {
    check_blocks(start, prior);
    const Grid& grid = start.grid();
    const Vec3 cell = start.place().cell_at_middle();
    Vec3 unit;  // grid coordinates per length
    Vec3 extent;
    for (int axis = 0; axis < 3; ++axis) {
        const int n = grid.shape[axis];
        extent[axis] = n > 1 ? grid.length_along(axis, n - 1) : 1;
        unit[axis] = grid.spacing_along(axis) / cell[axis];
    }
    const auto lengths = [&](Vec3 given, const BlockPrior* own, bool of_depth) {
        Vec3 out;
        for (int axis = 0; axis < 3; ++axis) {
            const bool along_z = axis == 2 && !of_depth;
            const double length = own && own->length > 0 && !along_z ? own->length : given[axis];
            out[axis] = length > 0 ? length * unit[axis] : extent[axis] / (along_z ? 5 : 8);
        }
        return out;
    };
    const double along = prior.interface_length;
    double wider = 1;
    do {
        blocks_.clear();
        size_ = 0;
        for (const int part : parts) {
            const BlockPrior* const own = prior_of(prior, short_name(part));
            const double deviation = own ? own->deviation : prior.velocity;
            if (deviation == 0) continue;
            const Vec3 hang = lengths(prior.velocity_length, own, false);
            add_block({UnknownBlock::Of::velocity, part, coarse_grid(grid, wider * hang, false), 0,
                       deviation, hang});
        }
        for (const int number : interfaces) {
            if (number == 0) continue;
            const BlockPrior* const own = prior_of(prior, start.top_of(number).id());
            const double deviation =
                own ? own->deviation : prior.depth.value_or(chosen_deviation(start));
            if (deviation == 0) continue;
            const Vec3 hang = lengths({along, along, along}, own, true);
            add_block({UnknownBlock::Of::depth, number, coarse_grid(grid, wider * hang, true), 0,
                       deviation, hang});
        }
        wider *= 1.25;
    } while (size_ > static_cast<std::size_t>(prior.most_unknowns));
}

void LayerUnknowns::add_block(UnknownBlock block) {
    block.first = size_;
    size_ += block.size();
    blocks_.push_back(std::move(block));
}

std::string LayerUnknowns::name_of(const UnknownBlock& block) const {
    if (block.of == UnknownBlock::Of::depth) return start_.top_of(block.number).id();
    return fmt::format("{} of layer {}", block.number % 2 ? "S" : "P", block.number / 2);
}

std::pair<double, double> LayerUnknowns::depths_between(const Interface& above, double x,
                                                        double y) const {
    const double low = std::max(above.depth_at(x, y), prior_.min_depth.value_or(-infinite));
    const double high =
        std::min(start_.place().corners().high.z, prior_.max_depth.value_or(infinite));
    return {low, std::max(low, high)};
}

float LayerUnknowns::bounded_velocity(double velocity) const {
    return static_cast<float>(std::clamp(velocity, limits_.min_velocity,
                                         std::max(limits_.min_velocity, limits_.max_velocity)));
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
                const auto [low, high] = depths_between(
                    interfaces[number - 1], lattice.x(at / lattice.ny), lattice.y(at % lattice.ny));
                depth[i] = std::clamp(
                    shape.depth()[i] + value_at(block, x, lattice_point(start_, shape, at)), low,
                    high);
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
                        bounded_velocity(before.velocity()(i, j, k) * std::exp(change));
                }
            }
        }
        Layer& layer = layers[number / 2];
        (number % 2 ? *layer.s : layer.p) = before.with_given(std::move(velocity));
    }
    // An interface that stays must not be crossed by one that moves.
    for (std::size_t k = 1; k < interfaces.size(); ++k) {
        if (block_of_depth(static_cast<int>(k)) || !block_of_depth(static_cast<int>(k) - 1)) {
            continue;
        }
        interfaces[k - 1] = held_above(interfaces[k - 1], interfaces[k]);
    }
    return LayeredMedium(std::move(interfaces), std::move(layers));
}

LayerRow LayerUnknowns::row_of(std::span<const double> x, const LayeredMedium& at,
                               const BranchDerivative& by) const {
    std::map<std::int32_t, double> row;
    const Grid& grid = at.grid();
    const auto nz = static_cast<std::size_t>(grid.shape.z);
    const auto ny = static_cast<std::size_t>(grid.shape.y);
    for (const UnknownBlock& block : blocks_) {
        const bool of_depth = block.of == UnknownBlock::Of::depth;
        const auto& entries = of_depth ? by.depth : by.velocity;
        for (const auto& entry : entries) {
            if (entry.part != block.number) continue;
            double scale = entry.value * block.deviation;
            const auto n = static_cast<std::size_t>(entry.number);
            Vec3 p;
            if (of_depth) {
                const Interface& surface = at.top_of(block.number);
                const int point = static_cast<int>(entry.number);
                p = lattice_point(at, surface, point);
                const Lattice& l = surface.lattice();
                const auto [low, high] = depths_between(at.top_of(block.number - 1),
                                                        l.x(point / l.ny), l.y(point % l.ny));
                const double depth = surface.depth()[n];
                // What a bound holds does not move.
                if (depth <= low || depth >= high) {
                    const double free =
                        start_.top_of(block.number).depth_at(l.x(point / l.ny), l.y(point % l.ny)) +
                        value_at(block, x, p);
                    if (free < low || free > high) continue;
                }
            } else {
                p = grid.position({static_cast<int>(n / nz / ny), static_cast<int>(n / nz % ny),
                                   static_cast<int>(n % nz)});
                const Phase wave = block.number % 2 ? Phase::S : Phase::P;
                const float velocity = at.model(block.number / 2, wave).velocity()[n];
                if (velocity <= limits_.min_velocity || velocity >= limits_.max_velocity) continue;
                scale *= velocity;
            }
            for_each_coarse(block, p, [&](std::size_t node, double weight) {
                row[static_cast<std::int32_t>(block.first + node)] += weight * scale;
            });
        }
    }
    return {row.begin(), row.end()};
}

const UnknownBlock* LayerUnknowns::block_of_depth(int interface) const {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const UnknownBlock& one) {
        return one.of == UnknownBlock::Of::depth && one.number == interface;
    });
    return found == blocks_.end() ? nullptr : &*found;
}

double LayerUnknowns::depth_of(std::span<const double> x, int interface, Vec3 at) const {
    FERMAT_EXPECT(interface >= 0 && interface < start_.layer_count());
    const UnknownBlock* const block = block_of_depth(interface);
    const double depth = start_.top_of(interface).depth_at(at.x, at.y);
    return block ? depth + value_at(*block, x, start_.place().grid_point({at.x, at.y, depth}))
                 : depth;
}

LayerRow LayerUnknowns::depth_row(int interface, Vec3 at) const {
    FERMAT_EXPECT(interface >= 0 && interface < start_.layer_count());
    LayerRow row;
    const UnknownBlock* const block = block_of_depth(interface);
    if (!block) return row;
    const double depth = start_.top_of(interface).depth_at(at.x, at.y);
    for_each_coarse(*block, start_.place().grid_point({at.x, at.y, depth}),
                    [&](std::size_t node, double weight) {
                        row.emplace_back(static_cast<std::int32_t>(block->first + node),
                                         weight * block->deviation);
                    });
    return row;
}

LayerRow LayerUnknowns::velocity_above(const LayeredMedium& at, int interface, double x,
                                       double y) const {
    FERMAT_EXPECT(interface > 0 && interface < at.layer_count());
    const int layer = interface - 1;
    const UnknownBlock* block = block_of_velocity(2 * layer);
    if (!block) block = block_of_velocity(2 * layer + 1);
    const double top = at.top_of(layer).depth_at(x, y);
    const double bottom = at.top_of(interface).depth_at(x, y);
    if (!block || !(bottom > top)) return {};
    std::map<std::int32_t, double> row;
    constexpr int samples = 32;
    for (int k = 0; k < samples; ++k) {
        const double z = top + (k + 0.5) / samples * (bottom - top);
        for_each_coarse(*block, at.place().grid_point({x, y, z}),
                        [&](std::size_t node, double weight) {
                            row[static_cast<std::int32_t>(block->first + node)] +=
                                weight * block->deviation / samples;
                        });
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

const UnknownBlock* LayerUnknowns::block_of_velocity(int part) const {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const UnknownBlock& one) {
        return one.of == UnknownBlock::Of::velocity && one.number == part;
    });
    return found == blocks_.end() ? nullptr : &*found;
}

/// Changes of one wave in layers one below the other have the correlation c^n across n interfaces.
/// The inverse of that matrix is tridiagonal: each neighbour adds c^2 / (1 - c^2) to the diagonal,
/// 1 without any, and has -c / (1 - c^2) beside it.
std::vector<double> LayerUnknowns::apply(std::span<const double> x) const {
    std::vector<double> once(x.size());
    std::vector<double> out(x.size());
    for (const UnknownBlock& block : blocks_) {
        const auto part = [&](auto& v) { return std::span(v).subspan(block.first, block.size()); };
        operator_of(block, x.subspan(block.first, block.size()), part(once));
        operator_of(block, part(once), part(out));
    }
    const double c = prior_.coupling;
    if (c == 0) return out;
    const std::vector<double> alone = out;
    for (const UnknownBlock& block : blocks_) {
        if (block.of == UnknownBlock::Of::depth) continue;
        for (const int side : {-2, 2}) {
            const UnknownBlock* const other = block_of_velocity(block.number + side);
            if (!other) continue;
            for (std::size_t u = 0; u < block.size(); ++u) {
                out[block.first + u] +=
                    c / (1 - c * c) * (c * alone[block.first + u] - alone[other->first + u]);
            }
        }
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
