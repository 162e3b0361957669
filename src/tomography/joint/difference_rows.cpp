#include "tomography/joint/difference_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/parallel.hpp"

namespace fermat {

DifferenceRows::DifferenceRows(const Survey& picks, std::span<const TimeDifference> differences,
                               const DifferenceWeighting& weighting, double weight)
    : weighting_(weighting), weight_(weight), picks_(picks.arrivals.size()), arrivals_(picks) {
    std::map<std::tuple<std::int32_t, std::int32_t, Phase>, std::int32_t> numbers;
    if (!differences.empty()) {
        for (std::size_t n = 0; n < picks_; ++n) {
            const Arrival& pick = picks.arrivals[n];
            numbers.try_emplace({pick.event, pick.station, pick.phase},
                                static_cast<std::int32_t>(n));
        }
    }
    const auto arrival_of = [&](std::int32_t event, const TimeDifference& one) {
        const auto [at, is_new] = numbers.try_emplace(
            {event, one.station, one.phase}, static_cast<std::int32_t>(arrivals_.arrivals.size()));
        if (is_new) {
            const double time = picks.events[static_cast<std::size_t>(event)].origin_time;
            arrivals_.arrivals.push_back({event, one.station, time, 0, one.phase});
        }
        return at->second;
    };
    for (const TimeDifference& one : differences) {
        const std::int32_t first = arrival_of(one.first, one);
        links_.push_back({first, arrival_of(one.second, one), one.time, one.weight, one.kind});
    }
    std::vector<std::vector<End>> ends(arrivals_.arrivals.size());
    for (std::size_t k = 0; k < links_.size(); ++k) {
        const auto link = static_cast<std::int32_t>(k);
        ends[static_cast<std::size_t>(links_[k].first)].push_back({link, 1});
        ends[static_cast<std::size_t>(links_[k].second)].push_back({link, -1});
    }
    first_end_.push_back(0);
    for (const std::vector<End>& own : ends) {
        ends_.insert(ends_.end(), own.begin(), own.end());
        first_end_.push_back(static_cast<std::int64_t>(ends_.size()));
    }
}

std::string DifferenceRows::description() const {
    std::array<std::size_t, kind_count> counts{};
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const Link& link : links_) {
        ++counts[static_cast<std::size_t>(link.kind)];
        const auto event = [&](std::int32_t n) {
            return arrivals_.arrivals[static_cast<std::size_t>(n)].event;
        };
        pairs.insert(std::minmax(event(link.first), event(link.second)));
    }
    return fmt::format(
        "differences: {} of catalogues and {} of correlations, of {} pairs of events; {} arrivals "
        "that nobody picked are computed for them",
        counts[0], counts[1], pairs.size(), arrivals_.arrivals.size() - picks_);
}

std::vector<double> DifferenceRows::residuals(std::span<const double> travel) const {
    std::vector<double> out;
    out.reserve(links_.size());
    for (const Link& link : links_) {
        const double computed = travel[static_cast<std::size_t>(link.first)] -
                                travel[static_cast<std::size_t>(link.second)];
        out.push_back(link.time - computed);
    }
    return out;
}

void DifferenceRows::weigh(std::span<const double> residuals, std::span<const Vec3> places) {
    states_.resize(links_.size());
    const auto place_of = [&](std::int32_t arrival) {
        return places[static_cast<std::size_t>(
            arrivals_.arrivals[static_cast<std::size_t>(arrival)].event)];
    };
    for (std::size_t k = 0; k < links_.size(); ++k) {
        const Link& link = links_[k];
        states_[k] = {link.kind, link.weight, residuals[k],
                      distance(place_of(link.first), place_of(link.second))};
    }
    weights_ = difference_weights(states_, weighting_, deviation_);
}

double DifferenceRows::objective(std::span<const double> residuals,
                                 std::span<const double> others) const {
    double sum = 0;
    for (std::size_t k = 0; k < residuals.size(); ++k) {
        if (!(weights_[k] > 0) || std::isnan(residuals[k]) || std::isnan(others[k])) continue;
        sum += weight_ * weights_[k] * residuals[k] * residuals[k];
    }
    return sum;
}

