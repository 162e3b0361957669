#include "tomography/gauss_newton/roughness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace fermat {
double least_extent(const Grid& grid) {
    const Vec3 size = grid.extent();
    double least = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] > 1) least = std::min(least, size[axis]);
    }
    return least;
}

Roughness::Roughness(const Unknowns& unknowns, const RoughnessOptions& options)
    : options_(options) {
    if (options_.kind == Regularisation::automatic) options_.kind = Regularisation::second;
    const Grid& grid = unknowns.grid();
    Vec3& lengths = options_.lengths;
    if (grid.is_2d()) lengths.y = lengths.x;
    const double longest = std::max({lengths.x, lengths.y, lengths.z});
    if (lengths.x != lengths.y || lengths.x != lengths.z)
        options_.weights = (1 / longest) * lengths;
    if (!(options_.weights.x > 0)) options_.weights = {1, 1, 1};
    const Vec3 h = grid.spacing;
    const double cell = h.x * h.z * (grid.is_2d() ? 1 : h.y);
    for (int axis = 0; axis < 3; ++axis) {
        const double w = options_.weights[axis] / h[axis];
        factors_[axis] = cell * w * w;
    }
    if (options_.kind == Regularisation::second) {
        const double length = longest > 0 ? longest : least_extent(grid) / 4;
        diagonal_ = cell / (length * length);
    }
    const Shape shape = grid.shape;
    const auto& numbers = unknowns.numbers();
    const std::array<std::int64_t, 3> strides = {std::int64_t{shape.y} * shape.z, shape.z, 1};
    neighbours_.resize(unknowns.size());
    for (std::size_t u = 0; u < neighbours_.size(); ++u) {
        const std::int64_t place = unknowns.places()[u];
        const Index3 node{static_cast<int>(place / strides[0]),
                          static_cast<int>(place / shape.z % shape.y),
                          static_cast<int>(place % shape.z)};
        for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
            const auto at = [&](std::int64_t n) { return numbers[static_cast<std::size_t>(n)]; };
            neighbours_[u].number[2 * axis] = node[axis] > 0 ? at(place - stride) : -1;
            neighbours_[u].number[2 * axis + 1] =
                node[axis] + 1 < shape[axis] ? at(place + stride) : -1;
        }
    }
}

void Roughness::apply_once(std::span<const double> x, std::span<double> out, int threads) const {
    const int team = x.size() < 100000 ? 1 : threads;
    const RoughnessStencil stencil = this->stencil();
    parallel_ranges(
        static_cast<std::int64_t>(x.size()), team, [&](std::int64_t begin, std::int64_t end) {
            for (auto u = static_cast<std::size_t>(begin); u < static_cast<std::size_t>(end); ++u) {
                out[u] = stencil.apply_at(u, x.data());
            }
        });
}

void Roughness::apply(std::span<const double> x, std::span<double> out, int threads) const {
    if (options_.kind != Regularisation::second) return apply_once(x, out, threads);
    std::vector<double> once(x.size());
    apply_once(x, once, threads);
    apply_once(once, out, threads);
}

void Roughness::weigh_alike() {
    weights_.clear();
    mean_weight_ = 1;
}

void Roughness::apply_root(std::span<const double> noise, std::span<double> out) const {
    const std::size_t n = neighbours_.size();
    if (options_.kind == Regularisation::second) return apply_once(noise.first(n), out, 1);
    for (std::size_t u = 0; u < n; ++u) out[u] = std::sqrt(diagonal_) * noise[4 * u + 3];
    for (std::size_t u = 0; u < n; ++u) {
        for (int axis = 0; axis < 3; ++axis) {
            const std::int32_t next = neighbours_[u].number[2 * axis + 1];
            if (next < 0) continue;
            const double jump = std::sqrt(edge_factor(u, 2 * axis + 1)) *
                                noise[4 * u + static_cast<std::size_t>(axis)];
            out[u] -= jump;
            out[static_cast<std::size_t>(next)] += jump;
        }
    }
}

void Roughness::reweight(std::span<const double> model) {
    if (options_.kind != Regularisation::blocky) return;
    weights_.assign(neighbours_.size(), Vec3{1, 1, 1});
    const auto difference = [&](std::size_t u, int axis) {
        const std::int32_t next = neighbours_[u].number[2 * axis + 1];
        if (next < 0) return 0.0;
        return std::sqrt(factors_[axis]) * (model[static_cast<std::size_t>(next)] - model[u]);
    };
    double squares = 0;
    double edges = 0;
    for (std::size_t u = 0; u < neighbours_.size(); ++u) {
        for (int axis = 0; axis < 3; ++axis) {
            if (neighbours_[u].number[2 * axis + 1] < 0) continue;
            const double g = difference(u, axis);
            squares += g * g;
            edges += 1;
        }
    }
    if (!(squares > 0)) return;
    const double level = 0.5 * std::sqrt(squares / edges);
    double sum = 0;
    for (std::size_t u = 0; u < neighbours_.size(); ++u) {
        for (int axis = 0; axis < 3; ++axis) {
            if (neighbours_[u].number[2 * axis + 1] < 0) continue;
            const double g = difference(u, axis) / level;
            weights_[u][axis] = 1 / std::sqrt(1 + g * g);
            sum += weights_[u][axis];
        }
    }
    mean_weight_ = sum / edges;
}

double Roughness::trace() const {
    double sum = 0;
    for (std::size_t u = 0; u < neighbours_.size(); ++u) {
        double diagonal = diagonal_;
        double squares = 0;
        for (int side = 0; side < 6; ++side) {
            if (neighbours_[u].number[side] < 0) continue;
            const double factor = edge_factor(u, side);
            diagonal += factor;
            squares += factor * factor;
        }
        sum += options_.kind == Regularisation::second ? diagonal * diagonal + squares : diagonal;
    }
    return sum;
}

}  // namespace fermat
