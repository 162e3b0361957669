#include "tomography/adjoint/device_lot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {

DeviceLot::DeviceLot(const Model& model, const Survey& survey,
                     std::span<const std::vector<std::int32_t>> lists, std::size_t first_event,
                     std::vector<double>& times)
    : survey_(survey),
      lists_(lists),
      times_(times),
      first_time_(lists.size()),
      receiver_of_(survey.stations.size(), -1) {
    std::vector<std::int32_t> all;
    for (std::size_t n = 0; n < lists.size(); ++n) {
        first_time_[n] = times.size();
        times.insert(times.end(), lists[n].size(), std::numeric_limits<double>::quiet_NaN());
        PointSource source = survey.events[first_event + n].source();
        const Vec3 at = model.place().nearest(source.position);
        source.position = model.mapping().to_user(at);
        if (lists[n].empty() || in_air(model, at)) continue;
        sources_.push_back(source);
        list_of_.push_back(n);
        all.insert(all.end(), lists[n].begin(), lists[n].end());
    }
    if (sources_.empty()) return;
    const Listeners listeners = listeners_of(survey, all);
    for (std::size_t n = 0; n < all.size(); ++n) {
        std::int32_t& receiver = receiver_of_[static_cast<std::size_t>(listeners.stations[n])];
        if (receiver >= 0) continue;
        receiver = static_cast<std::int32_t>(receivers_.size());
        receivers_.push_back(listeners.positions[n]);
    }
}

void DeviceLot::hear(std::size_t source, std::span<const double> heard, const PullOfPick& pull,
                     std::span<double> by) const {
    std::fill(by.begin(), by.end(), 0.0);
    const std::size_t list = list_of_[source];
    for (std::size_t n = 0; n < lists_[list].size(); ++n) {
        const auto pick = static_cast<std::size_t>(lists_[list][n]);
        const auto station = static_cast<std::size_t>(survey_.arrivals[pick].station);
        const auto receiver = static_cast<std::size_t>(receiver_of_[station]);
        if (!std::isfinite(heard[receiver])) continue;
        times_[first_time_[list] + n] = heard[receiver];
        by[receiver] += pull(pick, heard[receiver]);
    }
}

}  // namespace fermat
