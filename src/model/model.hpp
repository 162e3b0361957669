#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "model/cell_medium.hpp"
#include "model/place.hpp"

namespace fermat {

class Metric;
struct AnisotropyValues;

/// Velocity on the nodes of a grid, which lies somewhere (Place); 0 marks air (no propagation).
/// Velocity is kept as given. Computations use its inverse, the slowness, which is interpolated
/// between nodes.
///
/// A model may instead have velocity in the cells between the nodes, for media with sharp
/// interfaces. Its nodes then hold the values that cell_medium.hpp derives from the cells around
/// them. Away from jumps these values suffice, so code that reads nodes works there. Beside a jump
/// they do not: code that can read cells uses cells(), and code that cannot refuses such a model by
/// require_nodes.
class Model {
  public:
    /// Throws InputError that names the first bad node, unless every velocity is finite and >= 0
    /// and at least one node is not air.
    Model(Grid grid, Field<float> velocity);
    /// A model over memory that `owner` keeps alive and unchanged. The values are checked once,
    /// here.
    Model(Grid grid, FieldView<const float> velocity, std::shared_ptr<const void> owner);
    /// A model with velocity in the cells of the grid. Throws InputError that names the first bad
    /// cell.
    static Model of_cells(Grid grid, Field<float> velocity);
    static Model of_cells(Grid grid, FieldView<const float> velocity,
                          std::shared_ptr<const void> owner);

    const Grid& grid() const { return place_.grid(); }
    /// Where the grid lies, and what the coordinates of users mean.
    const Place& place() const { return place_; }
    const Mapping& mapping() const { return place_.mapping(); }
    const CoordinateNumbers& coordinates() const { return mapping().numbers(); }
    FieldView<const float> velocity() const { return velocity_; }
    bool is_air(Index3 node) const { return velocity_(node) == 0; }
    bool has_air() const { return has_air_; }
    /// Null if velocity was given on nodes.
    const CellMedium* cells() const { return cells_.get(); }
    /// The cells and their jumps; empty if there are no jumps.
    CellsView<> jumping_cells() const;
    /// The velocity as it was given, on nodes or in cells.
    FieldView<const float> given() const { return cells_ ? cells_->velocity : velocity_; }

    /// Whether the medium is isotropic velocity on a Cartesian grid, for which the fastest code is
    /// written. Code that knows nothing else refuses other models by require_plain.
    bool is_plain() const { return metric_ == nullptr; }
    /// The kind `none` of isotropic media.
    const AnisotropyValues& anisotropy() const;
    bool is_isotropic() const;
    bool has_thomsen() const;
    /// The tensors of the equation (metric.hpp); null for a plain model.
    const Metric* metric() const { return metric_.get(); }
    /// "spherical coordinates and elliptical anisotropy"; "isotropic velocity" of a plain model:
    /// for messages.
    std::string medium_name() const;
    /// This model, over the same memory, with other coordinates or anisotropy. Velocity must be on
    /// nodes.
    Model with_metric(std::shared_ptr<const Metric> metric) const;

    Model copy() const;
    /// A model on the same grid, of nodes or cells as this one and with its metric, with other
    /// velocities.
    Model with_given(Field<float> velocity) const;

  private:
    Model(Grid grid, const std::shared_ptr<const Field<float>>& velocity);

    Place place_;
    FieldView<const float> velocity_;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<const CellMedium> cells_;
    std::shared_ptr<const Metric> metric_;
    bool has_air_ = false;
};

/// Throws InputError for a model of cells. `what` names the method that reads velocities on nodes
/// only.
void require_nodes(const Model& model, std::string_view what);

/// Throws InputError for a model with a metric. `what` names the method that knows isotropic
/// velocity on a Cartesian grid only.
void require_plain(const Model& model, std::string_view what);

/// The point of the grid where a point of a user lies. Throws InputError that names `what` where it
/// lies outside the model or in air.
Vec3 require_rock(const Model& model, Vec3 user, const std::string& what);

/// A model of nodes with the velocities that the nodes of this model hold.
Model as_nodes(const Model& model);

/// Slowness at a point: multilinear over the corners of its cell that are not air, with weights
/// scaled to add up to 1; infinite where all of them are air. In a model of cells beside a jump:
/// the slowness of the fastest cell that the point touches.
double slowness_at(const Model& model, Vec3 point);

/// True if all corners that the interpolation uses, or all cells that the point touches, are air.
bool in_air(const Model& model, Vec3 point);

}  // namespace fermat
