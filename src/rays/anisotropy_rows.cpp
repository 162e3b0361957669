#include "rays/anisotropy_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/line_slopes.hpp"
#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

bool is_thomsen(AnisotropyParameter parameter) {
    return parameter == AnisotropyParameter::epsilon || parameter == AnisotropyParameter::delta;
}

void require_parameter(const Model& model, AnisotropyParameter parameter) {
    const Anisotropy wanted = is_thomsen(parameter) ? Anisotropy::thomsen : Anisotropy::elliptical;
    if (model.anisotropy().kind == wanted) return;
    throw InputError(
        fmt::format("the model has no {} (it has {})", name_of(parameter), model.medium_name()));
}

/// d time / d parameter of a straight line d, given in the frame, in Thomsen's medium of
/// velocity 1.
double thomsen_slope(const Thomsen& medium, Vec3 d, AnisotropyParameter parameter) {
    const ThomsenSlopes slopes = thomsen_line_slopes(medium, d);
    return parameter == AnisotropyParameter::epsilon ? slopes.epsilon : slopes.delta;
}

double tensor_slope(const Mat3& at_node, Vec3 d, double time, AnisotropyParameter parameter) {
    const int entry = static_cast<int>(parameter) - static_cast<int>(AnisotropyParameter::xx);
    return tensor_line_slope(at_node, d, time, tensor_entries[entry][0], tensor_entries[entry][1]);
}

using Row = std::map<std::int64_t, double>;

void add_line(const Model& model, Vec3 from, Vec3 to, AnisotropyParameter parameter, Row& row) {
    const Metric& metric = *model.metric();
    const Grid& grid = model.grid();
    for_each_time_sample(model, from, to, [&](Vec3 q, Vec3 d, double weight) {
        const double slowness = metric_slowness(model, q);
        if (!std::isfinite(slowness) || !(norm(d) > 0)) return;
        const Vec3 along = transposed(metric.mapping().frame(q)) * d;
        const bool thomsen = metric.has_thomsen();
        const double common = thomsen ? thomsen_slope(metric.thomsen_at(grid, q), along, parameter)
                                      : line_time(model, q, d) / slowness;
        for_each_corner(grid, q, [&](Index3 node, double part) {
            if (part == 0) return;
            const std::size_t n = grid.shape.offset(node);
            const double slope =
                thomsen ? common : tensor_slope(metric.tensor(n), along, common, parameter);
            row[static_cast<std::int64_t>(n)] += weight * slowness * part * slope;
        });
    });
}

}  // namespace

SparseRows anisotropy_sensitivity(const Model& model, const RaySet& rays,
                                  AnisotropyParameter parameter, int threads) {
    require_parameter(model, parameter);
    std::vector<Row> rows(rays.size());
    parallel_for(static_cast<std::int64_t>(rays.size()), resolve_threads(threads),
                 [&](std::int64_t i) {
                     const auto r = static_cast<std::size_t>(i);
                     if (!has_arrived(rays.rays[r].status)) return;
                     const auto path = rays.path(r);
                     for (std::size_t p = 0; p + 1 < path.size(); ++p) {
                         add_line(model, model.place().nearest(path[p]),
                                  model.place().nearest(path[p + 1]), parameter, rows[r]);
                     }
                 });
    SparseRows out;
    out.columns = static_cast<std::int64_t>(model.grid().node_count());
    for (const Row& row : rows) {
        for (const auto& [column, value] : row) {
            out.column.push_back(column);
            out.value.push_back(value);
        }
        out.row_start.push_back(static_cast<std::int64_t>(out.column.size()));
    }
    return out;
}

}  // namespace fermat
