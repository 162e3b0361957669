// A source in a slow node among fast ones: tau falls many times within a cell, and times stay real.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random_stream.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

const Grid grid{{17, 1, 15}, {}, {0.5, 0.5, 0.7}};

/// Three nodes of ten are twenty times slower than the others.
Model rough(RandomStream& random) {
    Field<float> velocity(grid.shape);
    for (float& v : velocity) {
        const double slowness = 0.4 + 0.05 * random.uniform();
        v = static_cast<float>(1 / (random.uniform() < 0.3 ? 20 * slowness : slowness));
    }
    return Model(grid, std::move(velocity));
}

TEST(RoughSource, SecondOrderIsNeverEarlierThanTheFastestRockAllows) {
    RandomStream random(1);
    for (int trial = 0; trial < 150; ++trial) {
        const Model model = rough(random);
        const PointSource source{{0.4 + 2.8 * random.uniform(), 0, 1 + 3.9 * random.uniform()}, 0};
        const float fastest = *std::max_element(model.velocity().begin(), model.velocity().end());
        for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm}) {
            EikonalOptions options;
            options.solver = solver;
            const auto field = solve<double>(model, source, options, test::on_cpu());
            for (int i = 0; i < grid.shape.x; ++i) {
                for (int k = 0; k < grid.shape.z; ++k) {
                    const Vec3 place = grid.position({i, 0, k});
                    const double time = time_at(field, place);
                    ASSERT_TRUE(std::isfinite(time)) << trial << " " << name_of(solver);
                    ASSERT_GE(time, 0.3 * distance(place, source.position) / fastest)
                        << trial << " " << name_of(solver);
                }
            }
        }
    }
}

}  // namespace
}  // namespace fermat
