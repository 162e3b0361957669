#pragma once

#include <cmath>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// A piece of a straight line that lies in one cell.
struct Piece {
    Index3 cell;
    Vec3 from;  ///< first end, in fractions of the cell
    Vec3 to;
    double length;
};

/// Cuts the line from a to b (points of the box) at the grid's planes and calls visit(piece) in
/// order.
template <int Dim, class Visit>
FERMAT_HD_INLINE void for_each_piece_in(const Grid& grid, Vec3 a, Vec3 b, Visit visit) {
    const Vec3 ua = grid.to_index(a);
    const Vec3 d = grid.to_index(b) - ua;
    const double length = distance(a, b);
    // Line parameter of the next plane along each axis, and the step from one plane to the next.
    Vec3 crossing{2, 2, 2};
    Vec3 step{2, 2, 2};
    for (int axis = 0; axis < 3; ++axis) {
        if (Dim == 2 && axis == 1) continue;
        const double plane = d[axis] > 0 ? std::floor(ua[axis]) + 1 : std::ceil(ua[axis]) - 1;
        const bool moves = d[axis] != 0;
        crossing[axis] = moves ? (plane - ua[axis]) / d[axis] : 2;
        step[axis] = moves ? 1 / std::abs(d[axis]) : 2;
    }
    double t = 0;
    while (t < 1) {
        // Branches on the next plane would be mispredicted, so the code has none.
        const bool x = crossing.x < crossing.y && crossing.x < crossing.z;
        const bool y = Dim == 3 && !x && crossing.y < crossing.z;
        const double nearest = x ? crossing.x : y ? crossing.y : crossing.z;
        const double next = nearest < 1 ? nearest : 1;
        crossing.x += x ? step.x : 0;
        if (Dim == 3) crossing.y += y ? step.y : 0;
        crossing.z += x || y ? 0 : step.z;
        if (next > t) {
            const Vec3 middle = ua + (0.5 * (t + next)) * d;
            Piece piece;
            piece.cell.x = detail::lower_node(middle.x, grid.shape.x);
            piece.cell.y = Dim == 3 ? detail::lower_node(middle.y, grid.shape.y) : 0;
            piece.cell.z = detail::lower_node(middle.z, grid.shape.z);
            const Vec3 corner{static_cast<double>(piece.cell.x), static_cast<double>(piece.cell.y),
                              static_cast<double>(piece.cell.z)};
            piece.from = ua + t * d - corner;
            piece.to = ua + next * d - corner;
            piece.length = (next - t) * length;
            visit(piece);
        }
        t = next;
    }
}

template <class Visit>
FERMAT_HD void for_each_piece(const Grid& grid, Vec3 a, Vec3 b, Visit visit) {
    if (grid.is_2d()) {
        for_each_piece_in<2>(grid, a, b, visit);
    } else {
        for_each_piece_in<3>(grid, a, b, visit);
    }
}

/// Weights of a cell's corners at its points: multilinear over the corners that are not air.
/// Corners are numbered with z fastest; a 2-D cell has four.
template <int Dim>
class CellWeights {
  public:
    static constexpr int corners = Dim == 2 ? 4 : 8;

    /// Weights of a cell without air.
    CellWeights() = default;

    template <Space S>
    FERMAT_HD CellWeights(FieldView<const float, S> velocity, Index3 cell) {
        float v[corners];
        take_corners(velocity, cell, v);
    }

    /// Adds scale times the weight of each corner at a point of the cell. False where all corners
    /// with weight are air.
    FERMAT_HD_INLINE bool add_weights(Vec3 f, double scale, double (&weights)[corners]) const {
        double w[corners];
        for (int n = 0; n < corners; ++n) {
            const double x = n & corners / 2 ? f.x : 1 - f.x;
            const double y = Dim == 2 ? 1 : n & 2 ? f.y : 1 - f.y;
            const double z = n & 1 ? f.z : 1 - f.z;
            w[n] = x * y * z;
        }
        if (!all_rock_) {
            double total = 0;
            for (int n = 0; n < corners; ++n) {
                if ((air_ >> n & 1) != 0 || w[n] < 0) w[n] = 0;
                total += w[n];
            }
            if (!(total > 0)) return false;
            scale /= total;
        }
        for (int n = 0; n < corners; ++n) weights[n] += scale * w[n];
        return true;
    }

