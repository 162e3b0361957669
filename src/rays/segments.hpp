#pragma once

#include <cmath>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// A piece of a straight line that lies in one cell.
struct Piece {
    Index3 cell;
    Vec3 from;  ///< ends, in fractions of the cell
    Vec3 to;
    double length;
};

/// Cuts the line from a to b (points of the box) at the grid's planes; visit(piece) in order.
template <class Visit>
FERMAT_HD void for_each_piece(const Grid& grid, Vec3 a, Vec3 b, Visit visit) {
    const Vec3 ua = grid.to_index(a);
    const Vec3 d = grid.to_index(b) - ua;
    const double length = distance(a, b);
    // Line parameter of the next plane along each axis, and the step from plane to plane.
    double crossing[3];
    double step[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double plane = d[axis] > 0 ? std::floor(ua[axis]) + 1 : std::ceil(ua[axis]) - 1;
        const bool moves = d[axis] != 0;
        crossing[axis] = moves ? (plane - ua[axis]) / d[axis] : 2;
        step[axis] = moves ? 1 / std::abs(d[axis]) : 2;
    }
    double t = 0;
    while (t < 1) {
        const int first = crossing[0] < crossing[1] ? (crossing[0] < crossing[2] ? 0 : 2)
                                                    : (crossing[1] < crossing[2] ? 1 : 2);
        const double next = crossing[first] < 1 ? crossing[first] : 1;
        crossing[first] += step[first];
        if (next > t) {
            const Vec3 middle = ua + (0.5 * (t + next)) * d;
            Piece piece;
            for (int axis = 0; axis < 3; ++axis) {
                piece.cell[axis] = detail::lower_node(middle[axis], grid.shape[axis]);
            }
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

/// Slowness inside one cell: multilinear over the corners that are not air. Corners are numbered
/// with z fastest; a 2-D cell has four.
class CellSlowness {
  public:
    template <Space S>
    FERMAT_HD CellSlowness(const Grid& grid, FieldView<const float, S> velocity, Index3 cell)
        : cell_(cell), corners_y_(grid.is_2d() ? 1 : 2) {
        float v[8];
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < corners_y_; ++j) {
                const float* const line = &velocity(cell.x + i, cell.y + j, cell.z);
                v[2 * (i * corners_y_ + j)] = line[0];
                v[2 * (i * corners_y_ + j) + 1] = line[1];
            }
        }
        // In 2-D the rest repeats, so that all are divided at once.
        for (int n = 4 * corners_y_; n < 8; ++n) v[n] = v[n - 4];
        for (int n = 0; n < 8; ++n) slowness_[n] = 1 / static_cast<double>(v[n]);
        float least = v[0];
        for (int n = 1; n < 8; ++n) least = v[n] < least ? v[n] : least;
        all_rock_ = least > 0;
        if (all_rock_) return;
        for (int n = 0; n < 8; ++n) slowness_[n] = v[n] > 0 ? slowness_[n] : 0;
    }

    FERMAT_HD int corner_count() const { return 4 * corners_y_; }
    FERMAT_HD Index3 corner(int n) const {
        return {cell_.x + n / (2 * corners_y_), cell_.y + (corners_y_ == 2 ? n / 2 % 2 : 0),
                cell_.z + n % 2};
    }
    FERMAT_HD double slowness(int n) const { return slowness_[n]; }

    /// Time along a piece in this cell.
    FERMAT_HD double piece_time(const Piece& piece) const {
        if (all_rock_ && corners_y_ == 2) {
            const Vec3 middle = 0.5 * (piece.from + piece.to);
            return piece.length / 6 * (at(piece.from) + 4 * at(middle) + at(piece.to));
        }
        double weights[8];
        piece_weights(piece, weights);
        double time = 0;
        for (int n = 0; n < corner_count(); ++n) time += weights[n] * slowness_[n];
        return time;
    }

    /// Adds scale times the weight of each corner at a point of the cell. False where all is air.
    FERMAT_HD bool add_weights(Vec3 fraction, double scale, double* weights) const {
        double w[8];
        int n = 0;
        for (int i = 0; i < 2; ++i) {
            const double wx = i ? fraction.x : 1 - fraction.x;
            for (int j = 0; j < corners_y_; ++j) {
                const double wxy = j ? wx * fraction.y : wx * (1 - fraction.y);
                w[n++] = wxy * (1 - fraction.z);
                w[n++] = wxy * fraction.z;
            }
        }
        if (!all_rock_) {
            double total = 0;
            for (n = 0; n < corner_count(); ++n) {
                if (slowness_[n] == 0 || w[n] < 0) w[n] = 0;
                total += w[n];
            }
            if (!(total > 0)) return false;
            scale /= total;
        }
        for (n = 0; n < corner_count(); ++n) weights[n] += scale * w[n];
        return true;
    }

    /// Weights of the corners in the time along a piece in this cell: Simpson's rule, exact since
    /// multilinear slowness is cubic along a line. The time is the sum of weight times slowness.
    FERMAT_HD void piece_weights(const Piece& piece, double (&weights)[8]) const {
        for (double& w : weights) w = 0;
        const double end = piece.length / 6;
        const Vec3 middle = 0.5 * (piece.from + piece.to);
        double centre = 4 * end;
        // An end on a plane that is all air takes the slowness of the middle.
        if (!add_weights(piece.from, end, weights)) centre += end;
        if (!add_weights(piece.to, end, weights)) centre += end;
        add_weights(middle, centre, weights);
    }

  private:
    /// Trilinear, in a 3-D cell without air.
    FERMAT_HD double at(Vec3 f) const {
        const auto mix = [](double a, double b, double t) { return a + t * (b - a); };
        const double* s = slowness_;
        const double low = mix(mix(s[0], s[1], f.z), mix(s[2], s[3], f.z), f.y);
        const double high = mix(mix(s[4], s[5], f.z), mix(s[6], s[7], f.z), f.y);
        return mix(low, high, f.x);
    }

    Index3 cell_;
    int corners_y_;
    bool all_rock_ = true;
    double slowness_[8];
};

}  // namespace fermat
