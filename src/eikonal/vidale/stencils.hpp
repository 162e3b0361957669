#pragma once

#include <cmath>
#include <limits>

namespace fermat::vidale {

/// The finite-difference operators of Vidale (1988, Bull. Seism. Soc. Am. 78, 2062; 1990,
/// Geophysics 55, 521) and Hole & Zelt (1995, Geophys. J. Int. 121, 427), for unequal spacing.
///
/// Corners are named by where they lie between the corner opposite to the wanted one (0) and the
/// wanted one (1) along each axis: t011 is the neighbour of t111 along the first axis. With
/// a = h dT/dx, the gain in time over one spacing, and b, c likewise, the eikonal equation is
///     a^2 / hx^2 + b^2 / hy^2 + c^2 / hz^2 = s^2 .
/// Differences between corners on the far diagonals give a - b and c - a at the centre of the cell
/// to second order, so that one unknown remains; the time gained over the diagonal is a + b + c.
///
/// An operator is causal only if its wave comes from the side of the corners it was given: no gain
/// is negative, and the time is not before any of those corners. Otherwise the result is infinite.
/// Corners not timed yet may be infinite or NaN: every comparison fails then, with the same result.
///
/// Vidale's stencils for the first nodes of a new layer take the slope along the layer from the
/// layer behind it. They are not used: Hole & Zelt's operators along edges and faces time those
/// nodes too. In smooth media the two differ in the third digit of the error. Between blocks of
/// contrast 1:10, though, the slope behind is not that of the wave that travels on, and Vidale's
/// stencils gave times up to 20 % too early.

template <class Real>
inline constexpr Real no_arrival = std::numeric_limits<Real>::infinity();

/// Hole & Zelt's one-dimensional operator: a wave along an edge of the grid.
template <class Real>
Real edge_time(Real t0, Real h, Real s) {
    return t0 + h * s;
}

/// Vidale's (1988) operator A, and Hole & Zelt's two-dimensional one: a wave in the plane of a
/// face. `w` are 1 / h^2, `s2` is the squared slowness left to the plane.
template <class Real>
Real face_time(Real t00, Real t10, Real t01, Real s2, Real wa, Real wb) {
    const Real a_less_b = t10 - t01;
    const Real sum = wa + wb;
    const Real half = wb * a_less_b;
    const Real root = sum * s2 - wa * half * a_less_b;
    if (!(root >= 0)) return no_arrival<Real>;
    const Real a = (half + std::sqrt(root)) / sum;
    const Real b = a - a_less_b;
    const Real t = t00 + a + b;
    return a >= 0 && b >= 0 && t >= t10 && t >= t01 ? t : no_arrival<Real>;
}

/// The seven known corners of a cell.
template <class Real>
struct CellTimes {
    Real t000, t100, t010, t001, t011, t101, t110;
};

/// Vidale's (1990) operator A: a wave through the volume of a cell, seven corners known. As in
/// Vidale's, each squared difference is the mean over the two pairs of corners that give it:
///     (wa a + wb b + wc c)^2 = (wa + wb + wc) s^2 - wa wb (a-b)^2 - wb wc (b-c)^2 - wc wa (c-a)^2
///     .
template <class Real>
Real cell_time(const CellTimes<Real>& t, Real s2, Real wa, Real wb, Real wc) {
    const auto mean_square = [](Real p, Real q) { return (p * p + q * q) / 2; };
    const Real a_less_b = (t.t100 - t.t010 + t.t101 - t.t011) / 2;
    const Real c_less_a = (t.t001 - t.t100 + t.t011 - t.t110) / 2;
    const Real sum = wa + wb + wc;
    const Real half = wb * a_less_b - wc * c_less_a;
    const Real root = sum * s2 - wa * wb * mean_square(t.t100 - t.t010, t.t101 - t.t011) -
                      wb * wc * mean_square(t.t010 - t.t001, t.t110 - t.t101) -
                      wc * wa * mean_square(t.t001 - t.t100, t.t011 - t.t110);
    if (!(root >= 0)) return no_arrival<Real>;
    const Real a = (half + std::sqrt(root)) / sum;
    const Real b = a - a_less_b;
    const Real c = a + c_less_a;
    const Real time = t.t000 + a + b + c;
    const bool causal =
        a >= 0 && b >= 0 && c >= 0 && time >= t.t011 && time >= t.t101 && time >= t.t110;
    return causal ? time : no_arrival<Real>;
}

}  // namespace fermat::vidale
