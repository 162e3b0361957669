#pragma once

// Rays where velocity depends on depth alone and interfaces are level. Each has one ray parameter
// p, its slowness along the interfaces (on a sphere, in seconds per radian), and its distance is a
// function of p: the integral of p / sqrt(u^2 - p^2) along a coordinate y of depth. In a plane y is
// depth and u slowness, on a sphere y = ln(R / r) and u = r times slowness. Where that function has
// the value of the distance between source and receiver is a ray, so that none is missed, whatever
// triplications there are: of PP, whose bounce is a maximum of the time, too.

#include <array>
#include <vector>

#include "model/layered_medium.hpp"
#include "phases/branch_ray.hpp"

namespace fermat {

/// Whether velocities of all layers depend on depth alone and interfaces are level, in a plane or
/// on a sphere with geocentric latitudes.
bool is_level(const LayeredMedium& medium);

/// Whether all rays of a branch are found wherever its ends are: the medium is level, and no wave
/// of the branch can run along the top of a layer whose velocity does not grow.
bool knows_all_rays(const LayeredMedium& medium, const Branch& branch);

/// A part of a layer between two rows, whose rays are known in closed form. In a plane velocity 1/u
/// is linear in y with the slope b, on a sphere u = u0 exp(-b (y - y0)).
struct LevelSlab {
    double y0 = 0, y1 = 0;
    double u0 = 0, u1 = 0;
    double b = 0;
    bool plane = true;
    double u(double y) const;
    /// The depth y below `from` at which a ray has the angle a: p = u cos a.
    double y_at(double from, double p, double a) const;
    /// What a ray of parameter p passes between two angles.
    double distance(double p, double a0, double a1) const;
    double time(double p, double a0, double a1) const;
};

/// One list of legs in a level medium.
class LevelWay {
  public:
    /// `first_turns`: the first leg goes up to where it ends only after it has turned, which legs
    /// of waves that are not reflected do not tell.
    LevelWay(const LayeredMedium& medium, const Legs& legs, bool first_turns = false);

    /// Whether all its waves of stationary time are among rays(): no leg is left that might turn or
    /// not, and no wave runs along the top of a layer whose velocity does not grow.
    bool is_complete() const { return complete_; }

    /// What the rays between two depths share: their distances by parameters.
    struct Sample {
        double p = 0;
        double distance = 0;
    };
    std::vector<Sample> samples(double source_depth, double receiver_depth) const;
    /// All rays between two points of users, in the order of their parameters.
    std::vector<BranchRay> rays(Vec3 source, Vec3 receiver,
                                const std::vector<Sample>& samples) const;

  private:
    struct LegWay {
        std::vector<LevelSlab> slabs;  ///< of the leg's layer
        std::vector<double> rows;      ///< u at its rows
        bool turns = false;
        int from = -1;  ///< interface, or -1: the source
        int to = -1;    ///< interface, or -1: the receiver
    };
    /// A leg between two depths, as y.
    struct Span {
        const LegWay* leg = nullptr;
        double from = 0;
        double to = 0;
    };
    struct Sum {
        double distance = 0;
        double time = 0;
    };

    double y_of(double depth) const;
    double depth_of(double y) const;
    std::vector<Span> spans(double source_depth, double receiver_depth) const;
    Sum sum(const Span& span, double p) const;
    double distance(const std::vector<Span>& spans, double p) const;
    double solve(const std::vector<Span>& spans, double low, double high, double distance) const;
    /// Adds the points of a leg after its first to a line of (distance, y).
    void draw(const Span& span, double p, std::vector<std::array<double, 2>>& line) const;
    int maxima(const std::vector<Span>& spans, double p) const;
    BranchRay ray(const std::vector<Span>& spans, double p, Vec3 source, Vec3 receiver) const;

    const LayeredMedium* medium_;
    Legs legs_;
    std::vector<LegWay> ways_;
    std::vector<int> bounces_;  ///< joints between two sections of legs that both turn
    double radius_ = 0;         ///< 0: a plane
    bool usable_ = true;
    bool complete_ = true;
};

}  // namespace fermat
