#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/vec3.hpp"
#include "model/layer.hpp"
#include "rays/bending/media.hpp"

namespace fermat {

/// Where rays may go. Unbounded unless told.
struct Box {
    Vec3 low{-INFINITY, -INFINITY, -INFINITY};
    Vec3 high{INFINITY, INFINITY, INFINITY};

    Vec3 clamp(Vec3 p) const {
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = p[axis] < low[axis] ? low[axis] : p[axis] > high[axis] ? high[axis] : p[axis];
        }
        return p;
    }
    bool contains(Vec3 p) const { return is_finite(p) && clamp(p) == p; }
};

/// How a profile is read between its depths.
enum class Profile {
    linear,  ///< velocity, linear from point to point: profile_model without a grid
    layers,  ///< constant down to the next depth: layered_model without a grid
};

template <>
inline constexpr auto choices<Profile> = choice_table<Profile>("kind of profile",
                                                               {{"linear", Profile::linear},
                                                                {"layers", Profile::layers}});

/// Velocity that depends on depth alone, timed in closed form. Rays keep to their vertical plane.
class DepthMedium {
  public:
    /// Throws InputError as validate(profile) does.
    DepthMedium(std::span<const DepthVelocity> profile, Profile kind, Box box = {});

    double slowness(Vec3 p) const { return 1 / velocity(piece_of(p.z), p.z); }
    SlownessPoint sample(Vec3 p) const;
    Vec3 clamp(Vec3 p) const { return box_.clamp(p); }
    bool clear(Vec3, Vec3) const { return true; }
    double trial_time(Vec3 a, Vec3 b, int) const { return segment_time(a, b); }
    double segment_time(Vec3 a, Vec3 b) const;
    bool flat() const { return false; }
    bool smooth() const { return kind_ == Profile::linear; }
    const Box& box() const { return box_; }

  private:
    /// v0 + slope (z - depth) below `depth`.
    struct Piece {
        double depth;
        double v0;
        double slope;
    };

    std::size_t piece_of(double z) const;
    double velocity(std::size_t piece, double z) const {
        return pieces_[piece].v0 + pieces_[piece].slope * (z - pieces_[piece].depth);
    }

    std::vector<Piece> pieces_;
    Profile kind_;
    Box box_;
};

/// Velocity by any function of a point: > 0, or 0 for air. Its gradient is by differences over
/// `difference`. The function is called from several threads at once.
class FunctionMedium {
  public:
    using Velocity = std::function<double(Vec3)>;

    FunctionMedium(const Velocity& velocity, Box box, bool is_2d, double difference)
        : velocity_(&velocity), box_(box), difference_(difference), is_2d_(is_2d) {}

    /// Throws InputError for a velocity that is negative, infinite or not a number.
    double slowness(Vec3 p) const;
    SlownessPoint sample(Vec3 p) const;
    Vec3 clamp(Vec3 p) const { return box_.clamp(p); }
    /// As far as the points of segment_time see.
    bool clear(Vec3 a, Vec3 b) const { return std::isfinite(segment_time(a, b)); }
    double trial_time(Vec3 a, Vec3 b, int samples) const;
    /// Gauss's rule of three points on each half.
    double segment_time(Vec3 a, Vec3 b) const;
    bool flat() const { return is_2d_; }
    bool smooth() const { return true; }

  private:
    const Velocity* velocity_;
    Box box_;
    double difference_;
    bool is_2d_;
};

}  // namespace fermat
