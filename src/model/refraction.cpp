#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "model/analytic.hpp"

namespace fermat {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_offset(double offset) {
    if (!(offset >= 0) || !std::isfinite(offset)) {
        throw InputError(fmt::format("offset is {} (must be finite and >= 0)", offset));
    }
}

void validate(const TwoLayers& layers, double depth) {
    if (!(layers.v1 > 0) || !(layers.v2 > 0) || !std::isfinite(layers.v1) ||
        !std::isfinite(layers.v2)) {
        throw InputError(
            fmt::format("velocities of the two layers are {} and {} (must be finite "
                        "and > 0)",
                        layers.v1, layers.v2));
    }
    if (!(layers.thickness >= 0) || !std::isfinite(layers.thickness)) {
        throw InputError(
            fmt::format("thickness is {} (must be finite and >= 0)", layers.thickness));
    }
    if (!(depth >= 0) || !(depth <= layers.thickness)) {
        throw InputError(
            fmt::format("source depth is {} (must lie in the upper layer, from 0 to {})", depth,
                        layers.thickness));
    }
}

/// Cosine of the angle whose sine is slow / fast, accurate also where the two are close.
double cosine(double slow, double fast) { return std::sqrt((fast - slow) * (fast + slow)) / fast; }

double head_time(std::span<const DepthVelocity> layers, std::size_t layer, double offset) {
    const double v = layers[layer].velocity;
    double delay = 0;
    double critical = 0;
    for (std::size_t i = 0; i < layer; ++i) {
        const double vi = layers[i].velocity;
        if (vi >= v) return infinity;
        const double path = 2 * (layers[i + 1].depth - layers[i].depth);
        delay += path * cosine(vi, v) / vi;
        critical += path * (vi / v) / cosine(vi, v);
    }
    return offset >= critical ? offset / v + delay : infinity;
}

}  // namespace

double TwoLayers::critical_angle() const {
    validate(*this, 0);
    return v2 > v1 ? std::asin(v1 / v2) : std::numeric_limits<double>::quiet_NaN();
}

double TwoLayers::critical_distance(double depth) const {
    validate(*this, depth);
    return v2 > v1 ? (2 * thickness - depth) * (v1 / v2) / cosine(v1, v2) : infinity;
}

double TwoLayers::crossover_distance(double depth) const {
    validate(*this, depth);
    if (v2 <= v1) return infinity;
    const double h = 2 * thickness - depth;
    return (h * (v1 / v2) + std::sqrt((h - depth) * (h + depth))) / cosine(v1, v2);
}

double TwoLayers::direct_time(double offset, double depth) const {
    validate(*this, depth);
    require_offset(offset);
    return std::hypot(offset, depth) / v1;
}

double TwoLayers::head_time(double offset, double depth) const {
    require_offset(offset);
    if (offset < critical_distance(depth)) return infinity;
    return offset / v2 + (2 * thickness - depth) * cosine(v1, v2) / v1;
}

double TwoLayers::first_arrival(double offset, double depth) const {
    return std::min(direct_time(offset, depth), head_time(offset, depth));
}

SurfaceArrival layered_first_arrival(std::span<const DepthVelocity> layers, double offset) {
    validate(layers, "layer");
    require_offset(offset);
    SurfaceArrival first{offset / layers.front().velocity, 0};
    for (std::size_t n = 1; n < layers.size(); ++n) {
        const double time = head_time(layers, n, offset);
        if (time < first.time) first = {time, static_cast<int>(n)};
    }
    return first;
}

double layered_head_time(std::span<const DepthVelocity> layers, int layer, double offset) {
    validate(layers, "layer");
    require_offset(offset);
    if (layer < 1 || layer >= static_cast<int>(layers.size())) {
        throw InputError(
            fmt::format("layer is {} (head waves run along the tops of layers 1 to {})", layer,
                        layers.size() - 1));
    }
    return head_time(layers, static_cast<std::size_t>(layer), offset);
}

}  // namespace fermat