    /// Weights of the corners in the time along a piece: the time is the sum of weight times
    /// slowness. Simpson's rule is exact here, because multilinear slowness is cubic along a line.
    FERMAT_HD_INLINE void piece_weights(const Piece& piece, double (&weights)[corners]) const {
        for (double& w : weights) w = 0;
        const double end = piece.length / 6;
        const Vec3 middle = 0.5 * (piece.from + piece.to);
        double centre = 4 * end;
        // An end in a plane whose corners all are air takes the slowness of the middle.
        if (!add_weights(piece.from, end, weights)) centre += end;
        if (!add_weights(piece.to, end, weights)) centre += end;
        add_weights(middle, centre, weights);
    }

  protected:
    /// Reads the corners' velocities and notes which are air.
    template <Space S>
    FERMAT_HD_INLINE void take_corners(FieldView<const float, S> velocity, Index3 cell,
                                       float (&v)[corners]) {
        for (int line = 0; line < corners / 2; ++line) {
            const int i = Dim == 2 ? line : line / 2;
            const int j = Dim == 2 ? 0 : line % 2;
            const float* const first = &velocity(cell.x + i, cell.y + j, cell.z);
            v[2 * line] = first[0];
            v[2 * line + 1] = first[1];
        }
        float least = v[0];
        for (int n = 1; n < corners; ++n) least = v[n] < least ? v[n] : least;
        all_rock_ = least > 0;
        if (all_rock_) return;
        for (int n = 0; n < corners; ++n) air_ |= (v[n] > 0 ? 0U : 1U) << n;
    }

    bool all_rock_ = true;
    unsigned air_ = 0;  ///< one bit per corner
};

/// Slowness inside one cell: multilinear over the corners that are not air.
template <int Dim>
class CellSlowness : public CellWeights<Dim> {
  public:
    using CellWeights<Dim>::corners;

    template <Space S>
    FERMAT_HD_INLINE CellSlowness(FieldView<const float, S> velocity, Index3 cell) {
        float v[corners];
        this->take_corners(velocity, cell, v);
        for (int n = 0; n < corners; ++n) slowness_[n] = 1 / static_cast<double>(v[n]);
        if (this->all_rock_) return;
        for (int n = 0; n < corners; ++n) slowness_[n] = v[n] > 0 ? slowness_[n] : 0;
    }

    /// Time along a piece in this cell.
    FERMAT_HD_INLINE double piece_time(const Piece& piece) const {
        if (this->all_rock_) {
            const Vec3 middle = 0.5 * (piece.from + piece.to);
            return piece.length / 6 * (at(piece.from) + 4 * at(middle) + at(piece.to));
        }
        return time_beside_air(piece);
    }

  private:
    FERMAT_HD_RARE double time_beside_air(const Piece& piece) const {
        double weights[corners];
        this->piece_weights(piece, weights);
        double time = 0;
        for (int n = 0; n < corners; ++n) time += weights[n] * slowness_[n];
        return time;
    }

    /// Multilinear slowness at a point of a cell without air.
    FERMAT_HD_INLINE double at(Vec3 f) const {
        const auto mix = [](double a, double b, double t) { return a + t * (b - a); };
        const double* const s = slowness_;
        const double first = mix(s[0], s[1], f.z);
        const double second = mix(s[2], s[3], f.z);
        if constexpr (Dim == 2) {
            return mix(first, second, f.x);
        } else {
            const double high = mix(mix(s[4], s[5], f.z), mix(s[6], s[7], f.z), f.y);
            return mix(mix(first, second, f.y), high, f.x);
        }
    }

    double slowness_[corners];
};

/// Time along a straight line between two points of the box.
template <int Dim, Space S>
FERMAT_HD_INLINE double line_time(const Grid& grid, FieldView<const float, S> velocity, Vec3 a,
                                  Vec3 b) {
    double time = 0;
    for_each_piece_in<Dim>(grid, a, b, [&](const Piece& piece) {
        time += CellSlowness<Dim>(velocity, piece.cell).piece_time(piece);
    });
    return time;
}
template <Space S>
FERMAT_HD double line_time(const Grid& grid, FieldView<const float, S> velocity, Vec3 a, Vec3 b) {
    return grid.is_2d() ? line_time<2>(grid, velocity, a, b) : line_time<3>(grid, velocity, a, b);
}

}  // namespace fermat