std::vector<double> DifferenceRows::row_weights(std::span<const double> pick_weights) {
    pick_weights_.assign(pick_weights.begin(), pick_weights.end());
    std::vector<double> squares(arrivals_.arrivals.size(), 0.0);
    double of_picks = 0;
    for (std::size_t n = 0; n < pick_weights.size(); ++n) {
        squares[n] = pick_weights[n] * pick_weights[n];
        of_picks += squares[n];
    }
    for (std::size_t k = 0; k < links_.size(); ++k) {
        squares[static_cast<std::size_t>(links_[k].first)] += weight_ * weights_[k];
        squares[static_cast<std::size_t>(links_[k].second)] += weight_ * weights_[k];
    }
    double all = 0;
    q_.resize(squares.size());
    for (std::size_t n = 0; n < squares.size(); ++n) {
        all += squares[n];
        q_[n] = std::sqrt(squares[n]);
    }
    share_of_picks_ = all > 0 && of_picks > 0 ? of_picks / all : 1;
    return q_;
}

std::vector<double> DifferenceRows::right_side(std::span<const double> pick_residual) const {
    std::vector<double> out(q_.size(), 0.0);
    for (std::size_t n = 0; n < out.size(); ++n) {
        if (q_[n] == 0) continue;
        double sum = n < picks_ ? pick_weights_[n] * pick_residual[n] : 0;
        for (auto e = static_cast<std::size_t>(first_end_[n]);
             e < static_cast<std::size_t>(first_end_[n + 1]); ++e) {
            const auto k = static_cast<std::size_t>(ends_[e].link);
            if (weights_[k] > 0) sum += ends_[e].sign * weight_ * weights_[k] * residual_of(k);
        }
        out[n] = sum / q_[n];
    }
    return out;
}

std::vector<double> DifferenceRows::noise(RandomStream& random) const {
    const std::vector<double> of_picks = random.normals(picks_);
    const std::vector<double> of_links = random.normals(links_.size());
    std::vector<double> out(q_.size(), 0.0);
    for (std::size_t n = 0; n < out.size(); ++n) {
        if (q_[n] == 0) continue;
        double sum = n < picks_ ? pick_weights_[n] * of_picks[n] : 0;
        for (auto e = static_cast<std::size_t>(first_end_[n]);
             e < static_cast<std::size_t>(first_end_[n + 1]); ++e) {
            const auto k = static_cast<std::size_t>(ends_[e].link);
            sum += ends_[e].sign * std::sqrt(weight_ * weights_[k]) * of_links[k];
        }
        out[n] = sum / q_[n];
    }
    return out;
}

void DifferenceRows::apply(std::span<double> y, int threads) const {
    if (!any()) return;
    const int team = y.size() + links_.size() < 20000 ? 1 : threads;
    std::vector<double> plain(y.size(), 0.0);
    for (std::size_t n = 0; n < y.size(); ++n) plain[n] = q_[n] > 0 ? y[n] / q_[n] : 0;
    std::vector<double> pulls(links_.size());
    const auto pull = [&](std::int64_t begin, std::int64_t end) {
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
            pulls[k] = weight_ * weights_[k] *
                       (plain[static_cast<std::size_t>(links_[k].first)] -
                        plain[static_cast<std::size_t>(links_[k].second)]);
        }
    };
    const auto gather = [&](std::int64_t begin, std::int64_t end) {
        for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
            double sum = n < picks_ ? pick_weights_[n] * pick_weights_[n] * plain[n] : 0;
            for (auto e = static_cast<std::size_t>(first_end_[n]);
                 e < static_cast<std::size_t>(first_end_[n + 1]); ++e) {
                sum += ends_[e].sign * pulls[static_cast<std::size_t>(ends_[e].link)];
            }
            y[n] = q_[n] > 0 ? sum / q_[n] : 0;
        }
    };
    parallel_ranges(static_cast<std::int64_t>(links_.size()), team, pull);
    parallel_ranges(static_cast<std::int64_t>(y.size()), team, gather);
}

DifferenceFits DifferenceRows::fits(const KindNumbers& rms_before) const {
    DifferenceFits out;
    if (!any()) return out;
    for (std::size_t k = 0; k < links_.size(); ++k) {
        const double deviation = deviation_[static_cast<std::size_t>(links_[k].kind)];
        out.residuals.push_back(residual_of(k));
        out.weights.push_back(weights_[k] > 0 ? weights_[k] * deviation * deviation : 0);
    }
    out.rms_before = rms_before;
    out.rms = rms();
    out.deviation = deviation_;
    return out;
}

}  // namespace fermat
