#include "tomography/layers/flat_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {
namespace {

/// Distance and time of a part of a ray.
struct Part {
    double x = 0;
    double t = 0;
};
Part operator+(Part a, Part b) { return {a.x + b.x, a.t + b.t}; }

double cosine_of_ray(double p, double v) { return std::sqrt(std::max(0.0, 1 - p * p * v * v)); }

/// Twice through a layer, down and up, by the ray parameter p. In a constant gradient rays are
/// arcs: x = (c1 - c2) / (p g), t = ln(v2 (1 + c1) / (v1 (1 + c2))) / g.
Part through(const FlatLayers& layers, std::size_t layer, double p) {
    const double h = layers.thickness(layer);
    const double v1 = layers.velocity[layer];
    const double g = layers.gradient[layer];
    if (std::fabs(g) * h < 1e-6 * v1) {
        const double c = std::max(cosine_of_ray(p, v1), 1e-9);
        return {2 * h * p * v1 / c, 2 * h / (v1 * c)};
    }
    const double v2 = v1 + g * h;
    const double c1 = cosine_of_ray(p, v1);
    const double c2 = cosine_of_ray(p, v2);
    // (c1 - c2) / p = p (v2^2 - v1^2) / (c1 + c2), also where p is 0.
    const double x = p * (v2 * v2 - v1 * v1) / (std::max(c1 + c2, 1e-9) * g);
    return {2 * x, 2 * std::log(v2 * (1 + c1) / (v1 * (1 + c2))) / g};
}

Part down_to(const FlatLayers& layers, std::size_t layer, double p) {
    Part sum;
    for (std::size_t k = 0; k < layer; ++k) sum = sum + through(layers, k, p);
    return sum;
}

/// The arc of a ray that turns below the top of a layer.
Part arc(const FlatLayers& layers, std::size_t layer, double p) {
    const double a = layers.velocity[layer];
    const double g = layers.gradient[layer];
    return {2 * cosine_of_ray(p, a) / (p * g), 2 * std::acosh(std::max(1.0, 1 / (p * a))) / g};
}

/// The largest ray parameter with which rays reach the top of a layer.
double steepest(const FlatLayers& layers, std::size_t layer) {
    double fastest = 0;
    for (std::size_t k = 0; k < layer; ++k) {
        fastest = std::max({fastest, layers.velocity[k], layers.bottom_velocity(k)});
    }
    return fastest > 0 ? 1 / fastest : std::numeric_limits<double>::infinity();
}

constexpr int halvings = 60;

}  // namespace

bool turns_at(const FlatLayers& layers, std::size_t layer, double offset) {
    if (layer == 0) return true;
    const double p = 1 / layers.velocity[layer];
    return p < steepest(layers, layer) && offset >= down_to(layers, layer, p).x;
}

double turning_time(const FlatLayers& layers, std::size_t layer, double offset) {
    const double a = layers.velocity[layer];
    const double g = layers.gradient[layer];
    const bool straight = g * offset < 1e-6 * a;
    if (layer == 0) return straight ? offset / a : 2 / g * std::asinh(g * offset / (2 * a));
    const double most = std::min(1 / a, (1 - 1e-9) * steepest(layers, layer));
    const Part first = down_to(layers, layer, most);
    if (straight || offset <= first.x) return first.t + most * (offset - first.x);
    const auto whole = [&](double p) { return down_to(layers, layer, p) + arc(layers, layer, p); };
    double low = 0;
    double high = most;
    for (int i = 0; i < halvings; ++i) {
        const double p = 0.5 * (low + high);
        (whole(p).x > offset ? low : high) = p;
    }
    const Part found = whole(high);
    return found.t + high * (offset - found.x);
}

double reflected_time(const FlatLayers& layers, std::size_t layer, double offset) {
    double low = 0;
    double high = (1 - 1e-9) * steepest(layers, layer);
    for (int i = 0; i < halvings; ++i) {
        const double p = 0.5 * (low + high);
        (down_to(layers, layer, p).x > offset ? high : low) = p;
    }
    const Part found = down_to(layers, layer, low);
    return found.t + low * (offset - found.x);
}

double first_time(const FlatLayers& layers, double offset) {
    double least = turning_time(layers, 0, offset);
    for (std::size_t k = 1; k < layers.size(); ++k) {
        if (turns_at(layers, k, offset)) least = std::min(least, turning_time(layers, k, offset));
    }
    return least;
}

}  // namespace fermat
