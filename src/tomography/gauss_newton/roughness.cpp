#include "tomography/gauss_newton/roughness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace fermat {
namespace {

/// Differences and curvatures count less from here on, in parts of their RMS.
constexpr double part_of_rms = 0.5;
/// Mixed: what is longer than this part of the correlation length is the smooth part's. Truths with
/// edges come out better by longer ones and gradual truths by shorter ones (bench/inversion).
constexpr double part_of_length = 0.25;

template <class Body>
void for_each_unknown(std::size_t count, int threads, Body body) {
    const int team = count < 100000 ? 1 : threads;
    parallel_ranges(static_cast<std::int64_t>(count), team,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t u = begin; u < end; ++u) {
                            body(static_cast<std::size_t>(u));
                        }
                    });
}

}  // namespace

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
    const Grid& grid = unknowns.grid();
    Regularisation& kind = options_.kind;
    const bool too_wide = kind == Regularisation::mixed && !grid.is_2d();
    if (kind == Regularisation::automatic || too_wide) kind = Regularisation::second;
    Vec3& lengths = options_.lengths;
    if (grid.is_2d()) lengths.y = lengths.x;
    const double longest = std::max({lengths.x, lengths.y, lengths.z});
    if (lengths.x != lengths.y || lengths.x != lengths.z)
        options_.weights = (1 / longest) * lengths;
    if (!(options_.weights.x > 0)) options_.weights = {1, 1, 1};
    const Vec3 h = grid.spacing;
    const double cell = h.x * h.z * (grid.is_2d() ? 1 : h.y);
    cell_ = cell;
    for (int axis = 0; axis < 3; ++axis) {
        const double w = options_.weights[axis] / h[axis];
        factors_[axis] = cell * w * w;
    }
    const double length = longest > 0 ? longest : unknowns.sizes().least_side / 4;
    if (kind == Regularisation::mixed) {
        smooth_diagonal_ = cell / (length * length);
        const double divides = part_of_length * length;
        smooth_ = divides * divides / cell;
    }
    if (kind == Regularisation::second) {
        diagonal_ = cell / (length * length);
        bends_ = grid.is_2d() && options_.weights.x == options_.weights.z;
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
    if (unknowns.sizes().vary()) take_sizes(unknowns);
    if (kind == Regularisation::mixed) weigh_alike();
}

void Roughness::take_sizes(const Unknowns& unknowns) {
    const TrueSizes& sizes = unknowns.sizes();
    const double grid_cell = [&] {
        const Vec3 h = unknowns.grid().spacing;
        return h.x * h.z * (unknowns.grid().is_2d() ? 1 : h.y);
    }();
    const auto place = [&](std::size_t u) {
        return static_cast<std::size_t>(unknowns.places()[u]);
    };
    const auto count = static_cast<double>(unknowns.size());
    double cell = 0;
    for (std::size_t u = 0; u < unknowns.size(); ++u) cell += sizes.volumes[place(u)] / count;
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
        volumes_.push_back(sizes.volumes[place(u)] / cell);
    }
    cell_ = cell;
    diagonal_ *= cell / grid_cell;
    smooth_diagonal_ *= cell / grid_cell;
    smooth_ *= grid_cell / cell;
    own_factors_.assign(unknowns.size(), Vec3{1, 1, 1});
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0;
        double edges = 0;
        for (std::size_t u = 0; u < unknowns.size(); ++u) {
            const std::int32_t next = neighbours_[u].number[2 * axis + 1];
            if (next < 0) continue;
            const double both = 0.5 * (volumes_[u] + volumes_[static_cast<std::size_t>(next)]);
            const double w = options_.weights[axis] / sizes.edges[place(u)][axis];
            own_factors_[u][axis] = cell * both * w * w;
            sum += own_factors_[u][axis];
            edges += 1;
        }
        if (!(sum > 0)) continue;
        factors_[axis] = sum / edges;
        for (Vec3& own : own_factors_) own[axis] /= factors_[axis];
    }
    weigh_alike();
}

void Roughness::take_edges(std::span<const Vec3> factors) {
    if (factors.empty()) return;
    if (own_factors_.empty()) own_factors_.assign(neighbours_.size(), Vec3{1, 1, 1});
    for (std::size_t u = 0; u < factors.size(); ++u) {
        for (int axis = 0; axis < 3; ++axis) own_factors_[u][axis] *= factors[u][axis];
    }
    alike_.reset();
    weigh_alike();
}

void Roughness::take_length(double length) { diagonal_ = cell_ / (length * length); }

void Roughness::apply_once(std::span<const double> x, std::span<double> out, int threads) const {
    const RoughnessStencil stencil = this->stencil();
    for_each_unknown(neighbours_.size(), threads,
                     [&](std::size_t u) { out[u] = stencil.apply_at(u, x.data()); });
}

