#include "eikonal/cells/cell_times.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "eikonal/cells/look_back.hpp"

namespace fermat {
namespace {

/// Whether a point is a node, but for rounding.
bool is_node(const Grid& grid, Vec3 point) {
    const CellPoint at = locate(grid, point);
    bool node = true;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        node &= at.fraction[axis] < on_face || at.fraction[axis] > 1 - on_face;
    }
    return node;
}

template <int Dim, class Real>
double time_through_faces(const TimeFieldView<Real>& field, Vec3 point) {
    LookBack<Dim, Real, Space::host> ways(field, point);
    for_each_touched_cell(field.grid, point, [&](Index3 cell) { ways.through(cell); });
    return field.start_time + ways.best().time;
}

}  // namespace

/// Made when a point beside the source is first asked for.
template <class Real>
struct CellTimes<Real>::Near {
    std::once_flag made;
    std::optional<SourcePaths> paths;
};

template <class Real>
CellTimes<Real>::CellTimes(const Model& model, const TimeFieldView<Real>& field)
    : model_(model), field_(field), near_(std::make_unique<Near>()) {}
template <class Real>
CellTimes<Real>::~CellTimes() = default;

template <class Real>
const SourcePaths& CellTimes<Real>::near_source() const {
    std::call_once(near_->made, [&] {
        near_->paths.emplace(model_, field_.factor.position);
        near_->paths->know_all();
    });
    return *near_->paths;
}

template <class Real>
double CellTimes<Real>::at(Vec3 point) const {
    const double between = time_at(field_, point);
    const Grid& grid = field_.grid;
    if (is_node(grid, point) || !std::isfinite(between)) return between;
    if (!field_.factor.is_front() && SourcePaths::reaches(grid, field_.factor.position, point)) {
        const double near = near_source().time_to(point);
        if (std::isfinite(near)) return field_.start_time + near;
    }
    const double through =
        grid.is_2d() ? time_through_faces<2>(field_, point) : time_through_faces<3>(field_, point);
    return std::isfinite(through) ? through : between;
}

template class CellTimes<float>;
template class CellTimes<double>;

}  // namespace fermat
