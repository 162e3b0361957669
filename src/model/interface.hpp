#pragma once

#include <string>
#include <vector>

#include "core/grid.hpp"
#include "model/interface_view.hpp"

namespace fermat {

class Place;

/// How depths are interpolated between the points of an interface.
enum class InterfaceShape {
    smooth,  ///< cubic: the slope is continuous
    linear,  ///< straight between the points, as in rayinvr's models
};

/// A surface of a medium, with an id: depth as a function of x (and y), in coordinates of users; on
/// a sphere, of latitude and longitude. Beyond its lattice the depth at the edge holds.
class Interface {
  public:
    /// Throws InputError for an empty id, a lattice that does not fit the depths and depths that
    /// are not finite.
    Interface(std::string id, Lattice lattice, std::vector<double> depth,
              InterfaceShape shape = InterfaceShape::smooth);
    /// At one depth everywhere.
    static Interface flat(std::string id, double depth);
    /// Through points (x, depth) in 2-D, or (x, y, depth): sampled at the columns of the place's
    /// grid. In 2-D the points are joined by straight lines, or by a smooth curve (a cubic without
    /// overshoot); in 3-D they must form a full grid of x and y.
    static Interface of_points(std::string id, const std::vector<Vec3>& points, const Place& place,
                               InterfaceShape shape = InterfaceShape::smooth);

    const std::string& id() const { return id_; }
    const Lattice& lattice() const { return lattice_; }
    const std::vector<double>& depth() const { return depth_; }
    InterfaceShape shape() const { return shape_; }
    InterfaceView view() const {
        return {lattice_, depth_.data(), shape_ == InterfaceShape::smooth};
    }
    double depth_at(double x, double y) const { return view().depth_at(x, y); }
    Interface with_depth(std::vector<double> depth) const {
        return Interface(id_, lattice_, std::move(depth), shape_);
    }

  private:
    std::string id_;
    Lattice lattice_;
    std::vector<double> depth_;
    InterfaceShape shape_;
};

/// The ground of a place, called `surface`: that which its rows follow, or the top of its grid.
Interface ground_of(const Place& place);

/// The columns of a place's grid as users write points; in 2-D one row.
Lattice columns_of(const Place& place);

}  // namespace fermat
