#include "location/delay_terms.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/expect.hpp"

namespace fermat {

void DelayTerms::sort_points() {
    for (auto& of_station : points) {
        for (std::vector<TermPoint>& of_phase : of_station) {
            std::stable_sort(
                of_phase.begin(), of_phase.end(),
                [](const TermPoint& a, const TermPoint& b) { return a.place.x < b.place.x; });
        }
    }
}

double DelayTerms::at(std::int32_t station, Phase phase, Vec3 place) const {
    const auto s = static_cast<std::size_t>(station);
    const auto p = static_cast<std::size_t>(phase);
    FERMAT_EXPECT(s < fixed.size() && p < fixed[s].size());
    const double common = fixed[s][p];
    if (!by_place() || points.empty()) return common;
    // Where few events are near, the term is that of a wider area; where few are there, too, the
    // fixed one.
    constexpr double wider = 2.5;
    constexpr double farthest = 3;  // radii, where weights are 1 %
    const std::vector<TermPoint>& near = points[s][p];
    const double reach = farthest * wider * radius;
    const auto first =
        std::lower_bound(near.begin(), near.end(), place.x - reach,
                         [](const TermPoint& point, double x) { return point.place.x < x; });
    double sum = 0;
    double weights = 0;
    double wide_sum = common;
    double wide_weights = 1;
    for (auto point = first; point != near.end() && point->place.x <= place.x + reach; ++point) {
        const Vec3 off = point->place - place;
        const double square = dot(off, off);
        if (square > reach * reach) continue;
        const double exponent = -0.5 * square / (radius * radius);
        const double weight = point->weight * std::exp(exponent);
        const double wide_weight = point->weight * std::exp(exponent / (wider * wider));
        sum += weight * point->time;
        weights += weight;
        wide_sum += wide_weight * point->time;
        wide_weights += wide_weight;
    }
    return (sum + wide_sum / wide_weights) / (weights + 1);
}

}  // namespace fermat