void Roughness::apply(std::span<const double> x, std::span<double> out, int threads) const {
    if (options_.kind == Regularisation::mixed) return apply_once(blocky_part(x), out, threads);
    if (options_.kind != Regularisation::second) return apply_once(x, out, threads);
    const RoughnessStencil stencil = this->stencil();
    std::vector<double> half(neighbours_.size());
    for_each_unknown(half.size(), threads,
                     [&](std::size_t u) { half[u] = stencil.apply_half_at(u, x.data()); });
    apply_once(half, out, threads);
}

void Roughness::weigh_alike() {
    weights_ = own_factors_;
    between_ = volumes_;
    for (double& value : between_) value = 1 / value;
    mean_weight_ = 1;
    if (options_.kind != Regularisation::mixed) return;
    if (!alike_) alike_ = factored_both();
    both_ = alike_;
}

void Roughness::apply_root(std::span<const double> noise, std::span<double> out) const {
    const std::size_t n = neighbours_.size();
    if (options_.kind == Regularisation::second) {
        if (between_.empty()) return apply_once(noise.first(n), out, 1);
        std::vector<double> scaled(n);
        for (std::size_t u = 0; u < n; ++u) scaled[u] = noise[u] * std::sqrt(between_[u]);
        return apply_once(scaled, out, 1);
    }
    const auto volume = [&](std::size_t u) { return volumes_.empty() ? 1 : volumes_[u]; };
    for (std::size_t u = 0; u < n; ++u) {
        out[u] = std::sqrt(diagonal_ * volume(u)) * noise[4 * u + 3];
    }
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
    if (options_.kind == Regularisation::mixed) add_smooth_noise(noise, out);
}

void Roughness::reweight(std::span<const double> model) {
    if (options_.kind == Regularisation::blocky) reweight_edges(model);
    if (options_.kind == Regularisation::mixed) reweight_mixed(model);
    if (bends_) reweight_curvature(model);
}

void Roughness::reweight_curvature(std::span<const double> model) {
    const std::size_t n = neighbours_.size();
    const auto volume = [&](std::size_t u) { return volumes_.empty() ? 1 : volumes_[u]; };
    weigh_alike();
    std::vector<double> curvature(n);
    apply_once(model, curvature, 1);
    double squares = 0;
    for (std::size_t u = 0; u < n; ++u) squares += curvature[u] * curvature[u] / volume(u);
    if (!(squares > 0)) return;
    const double level = part_of_rms * std::sqrt(squares / static_cast<double>(n));
    between_.resize(n);
    double sum = 0;
    for (std::size_t u = 0; u < n; ++u) {
        const double c = curvature[u] / level;
        const double weight = 1 / std::sqrt(std::sqrt(1 + c * c / volume(u)));
        between_[u] = weight / volume(u);
        sum += weight;
    }
    mean_weight_ = sum / static_cast<double>(n);
}

void Roughness::reweight_edges(std::span<const double> model) {
    weights_ = own_factors_;
    weights_.resize(neighbours_.size(), Vec3{1, 1, 1});
    const std::vector<Vec3> alike = weights_;
    const auto difference = [&](std::size_t u, int axis) {
        const std::int32_t next = neighbours_[u].number[2 * axis + 1];
        if (next < 0) return 0.0;
        return std::sqrt(factors_[axis] * alike[u][axis]) *
               (model[static_cast<std::size_t>(next)] - model[u]);
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
    const double level = part_of_rms * std::sqrt(squares / edges);
    double sum = 0;
    for (std::size_t u = 0; u < neighbours_.size(); ++u) {
        for (int axis = 0; axis < 3; ++axis) {
            if (neighbours_[u].number[2 * axis + 1] < 0) continue;
            const double g = difference(u, axis) / level;
            const double weight = 1 / std::sqrt(1 + g * g);
            weights_[u][axis] = alike[u][axis] * weight;
            sum += weight;
        }
    }
    mean_weight_ = sum / edges;
}

double Roughness::trace() const {
    double sum = 0;
    const auto between = [&](std::size_t u) { return between_.empty() ? 1 : between_[u]; };
    for (std::size_t u = 0; u < neighbours_.size(); ++u) {
        double diagonal = stencil().diagonal_at(u);
        double squares = 0;
        for (int side = 0; side < 6; ++side) {
            if (neighbours_[u].number[side] < 0) continue;
            const double factor = edge_factor(u, side);
            diagonal += factor;
            const auto other = static_cast<std::size_t>(neighbours_[u].number[side]);
            squares += factor * factor * between(other);
        }
        sum += options_.kind == Regularisation::second ? diagonal * diagonal * between(u) + squares
                                                       : diagonal;
    }
    return sum;
}

}  // namespace fermat
