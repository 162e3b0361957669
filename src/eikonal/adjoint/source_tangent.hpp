#pragma once

#include <vector>

#include "eikonal/adjoint/adjoint.hpp"

namespace fermat {

/// dw/d(source position) on the nodes, of w = (T - start) / r: the equations of node_scheme.hpp,
/// linearised and solved forward in the order of times. 0 where no wave arrives. With it,
///
///     -dT/d(source) = w e - r dw/d(source),   e = from the source to the node, of length 1,
///
/// is the slowness vector with which the ray to a node leaves the source.
std::vector<Vec3> source_tangent(const AdjointSurvey& survey, std::size_t source,
                                 const BasicTimeField<double>& field, const Execution& execution);

/// What rays carry from a point source to the nodes, from the derivatives of T by places of nodes
/// and source (Cerveny, Seismic Ray Theory, 2001, section 4.10.4).
struct RayAmplitudes {
    Field<double> times;
    /// L, of which L^2 is the area of a wavefront per solid angle of take-off (in 2-D its length
    /// per angle): r, or sqrt(r) in 2-D, where velocity is constant. 0 at the source; infinite
    /// where no wave arrives; not a number where rays cross, and at the rim of such places.
    Field<double> spreading;
    std::vector<Vec3> takeoff;  ///< direction in which the ray leaves the source; 0 without a ray
};

/// Of a model with velocity on nodes, or in cells without jumps.
RayAmplitudes ray_amplitudes(const AdjointSurvey& survey, std::size_t source,
                             const Execution& execution);

}  // namespace fermat
