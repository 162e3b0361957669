#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/vec3.hpp"
#include "model/model.hpp"
#include "model/place.hpp"
#include "survey/survey.hpp"
#include "tomography/joint/joint_event.hpp"
#include "tomography/joint/options.hpp"

namespace fermat {

/// x, y, z and origin time of an event. Places are in flat coordinates (mapping.hpp), whose units
/// are lengths, so that events move in any coordinates of a grid.
inline constexpr std::size_t event_unknowns = 4;
using EventVector = std::array<double, event_unknowns>;

/// The events' part of a joint step, separated from the rest (Pavlis & Booker 1980). The step
/// makes |r - A d - H s|^2 + s^T D s least by d (velocities and terms) and s (events). H has one
/// block per event, with a row (dt/dx, dt/dy, dt/dz, 1) times its weight per pick. For any d,
///
///     s = (H^T H + D)^-1 H^T (r - A d),
///
/// so that d alone solves the problem with r and A replaced by Q r and Q A, where the symmetric
/// Q = I - H (H^T H + D)^-1 H^T is applied event by event. D = mu diag(H^T H) damps steps
/// (Levenberg-Marquardt), not shifts: where steps end does not depend on it. Where given places are
/// believed, (x + s)^T W (x + s) is added, x being the shift so far and W one over the variances;
/// then s = (H^T H + D + W)^-1 (H^T (r - A d) - W x), and Q r gains H (H^T H + D + W)^-1 W x.
class EventBlocks {
  public:
    EventBlocks(const Survey& picks, const Place& place, const JointOptions& options);

    bool any() const { return relocate_ != Relocate::none; }
    std::size_t events() const { return lists_.size(); }

    /// `slopes`: dt/dx at the event by flat coordinates, per pick; `weights`: of rows, 0 where a
    /// pick has no say. `shift`: of events from what was given, four numbers each.
    void renew(std::span<const Vec3> slopes, std::span<const double> weights,
               std::span<const double> shift, double damping);
    /// y <- Q y.
    void project(std::span<double> y, int threads) const;
    /// r <- Q r with what believed places add to it.
    void project_residual(std::span<double> r, int threads) const;
    /// x^T W x: what believed places add to the objective.
    double prior_of(std::span<const double> shift) const;

    /// Unknowns of events that are free with these weights: what the picks lose as degrees of
    /// freedom. One that is believed has a datum of its own and does not count.
    std::size_t free_unknowns(std::span<const double> weights) const;

    /// Adds the steps that belong to what the rest left of the residuals to `shift`, four numbers
    /// per event. No event leaves the grid or the rock of the model: what a face or the ground
    /// stops is held there, and the other unknowns of the event are found again.
    void step(const Model& model, std::span<const double> left, std::span<double> shift,
              std::vector<bool>& bounded) const;

    /// A row of H, and (H^T H + D)^-1 of an event times a vector: what A^T Q A is made of.
    const EventVector& row_of(std::size_t pick) const { return rows_[pick]; }
    EventVector solved(std::size_t event, const EventVector& right) const;

    // Where differences couple events, these are solved for with all other unknowns.
    /// y += H s.
    void add_times(std::span<const double> s, std::span<double> y, int threads) const;
    /// out = H^T y.
    void transposed_times(std::span<const double> y, std::span<double> out, int threads) const;
    /// out += (D + W) s; what is kept gets itself.
    void add_damping(std::span<const double> s, std::span<double> out) const;
    /// out -= W x.
    void add_pull(std::span<double> out) const;
    /// out += W^(1/2) noise, of what is free.
    void add_belief_noise(std::span<const double> noise, std::span<double> out) const;
    /// Each event's part divided by its block.
    void precondition(std::span<const double> in, std::span<double> out) const;
    /// As `step`, with the steps of all events given. Of an event that a face holds the other
    /// unknowns are found again while its neighbours keep their steps.
    void take(const Model& model, std::span<const double> steps, std::span<double> shift,
              std::vector<bool>& bounded) const;

    /// Standard deviations of an event's unknowns by the weights of its picks; 0 of what is kept.
    EventVector deviations(std::size_t event) const;
    /// Why an event keeps its place or not, by the weights of the last `renew`.
    EventUse use_of(std::size_t event) const;
    const std::vector<std::int32_t>& picks_of(std::size_t event) const { return lists_[event]; }
    const Place& place() const { return place_; }
    /// The flat place that an event was given.
    Vec3 given_place(std::size_t event) const { return given_[event]; }

  private:
    using Mask = std::array<bool, event_unknowns>;
    using Matrix = std::array<EventVector, event_unknowns>;
    struct Block {
        Mask free{};
        EventVector pull{};   ///< W x
        EventVector added{};  ///< the diagonal of D + W
        Matrix normal{};      ///< H^T H + D; the unit matrix of what is kept
        Matrix factor{};      ///< its lower triangle of Cholesky
    };

    Mask freedom(std::size_t event, std::size_t heard) const;
    EventVector products(std::size_t event, std::span<const double> y) const;
    void take_one(const Model& model, std::size_t event, const EventVector& right,
                  std::span<double> shift, std::vector<bool>& bounded) const;
    EventVector bounded_step(const Block& block, EventVector right, Vec3 from, bool& bounded) const;

    Place place_;
    Relocate relocate_;
    EventVector belief_{};  ///< W: one over the variances of given places
    std::size_t least_picks_;
    std::vector<Vec3> given_;  ///< flat places of the events
    ArrivalLists lists_;
    std::vector<KnownParts> known_;  ///< per event
    std::vector<EventVector> rows_;  ///< H, per pick
    std::vector<Block> blocks_;
};

}  // namespace fermat
