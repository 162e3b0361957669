#include <cmath>
#include <cstdio>
#include <fermat/fermat.hpp>
#include <span>
#include <vector>

int main() {
    using namespace fermat;
    // 2 km/s at the top, growing by 0.5 km/s per km.
    const Grid grid{{101, 1, 51}, {}, {0.1, 0.1, 0.1}};
    const Model model = gradient_model(grid, 2, 0.5);
    const PointSource source{{1, 0, 0}, 0};
    const std::vector<Vec3> receivers{{4, 0, 0}, {9, 0, 0}};

    const TimeField field = solve(model, source, {.order = 2}, {.threads = 2});
    const RaySet rays = trace_rays(model, survey_of(std::span(&source, 1), receivers), {});
    const LinearVelocity exact{2, {0, 0, 0.5}};
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        const double time = exact.time(source.position, receivers[r]);
        if (std::abs(time_at(field, receivers[r]) / time - 1) > 1e-3) return 1;
        if (rays.rays[r].status != RayStatus::ok) return 2;
    }
    try {
        solve(model, {{99, 0, 0}, 0});
        return 3;
    } catch (const InputError&) {
        // An exception of the installed library arrives with its type.
    }
    std::printf("fermat %s\n", version.data());
    return 0;
}
