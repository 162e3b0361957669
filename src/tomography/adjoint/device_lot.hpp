#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eikonal/eikonal.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"
#include "tomography/adjoint/pick_gradient.hpp"

namespace fermat {

/// A lot of events that a device takes together: their sources, and the stations of all of them as
/// receivers.
class DeviceLot {
  public:
    /// `lists` are the picks of the events from `first_event` on. Appends their times, not a number
    /// so far. What is given must outlive it.
    DeviceLot(const Model& model, const Survey& survey,
              std::span<const std::vector<std::int32_t>> lists, std::size_t first_event,
              std::vector<double>& times);

    const std::vector<PointSource>& sources() const { return sources_; }
    const std::vector<Vec3>& receivers() const { return receivers_; }
    /// Keeps the times of the picks of a source, and sets dJ/dT at the receivers.
    void hear(std::size_t source, std::span<const double> heard, const PullOfPick& pull,
              std::span<double> by) const;

  private:
    const Survey& survey_;
    std::span<const std::vector<std::int32_t>> lists_;
    std::vector<double>& times_;
    std::vector<std::size_t> first_time_;  ///< of a list's picks, in `times`
    std::vector<PointSource> sources_;
    std::vector<std::size_t> list_of_;  ///< by source
    std::vector<Vec3> receivers_;
    std::vector<std::int32_t> receiver_of_;  ///< by station, -1 where none listens
};

}  // namespace fermat
