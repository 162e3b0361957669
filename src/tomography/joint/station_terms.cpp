#include "tomography/joint/station_terms.hpp"

#include <algorithm>

namespace fermat {

StationTerms::StationTerms(const Survey& picks, std::span<const std::int32_t> slots,
                           std::size_t phases, bool wanted, std::span<const double> errors)
    : stations_(picks.stations.size()) {
    if (!wanted) return;
    heard_.assign(phases * stations_, false);
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        const auto number = static_cast<std::size_t>(slots[n]) * stations_ +
                            static_cast<std::size_t>(picks.arrivals[n].station);
        numbers_.push_back(static_cast<std::int32_t>(number));
        if (n < errors.size()) heard_[number] = true;
    }
    std::vector<double> sorted(errors.begin(), errors.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    unit_ = *middle;
}

void StationTerms::centre(std::span<double> terms) const {
    for (std::size_t first = 0; first < size(); first += stations_) {
        double sum = 0;
        double count = 0;
        for (std::size_t t = first; t < first + stations_; ++t) {
            if (!heard_[t]) continue;
            sum += terms[t];
            count += 1;
        }
        for (std::size_t t = first; t < first + stations_; ++t) {
            terms[t] = heard_[t] ? terms[t] - sum / count : 0;
        }
    }
}

PickTerms StationTerms::found(std::span<const double> terms) const {
    PickTerms out;
    for (std::size_t t = 0; t < size(); ++t) {
        (t < stations_ ? out.receiver : out.receiver_s).push_back(unit_ * terms[t]);
    }
    return out;
}

}  // namespace fermat
