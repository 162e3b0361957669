#pragma once

#include "core/host_device.hpp"
#include "eikonal/cells/look_back.hpp"
#include "rays/trace.hpp"

namespace fermat {

/// Descent where velocity jumps between cells. Each step leads from a point to the place on the
/// faces of its cells from which the wave reaches the point first (look_back.hpp). Rays are thus
/// refracted at interfaces, and run along an interface in its faster cells.

template <class Real, Space S>
struct JumpingDescent {
    TimeFieldView<Real, S> field;

    /// This proposal also finds the last step to the source; the walk must not replace it by a
    /// straight line.
    static constexpr bool finds_source = true;

    FERMAT_HD bool operator()(const Walker& at, Walker& next) const {
        return field.grid.is_2d() ? step<2>(at, next) : step<3>(at, next);
    }

    template <int Dim>
    FERMAT_HD bool step(const Walker& at, Walker& next) const {
        LookBack<Dim, Real, S> ways(field, at.point);
        for_each_touched_cell(field.grid, at.point, [&](Index3 cell) { ways.through(cell); });
        if (!(ways.best().time < INFINITY)) return false;
        next = {ways.best().to, field.start_time + ways.best().behind};
        return true;
    }
};

}  // namespace fermat
