#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "eikonal/eikonal.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// A survey whose sources and receivers are exchanged. First arrivals are reciprocal. If there are
/// fewer receivers than sources, it is cheaper to solve the receivers' fields, trace from the
/// sources, and reverse the rays.
class ExchangedSurvey {
  public:
    ExchangedSurvey(std::span<const PointSource> sources, std::span<const Vec3> receivers,
                    std::span<const RayPair> pairs);

    std::span<const PointSource> sources() const { return from_; }
    std::span<const Vec3> receivers() const { return to_; }
    std::span<const RayPair> pairs() const { return pairs_; }

    /// Turns rays of the exchanged survey, grouped by its sources, into rays of the original
    /// survey: one set per source, in the order of sources, within a source in the order of pairs.
    /// Rays that did not arrive have only the receiver as a point.
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

/// True if the survey uses fewer receivers than sources, and its rays fit in memory: all of them
/// are kept until the last receiver is done.
bool exchange_pays(const Grid& grid, std::span<const RayPair> pairs);

}  // namespace fermat
