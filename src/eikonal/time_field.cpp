#include "eikonal/time_field.hpp"

#include <utility>

#include "core/parallel.hpp"

namespace fermat {

template <class Real>
Field<Real> to_times(BasicTimeField<Real>&& field, int threads) {
    const Grid grid = field.grid;
    Field<Real> times = std::move(field.tau);
    const Vec3 from = field.source.position;
    const double start = field.source.start_time;
    parallel_ranges(grid.shape.x, threads, [&](std::int64_t first, std::int64_t last) {
        for (int i = static_cast<int>(first); i < static_cast<int>(last); ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                const Vec3 line = grid.position({i, j, 0}) - from;
                const double across = line.x * line.x + line.y * line.y;
                Real* const t = &times(i, j, 0);
                for (int k = 0; k < grid.shape.z; ++k) {
                    const double z = line.z + k * grid.spacing.z;
                    const double t0 = field.source_slowness * std::sqrt(across + z * z);
                    t[k] = static_cast<Real>(start + t0 * static_cast<double>(t[k]));
                }
            }
        }
    });
    return times;
}

template Field<float> to_times(BasicTimeField<float>&&, int);
template Field<double> to_times(BasicTimeField<double>&&, int);

}  // namespace fermat
