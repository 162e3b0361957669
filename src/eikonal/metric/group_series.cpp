#include "eikonal/metric/group_series.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace fermat {

GroupSeries::GroupSeries(const Thomsen& medium) {
    constexpr double negligible = 1e-13;
    const Vec3 any = std::abs(medium.axis.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 aside = any - dot(any, medium.axis) * medium.axis;
    const Vec3 across = aside / norm(aside);
    std::vector<double> samples;
    for (int j = 0; j < points; ++j) {
        const double x = 0.5 + 0.5 * std::cos(std::numbers::pi * (j + 0.5) / points);
        const double time =
            group_time(medium, std::sqrt(x) * medium.axis + std::sqrt(1 - x) * across).time;
        samples.push_back(time * time);
    }
    std::vector<double> terms;
    double greatest = 0;
    for (int k = 0; k < points; ++k) {
        double sum = 0;
        for (int j = 0; j < points; ++j) {
            sum += samples[static_cast<std::size_t>(j)] *
                   std::cos(std::numbers::pi * k * (j + 0.5) / points);
        }
        terms.push_back((k == 0 ? 1.0 : 2.0) / points * sum);
        greatest = std::max(greatest, std::abs(terms.back()));
    }
    while (terms.size() > 1 && std::abs(terms.back()) < negligible * greatest) terms.pop_back();
    // The last third must be rounding, or terms beyond the last one would matter too.
    if (!std::isfinite(greatest) || terms.size() > most_terms) return;
    std::copy(terms.begin(), terms.end(), terms_);
    size_ = terms.size();
}

}  // namespace fermat
