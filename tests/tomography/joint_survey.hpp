#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/makers.hpp"
#include "survey/survey.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"
#include "tomography/joint/options.hpp"

namespace fermat::test {

/// A small survey with random rows: what a step is made of, without rays.
struct Made {
    Model model = gradient_model(Grid{{4, 3, 3}, {0, 0, 0}, {1, 1, 1}}, 1, 0);
    Survey picks;
    std::vector<std::int32_t> slots;
    std::vector<double> errors;
    std::vector<double> weights;
    std::vector<double> residual;
    std::vector<Vec3> slopes;
    UnknownRows rows;

    explicit Made(std::size_t grid) {
        std::mt19937 engine(4);
        std::normal_distribution<double> normal;
        for (int e = 0; e < 5; ++e) {
            picks.events.push_back({{1.0 + 0.2 * e, 1, 1}, 0});
        }
        for (int s = 0; s < 6; ++s) picks.stations.push_back({{0.5 * s, 0, 0}});
        for (int e = 0; e < 5; ++e) {
            for (int s = 0; s < 6; ++s) {
                for (const Phase phase : {Phase::P, Phase::S}) {
                    if (e == 4 && (s > 2 || phase == Phase::S)) continue;  // three picks alone
                    picks.arrivals.push_back({e, s, 1, 0.1, phase});
                    slots.push_back(phase == Phase::S ? 1 : 0);
                }
            }
        }
        picks.has_errors = true;
        for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
            errors.push_back(0.1);
            weights.push_back(n == 7 ? 0 : 10 * (1 + 0.1 * static_cast<double>(n % 3)));
            residual.push_back(n == 7 ? 0 : normal(engine));
            slopes.push_back({normal(engine), normal(engine), normal(engine)});
            for (std::size_t u = 0; u < grid; ++u) {
                if (normal(engine) < 0.5) continue;
                rows.column.push_back(
                    static_cast<std::int32_t>(u + grid * static_cast<std::size_t>(slots[n])));
                rows.value.push_back(static_cast<float>(normal(engine)));
            }
            rows.start.push_back(static_cast<std::int64_t>(rows.column.size()));
        }
    }
};

inline JointOptions moving() {
    JointOptions options;
    options.relocate = Relocate::all;
    return options;
}

}  // namespace fermat::test
