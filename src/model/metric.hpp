#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/field.hpp"
#include "model/mapping.hpp"
#include "model/thomsen.hpp"

namespace fermat {

/// Anisotropy on the nodes. Tensors and axes refer to Mapping::frame.
enum class Anisotropy {
    none,
    elliptical,  ///< velocity^2 along directions: D = v^2 A, the tensor A per node
    thomsen,     ///< P waves of a tilted transversely isotropic medium; v is along its axis
};

/// Values on nodes. Elliptical: xx, yy, zz, xy, xz, yz of A. Thomsen: epsilon, delta, the x, y, z
/// of the axis, and the shear velocity over that of P along the axis, which may be missing: 0, the
/// acoustic approximation.
struct AnisotropyValues {
    Anisotropy kind = Anisotropy::none;
    std::array<Field<float>, 6> values;
};

/// The values of nodes as the host or a device has them, with Metric::tensor and Metric::thomsen.
struct NodeAnisotropy {
    Anisotropy kind = Anisotropy::none;
    const float* values[6] = {};  ///< null where missing

    FERMAT_HD double value(int k, std::size_t node) const {
        return values[k] != nullptr ? static_cast<double>(values[k][node]) : 0;
    }
    FERMAT_HD Thomsen thomsen(std::size_t node) const {
        const double ratio = value(5, node);
        return {value(0, node),
                value(1, node),
                {value(2, node), value(3, node), value(4, node)},
                ratio * ratio};
    }
    FERMAT_HD Mat3 tensor(std::size_t node, Vec3 slowness) const {
        if (kind == Anisotropy::none) return Mat3::identity();
        if (kind == Anisotropy::thomsen) return touching_ellipse(thomsen(node), slowness);
        return {{{{value(0, node), value(3, node), value(4, node)},
                  {value(3, node), value(1, node), value(5, node)},
                  {value(4, node), value(5, node), value(2, node)}}}};
    }
};

/// What makes the eikonal equation grad T . D grad T = 1 more than that of isotropic velocity on a
/// Cartesian grid: coordinates and anisotropy. A Model with velocity v carries one; in grid
/// coordinates q, with the Jacobian J of the places,
///
///     grad_q T . M grad_q T = 1,   M = J^-1 D J^-T.
class Metric {
  public:
    /// Throws InputError for coordinates that make no grid, for tensors that are not positive
    /// definite and for Thomsen parameters without a real P velocity.
    Metric(const Grid& grid, CoordinateNumbers coordinates, AnisotropyValues anisotropy = {});

    const CoordinateNumbers& coordinates() const { return mapping_->numbers(); }
    const Mapping& mapping() const { return *mapping_; }
    const std::shared_ptr<const Mapping>& shared_mapping() const { return mapping_; }
    const AnisotropyValues& anisotropy() const { return anisotropy_; }
    bool isotropic() const { return anisotropy_.kind == Anisotropy::none; }
    bool has_thomsen() const { return anisotropy_.kind == Anisotropy::thomsen; }

    /// A = D / v^2 at a node, in the frame there. Of Thomsen's medium: the ellipse that touches the
    /// slowness surface in the direction of `slowness`.
    Mat3 tensor(std::size_t node, Vec3 slowness = {}) const;
    Thomsen thomsen(std::size_t node) const;
    NodeAnisotropy values() const;

    /// A and Thomsen's parameters at a point: between nodes, A^-1 and the parameters are
    /// multilinear.
    Mat3 tensor_at(const Grid& grid, Vec3 q, Vec3 slowness = {}) const;
    Thomsen thomsen_at(const Grid& grid, Vec3 q) const;

    /// "spherical coordinates", "elliptical anisotropy", or both; "jumps of velocity" where there
    /// is nothing else: for messages.
    std::string name() const;

  private:
    std::shared_ptr<const Mapping> mapping_;
    AnisotropyValues anisotropy_;
};

}  // namespace fermat
