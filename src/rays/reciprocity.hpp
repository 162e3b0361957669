#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "eikonal/eikonal.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// A survey with its sides exchanged. First arrivals are reciprocal, so with fewer receivers than
/// sources it pays to solve the receivers' fields, to trace from the sources, and to turn the rays
/// round.
class ExchangedSurvey {
  public:
    ExchangedSurvey(std::span<const PointSource> sources, std::span<const Vec3> receivers,
                    std::span<const RayPair> pairs);

    std::span<const PointSource> sources() const { return from_; }
    std::span<const Vec3> receivers() const { return to_; }
    std::span<const RayPair> pairs() const { return pairs_; }

    /// Rays of the exchanged survey, grouped by its sources, as rays of the survey itself: one set
    /// a source, in the order of sources, within each in the order of pairs. Rays that did not
    /// arrive keep their receiver as their only point.
    void turn_round(const Model& model, const RaySet& rays,
                    const std::function<void(RaySet&&)>& consume) const;

  private:
    std::span<const PointSource> sources_;
    std::span<const Vec3> receivers_;
    std::span<const RayPair> given_;
    std::vector<PointSource> from_;
    std::vector<Vec3> to_;
    std::vector<RayPair> pairs_;
};

/// Whether a survey has fewer receivers in use than sources, and its rays, which wait for the last
/// receiver, fit in memory.
bool exchange_pays(const Grid& grid, std::span<const RayPair> pairs);

}  // namespace fermat
