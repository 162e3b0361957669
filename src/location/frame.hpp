#pragma once

#include <optional>

#include "core/mat3.hpp"
#include "location/options.hpp"
#include "model/metric.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat {

struct Catalogue;

/// The coordinates in which events are searched in a model with a metric. A search needs lengths:
/// on a sphere x is east and y is north of the middle of the grid, in lengths along the parallel
/// and the meridian there, and z is depth; in other coordinates x, y, z are those of users.
class LocationFrame {
  public:
    /// The model must live as long.
    explicit LocationFrame(const Model& model);

    Vec3 to_grid(Vec3 place) const;
    /// d q / d place: how grid coordinates change with the place.
    Mat3 slope(Vec3 place) const;
    Vec3 from_user(Vec3 user) const;
    Vec3 to_user(Vec3 place) const;
    /// The box that holds the whole grid. Below a ground, places above it are in the box too.
    SearchBox box() const;
    bool holds(Vec3 place) const;
    bool on_sphere() const { return sphere_; }
    /// Lengths of a cell's sides along the axes of the grid, at its middle.
    Vec3 cell_at_middle() const;
    const Mapping& mapping() const { return model_.metric()->mapping(); }

    /// East, north and down from one place to another, in lengths; on a sphere along the great
    /// circle at the radius of depth 0.
    Vec3 way(Vec3 from, Vec3 to) const;
    /// True lengths of steps of 1 along x, y, z at a place.
    Vec3 lengths_at(Vec3 place) const;

    Survey from_user(const Survey& survey) const;
    LocateOptions from_user(const LocateOptions& options) const;
    /// Positions of users; on a sphere covariances are of lengths east, north and down.
    void to_user(Catalogue& catalogue) const;

  private:
    const Model& model_;
    bool sphere_;
    double radius_;
    Vec3 middle_;       ///< of the grid
    double east_ = 1;   ///< length of a degree of longitude, at the middle and depth 0
    double north_ = 1;  ///< of latitude
};

}  // namespace fermat
