#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "rays/bending/rays.hpp"

namespace fermat::test {

/// Random points, uniform in a box. The standard's distributions differ between libraries; this one
/// does not.
class Places {
  public:
    Places(Vec3 low, Vec3 high, unsigned seed) : low_(low), high_(high), random_(seed) {}

    Vec3 next() {
        Vec3 p;
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = low_[axis] +
                      (high_[axis] - low_[axis]) * (static_cast<double>(random_()) / 4294967296.0);
        }
        return p;
    }

  private:
    Vec3 low_;
    Vec3 high_;
    std::mt19937 random_;
};

struct BentPairs {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    std::vector<RayPair> pairs;

    Survey survey() const { return survey_of(sources, receivers, pairs); }
};

/// Pairs source n with receiver n.
inline BentPairs random_pairs(Vec3 low, Vec3 high, int count, unsigned seed) {
    Places places(low, high, seed);
    BentPairs survey;
    for (int n = 0; n < count; ++n) {
        survey.sources.push_back({places.next(), 0});
        survey.receivers.push_back(places.next());
        survey.pairs.push_back({n, n});
    }
    return survey;
}

/// Largest distance of a point of the path from a polyline.
inline double farthest(std::span<const Vec3> path, std::span<const Vec3> line) {
    double most = 0;
    for (const Vec3 p : path) {
        double least = INFINITY;
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            const Vec3 d = line[i + 1] - line[i];
            const double t = std::clamp(dot(p - line[i], d) / dot(d, d), 0.0, 1.0);
            least = std::min(least, distance(p, line[i] + t * d));
        }
        most = std::max(most, least);
    }
    return most;
}

}  // namespace fermat::test
