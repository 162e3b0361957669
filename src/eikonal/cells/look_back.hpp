#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/cells/face.hpp"
#include "eikonal/time_field.hpp"

namespace fermat {

/// From a point back through the cells that it touches, to the place on their faces from which the
/// wave reaches the point first (face.hpp). The solver of the field uses the same rule.

/// T on the lower (side 0) or upper (side 1) face of a cell across an axis, for a cell of the given
/// slowness. False where the wave does not reach a corner.
template <int Dim, class Real, Space S>
FERMAT_HD bool face_of_field(const TimeFieldView<Real, S>& field, Index3 cell, int axis, int side,
                             double slowness, CellFace<Dim>& face) {
    const Grid& grid = field.grid;
    Index3 first = cell;
    first[axis] += side;
    int d = 0;
    for (int other = 0; other < 3; other += Dim == 2 ? 2 : 1) {
        if (other == axis) continue;
        face.axis[d] = other;
        face.length[d] = grid.spacing[other];
        ++d;
    }
    face.first = grid.position(first) - field.factor.position;
    double latest = 0;
    for (int n = 0; n < CellFace<Dim>::corners; ++n) {
        Index3 node = first;
        for (int e = 0; e < Dim - 1; ++e) node[face.axis[e]] += n >> e & 1;
        const double tau = field.tau(node);
        if (!std::isfinite(tau)) return false;
        face.value[n] = field.factor.slowness * tau;
        face.slowness[n] = slowness;
        latest = face.value[n] > latest ? face.value[n] : latest;
    }
    face.factored = !field.factor.is_front() && latest < late_wave * slowness;
    if (face.factored) return true;
    for (int n = 0; n < CellFace<Dim>::corners; ++n) {
        Vec3 place = face.first;
        for (int e = 0; e < Dim - 1; ++e) {
            if (n >> e & 1) place[face.axis[e]] += face.length[e];
        }
        face.value[n] *= field.factor.radius(place + field.factor.position);
    }
    return true;
}

/// A step from a point back to where its wave came from. Times exclude the start time of the
/// source.
struct WayBack {
    double time = INFINITY;  ///< at the point, along this step
    double behind = 0;       ///< at `to`
    Vec3 to;
};

/// Searches the cells that a point touches for steps back.
template <int Dim, class Real, Space S>
class LookBack {
  public:
    FERMAT_HD LookBack(const TimeFieldView<Real, S>& field, Vec3 point)
        : field_(field),
          point_(point),
          index_(field.grid.to_index(point)),
          source_(field.grid.to_index(field.factor.position)) {}

    FERMAT_HD void through(Index3 cell) {
        const double slowness = slowness_of(cell);
        if (!(slowness < INFINITY)) return;
        const Vec3 source = field_.factor.position;
        if (holds_source(cell)) take({slowness * distance(point_, source), 0, source});
        for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
            for (int side = 0; side < 2; ++side) through_face(cell, slowness, axis, side);
        }
    }
    FERMAT_HD const WayBack& best() const { return best_; }

  private:
    FERMAT_HD double slowness_of(Index3 cell) const {
        const double v = field_.cells.velocity(cell);
        return v > 0 ? 1 / v : double{INFINITY};
    }
    FERMAT_HD bool holds_source(Index3 cell) const {
        bool holds = !field_.factor.is_front();
        for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
            const double inside = source_[axis] - cell[axis];
            holds &= inside > -on_face && inside < 1 + on_face;
        }
        return holds;
    }
    FERMAT_HD void take(const WayBack& way) {
        if (way.time < best_.time) best_ = way;
    }

    FERMAT_HD void through_face(Index3 cell, double slowness, int axis, int side) {
        const Grid& grid = field_.grid;
        CellFace<Dim> face;
        const bool reached = face_of_field<Dim>(field_, cell, axis, side, slowness, face);
        Index3 behind = cell;
        behind[axis] += side ? 1 : -1;
        const bool inside = behind[axis] >= 0 && behind[axis] < grid.cell_shape()[axis];
        if (inside && holds_source(behind) && slowness_of(behind) < INFINITY) {
            // The cell behind the face holds the source, so times on the face are known, even on
            // the point's own face.
            for (double& value : face.value) value = slowness_of(behind);
            face.factored = true;
        } else if (!reached || std::abs(index_[axis] - cell[axis] - side) < on_face) {
            return;
        }
        double at[2];
        guess_by_slopes(face, point_ - field_.factor.position, at);
        const double time = earliest_through(face, point_ - field_.factor.position, at);
        if (!(time < best_.time)) return;
        // Use the face's exact coordinate, which all its points share.
        Vec3 to = point_;
        to[axis] = grid.coordinate(axis, cell[axis] + side);
        for (int d = 0; d < Dim - 1; ++d) {
            const int other = face.axis[d];
            to[other] = grid.coordinate(other, cell[other] + at[d]);
        }
        take({time, time - slowness * distance(point_, to), to});
    }

    const TimeFieldView<Real, S>& field_;
    Vec3 point_;
    Vec3 index_;
    Vec3 source_;
    WayBack best_;
};

}  // namespace fermat
