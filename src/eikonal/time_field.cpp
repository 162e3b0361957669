#include "eikonal/time_field.hpp"

#include <utility>

#include "core/parallel.hpp"
#include "core/streaming.hpp"

namespace fermat {

template <class Real>
void write_times(const BasicTimeField<Real>& field, FieldView<Real> times, int threads) {
    const TimeFieldView<Real> view = field.view();
    const Grid& grid = field.grid;
    const int team = streaming_threads(grid.node_count(), threads);
    parallel_ranges(grid.shape.x, team, [&](std::int64_t first, std::int64_t last) {
        for (int i = static_cast<int>(first); i < static_cast<int>(last); ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                const FactorLine line = line_of_nodes(grid, field.factor, i, j);
                const Real* const tau = &view.tau(i, j, 0);
                Real* const t = &times(i, j, 0);
                for (int k = 0; k < grid.shape.z; ++k) {
                    t[k] = node_time(line, field.start_time, k, tau[k]);
                }
            }
        }
    });
}

template <class Real>
Field<Real> to_times(BasicTimeField<Real>&& field, int threads) {
    write_times(field, field.tau.view(), threads);
    return std::move(field.tau);
}

template void write_times(const BasicTimeField<float>&, FieldView<float>, int);
template void write_times(const BasicTimeField<double>&, FieldView<double>, int);
template Field<float> to_times(BasicTimeField<float>&&, int);
template Field<double> to_times(BasicTimeField<double>&&, int);

}  // namespace fermat
