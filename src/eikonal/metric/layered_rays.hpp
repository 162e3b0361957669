#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace fermat {

/// Velocity of a sphere by depth, on rows from the top down. Slowness is linear between rows.
struct LayeredSphere {
    double radius = 0;           ///< of depth 0
    std::vector<double> depths;  ///< of the rows, downwards
    std::vector<double> above;   ///< slowness right above each row
    std::vector<double> below;   ///< and right below it: another one where velocity jumps
};

/// First arrivals of a source in such a sphere, by its rays. In thin shells r / v = eta is a power
/// of r, and a ray of parameter p has between two radii, with c = d(ln r) / d(ln eta),
///
///     angle = c [acos(p / eta)],   time = c [sqrt(eta^2 - p^2)],   d(time) / d(angle) = p.
///
/// Rays of many p make, per row, curves of time by angle, which are cubic between two rays. Direct
/// rays, rays that turn below and waves along the last row are known; head waves on a sphere are
/// rays that turn in the layer below.
class LayeredRays {
  public:
    /// Whether it knows the sphere: eta must fall with depth, so nowhere is velocity much slower
    /// below.
    static bool knows(const LayeredSphere& sphere);

    /// Angles up to `farthest`, in radians.
    LayeredRays(const LayeredSphere& sphere, double source_depth, double farthest);
    ~LayeredRays();
    LayeredRays(LayeredRays&&) noexcept;

    /// A first arrival.
    struct Arrival {
        double time = std::numeric_limits<double>::infinity();
        double p = 0;           ///< d(time) / d(angle)
        bool downward = false;  ///< whether its ray goes down there
    };
    /// At a row, at an angle from the source; of an infinite time if there is none.
    Arrival arrival(std::size_t row, double angle) const;
    double at_row(std::size_t row, double angle) const { return arrival(row, angle).time; }
    /// At any depth between the first row and the last; takes some microseconds.
    double at_depth(double depth, double angle) const;

  private:
    struct Shells;
    struct Ray;
    struct Family;
    /// A part of a curve, between two rays.
    struct Piece {
        double first_angle, last_angle;
        double first_time, last_time;
        double first_p, last_p;
        bool downward = false;
        double time(double angle) const;
        double slope(double angle) const;
        bool meets(double angle) const;
    };
    /// Pieces by angle: those that meet an interval of it.
    struct Row {
        std::vector<std::vector<Piece>> by_angle;
        double slide_angle = 0;  ///< from here on, waves run along the last row
        double slide_time = 0;
    };

    void add_family(double p_high, double p_low, std::size_t lowest, bool turns);
    void add_slide();
    void add_piece(Row& row, Piece piece);

    std::unique_ptr<const Shells> shells_;
    std::vector<Family> families_;
    double interval_ = 0;
    double slide_p_ = 0;
    std::vector<Row> rows_;
};

}  // namespace fermat
