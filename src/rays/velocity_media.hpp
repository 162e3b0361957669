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

/// The box in which rays may run. It is unbounded by default.
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

/// How velocity varies between the depths of a profile.
enum class Profile {
    linear,  ///< linear between two depths, like profile_model without a grid
    layers,  ///< constant down to the next depth, like layered_model without a grid
};

template <>
inline constexpr auto choices<Profile> = choice_table<Profile>("kind of profile",
                                                               {{"linear", Profile::linear},
                                                                {"layers", Profile::layers}});

/// Velocity that depends on depth only; times have a closed form. Rays stay in their vertical
/// plane.
class DepthMedium {
  public:
    /// Throws InputError where validate(profile) does.
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
    /// Velocity v0 + slope (z - depth) below `depth`.
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

/// Velocity given by a function of a point: > 0, or 0 in air. Its gradient is a difference quotient
/// over the length `difference`. Several threads call the function at once.
class FunctionMedium {
  public:
    using Velocity = std::function<double(Vec3)>;

    FunctionMedium(const Velocity& velocity, Box box, bool is_2d, double difference)
        : velocity_(&velocity), box_(box), difference_(difference), is_2d_(is_2d) {}

    /// Throws InputError for a velocity that is negative, infinite or not a number.
    double slowness(Vec3 p) const;
    SlownessPoint sample(Vec3 p) const;
    Vec3 clamp(Vec3 p) const { return box_.clamp(p); }
    /// False if one of the points that segment_time uses is in air.
    bool clear(Vec3 a, Vec3 b) const { return std::isfinite(segment_time(a, b)); }
    double trial_time(Vec3 a, Vec3 b, int samples) const;
    /// Gauss's three-point rule on each half.
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
