#include "rays/anisotropy_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/metric/factor.hpp"
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
/// velocity 1. The time is the largest p . d with F(p) <= 1, so its derivative is -F' p.d / (p .
/// dF/dp).
double thomsen_slope(const Thomsen& medium, Vec3 d, AnisotropyParameter parameter) {
    const GroupTime group = group_time(medium, d);
    const double along = dot(group.slowness, medium.axis);
    const double c = along * along;
    const double a = dot(group.slowness, group.slowness) - c;
    const double of_f = parameter == AnisotropyParameter::epsilon ? 2 * a - 2 * a * c : 2 * a * c;
    return -of_f * group.time / (2 - 2 * medium.excess() * a * c);
}

/// d sqrt(d . S d) / d A_n of one entry, with S = sum of weight A_n^-1, over the weight.
double tensor_slope(const Mat3& at_node, Vec3 d, double time, AnisotropyParameter parameter) {
    const Vec3 u = inverse(at_node) * d;
    constexpr std::array<std::array<int, 2>, 6> entries = {
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    const auto entry =
        static_cast<std::size_t>(parameter) - static_cast<std::size_t>(AnisotropyParameter::xx);
    const int r = entries[entry][0];
    const int c = entries[entry][1];
    return -(r == c ? 0.5 : 1.0) * u[r] * u[c] / time;
}

using Row = std::map<std::int64_t, double>;

void add_line(const Model& model, Vec3 from, Vec3 to, AnisotropyParameter parameter, Row& row) {
    const Metric& metric = *model.metric();
    const Grid& grid = model.grid();
    for_each_time_sample(model, from, to, [&](Vec3 q, Vec3 d, double weight) {
        const double slowness = slowness_at(model, q);
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
