#include "rays/velocity_media.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace fermat {

DepthMedium::DepthMedium(std::span<const DepthVelocity> profile, Profile kind, Box box)
    : kind_(kind), box_(box) {
    validate(profile, kind == Profile::linear ? "profile point" : "layer");
    for (std::size_t n = 0; n < profile.size(); ++n) {
        const auto [depth, v0] = profile[n];
        const bool sloped = kind == Profile::linear && n + 1 < profile.size();
        const double slope =
            sloped ? (profile[n + 1].velocity - v0) / (profile[n + 1].depth - depth) : 0;
        pieces_.push_back({depth, v0, slope});
    }
    // The first piece also holds above the first depth.
    pieces_.insert(pieces_.begin(), {-INFINITY, pieces_.front().v0, 0});
    pieces_.front().depth = pieces_[1].depth;
}

std::size_t DepthMedium::piece_of(double z) const {
    const auto above =
        std::upper_bound(pieces_.begin() + 1, pieces_.end(), z,
                         [](double depth, const Piece& p) { return depth < p.depth; });
    return static_cast<std::size_t>(above - pieces_.begin()) - 1;
}

SlownessPoint DepthMedium::sample(Vec3 p) const {
    const std::size_t piece = piece_of(p.z);
    const double s = 1 / velocity(piece, p.z);
    return {s, {0, 0, -s * s * pieces_[piece].slope}};
}

double DepthMedium::segment_time(Vec3 a, Vec3 b) const {
    if (a.z > b.z) std::swap(a, b);
    const double length = distance(a, b);
    const std::size_t last = piece_of(b.z);
    double time = 0;
    double z = a.z;
    double done = 0;
    for (std::size_t piece = piece_of(a.z); piece <= last; ++piece) {
        const double end = piece == last ? b.z : pieces_[piece + 1].depth;
        const double share = piece == last ? 1 - done : (end - z) / (b.z - a.z);
        // The mean of 1/v over a linear v is log(v2/v1)/(v2 - v1); where the two are close, the
        // series of atanh replaces it.
        const double v1 = velocity(piece, z);
        const double v2 = velocity(piece, end);
        const double q = (v2 - v1) / (v2 + v1);
        const double mean = std::abs(q) < 1e-3 ? (1 + q * q / 3) : std::atanh(q) / q;
        time += share * length * 2 * mean / (v1 + v2);
        done += share;
        z = end;
    }
    return time;
}

double FunctionMedium::slowness(Vec3 p) const {
    const double v = (*velocity_)(p);
    if (!(v >= 0) || std::isinf(v)) {
        throw InputError(
            fmt::format("velocity at ({:g}, {:g}, {:g}) is {} (must be finite and > 0, or 0 for "
                        "air)",
                        p.x, p.y, p.z, v));
    }
    return 1 / v;
}

SlownessPoint FunctionMedium::sample(Vec3 p) const {
    SlownessPoint at{slowness(p), {}};
    if (std::isinf(at.slowness)) return at;
    for (int axis = 0; axis < 3; ++axis) {
        if (is_2d_ && axis == 1) continue;
        Vec3 ahead = p;
        Vec3 behind = p;
        ahead[axis] += difference_;
        behind[axis] -= difference_;
        ahead = clamp(ahead);
        behind = clamp(behind);
        const double way = ahead[axis] - behind[axis];
        const double slope = way > 0 ? (slowness(ahead) - slowness(behind)) / way : 0;
        at.gradient[axis] = std::isfinite(slope) ? slope : 0;
    }
    return at;
}

double FunctionMedium::trial_time(Vec3 a, Vec3 b, int samples) const {
    return sampled_time(*this, a, b, samples);
}

double FunctionMedium::segment_time(Vec3 a, Vec3 b) const {
    constexpr double place = 0.3872983346207417;  // sqrt(3/5) / 2
    double sum = 0;
    for (const double half : {0.0, 0.5}) {
        const auto at = [&](double t) { return slowness(a + (half + 0.5 * (0.5 + t)) * (b - a)); };
        sum += (5 * at(-place) + 8 * at(0) + 5 * at(place)) / 36;
    }
    return distance(a, b) * sum;
}

}  // namespace fermat
