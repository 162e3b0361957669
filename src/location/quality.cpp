#include "location/quality.hpp"

#include <algorithm>
#include <cmath>

#include "location/catalogue.hpp"

namespace fermat {
namespace {

constexpr int worst = 4;

int class_of_errors(double rms, double horizontal, double vertical) {
    if (rms < 0.15 && horizontal <= 1 && vertical <= 2) return 1;
    if (rms < 0.30 && horizontal <= 2.5 && vertical <= 5) return 2;
    if (rms < 0.50 && horizontal <= 5) return 3;
    return worst;
}

int class_of_stations(int used, double gap, double nearest, double depth) {
    if (used < 6) return worst;
    if (gap <= 90 && nearest <= std::max(depth, 5.0)) return 1;
    if (gap <= 135 && nearest <= std::max(2 * depth, 10.0)) return 2;
    if (gap <= 180 && nearest <= 50) return 3;
    return worst;
}

}  // namespace

Quality quality_of(const Hypocentre& event, double depth, double kilometre) {
    if (!is_located(event.status)) return Quality::none;
    const double horizontal =
        std::sqrt(std::max(event.covariance[0][0], event.covariance[1][1])) / kilometre;
    const double vertical = std::sqrt(event.covariance[2][2]) / kilometre;
    const int errors = class_of_errors(event.rms, horizontal, vertical);
    const int stations =
        class_of_stations(event.used, event.gap, event.nearest / kilometre, depth / kilometre);
    // The mean of both; of two classes that it lies between, the worse.
    int mean = (errors + stations + 1) / 2;
    if (event.status != LocationStatus::located) mean = std::max(mean, 3);
    return static_cast<Quality>(mean);
}

}  // namespace fermat
