// How well layers and interfaces are known, and what of it is a trade-off between depth and
// velocity.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tomography/layers/layer_problem.hpp"
#include "tomography/trust/dense_inverse.hpp"

namespace fermat {
namespace {

/// A depth whose error is held against that of the mean velocity above it.
struct DepthProbe {
    std::size_t unknown = 0;
    LayerRow above;         ///< the mean velocity of the layer above, by its unknowns
    double covariance = 0;  ///< of both
    double variance = 0;    ///< of the mean velocity
};

double product(const LayerRow& row, std::span<const double> columns, std::size_t count,
               std::size_t column) {
    double sum = 0;
    for (const auto& [n, weight] : row) {
        sum += weight * columns[static_cast<std::size_t>(n) * count + column];
    }
    return sum;
}

/// One per unknown of a depth below a layer whose velocity is unknown too.
std::vector<DepthProbe> probes_of(const LayerUnknowns& unknowns, const LayeredMedium& medium) {
    std::vector<DepthProbe> out;
    const Mapping& mapping = medium.place().mapping();
    for (const UnknownBlock& block : unknowns.blocks()) {
        if (block.of != UnknownBlock::Of::depth) continue;
        const Shape s = block.grid.shape;
        for (int i = 0; i < s.x; ++i) {
            for (int j = 0; j < s.y; ++j) {
                const Vec3 at = mapping.to_user(block.grid.position({i, j, 0}));
                LayerRow above = unknowns.velocity_above(medium, block.number, at.x, at.y);
                if (above.empty()) continue;
                out.push_back({block.first + s.offset(i, j, 0), std::move(above)});
            }
        }
    }
    return out;
}

}  // namespace

/// With M = A^T A + lambda R the covariance of the unknowns is M^-1, and their resolution
/// M^-1 A^T A = I - lambda M^-1 R.
std::vector<LayerDeviation> LayerProblem::deviations(std::span<const double> x, double lambda) {
    const std::size_t n = unknowns_.size();
    if (n == 0) return {};
    renew_events(x, 0);
    Vector matrix = normal_matrix();
    unknowns_.add_prior(matrix, lambda);
    const DenseInverse inverse(std::move(matrix), n, threads_);
    Vector variance(n);
    Vector resolution(n);
    std::vector<DepthProbe> probes = probes_of(unknowns_, medium_);
    // The probes that each column of the covariance has a part in.
    std::vector<std::vector<std::pair<DepthProbe*, double>>> parts(n);
    std::vector<DepthProbe*> probe_at(n, nullptr);
    for (DepthProbe& probe : probes) {
        probe_at[probe.unknown] = &probe;
        for (const auto& [of, weight] : probe.above) {
            parts[static_cast<std::size_t>(of)].emplace_back(&probe, weight);
        }
    }
    constexpr std::size_t lot = 64;
    Vector columns(n * lot);
    Vector own(n);
    for (std::size_t first = 0; first < n; first += lot) {
        const std::size_t count = std::min(lot, n - first);
        const auto some = std::span(columns).first(n * count);
        inverse.columns(first, count, some);
        for (std::size_t c = 0; c < count; ++c) {
            const std::size_t u = first + c;
            for (std::size_t row = 0; row < n; ++row) own[row] = some[row * count + c];
            variance[u] = own[u];
            resolution[u] = 1 - lambda * unknowns_.apply(own)[u];
            if (DepthProbe* const probe = probe_at[u]) {
                probe->covariance = product(probe->above, some, count, c);
            }
            for (const auto& [probe, weight] : parts[u]) {
                probe->variance += weight * product(probe->above, some, count, c);
            }
        }
    }
    std::vector<LayerDeviation> out;
    const Mapping& mapping = start_.place().mapping();
    for (const UnknownBlock& block : unknowns_.blocks()) {
        const bool of_depth = block.of == UnknownBlock::Of::depth;
        LayerDeviation found;
        found.of = unknowns_.name_of(block);
        found.is_depth = of_depth;
        found.prior = block.deviation;
        const Shape s = block.grid.shape;
        for (int i = 0; i < s.x; ++i) {
            for (int j = 0; j < s.y; ++j) {
                for (int k = 0; k < s.z; ++k) {
                    const std::size_t u = block.first + s.offset(i, j, k);
                    Vec3 at = mapping.to_user(block.grid.position({i, j, k}));
                    if (of_depth) at.z = medium_.top_of(block.number).depth_at(at.x, at.y);
                    found.points.push_back(at);
                    found.change.push_back(block.deviation * x[u]);
                    found.deviation.push_back(block.deviation * std::sqrt(variance[u]));
                    found.resolution.push_back(resolution[u]);
                    const DepthProbe* const probe = probe_at[u];
                    found.trade_off.push_back(probe ? probe->covariance /
                                                          std::sqrt(probe->variance * variance[u])
                                                    : std::numeric_limits<double>::quiet_NaN());
                }
            }
        }
        out.push_back(std::move(found));
    }
    return out;
}

}  // namespace fermat
