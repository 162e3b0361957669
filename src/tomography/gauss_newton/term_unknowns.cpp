#include "tomography/gauss_newton/term_unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/expect.hpp"
#include "core/median.hpp"

namespace fermat {
namespace {

/// Takes the means of groups away. Gives the share of the variance that they explain beyond what
/// those of noise would.
double take_means(std::vector<double>& residual, const std::vector<std::int32_t>& group,
                  std::size_t groups) {
    std::vector<double> sums(groups, 0.0);
    std::vector<double> counts(groups, 0.0);
    double all = 0;
    double before = 0;
    for (std::size_t n = 0; n < residual.size(); ++n) {
        sums[static_cast<std::size_t>(group[n])] += residual[n];
        counts[static_cast<std::size_t>(group[n])] += 1;
        before += residual[n] * residual[n];
        all += 1;
    }
    double after = 0;
    for (std::size_t n = 0; n < residual.size(); ++n) {
        const auto g = static_cast<std::size_t>(group[n]);
        residual[n] -= sums[g] / counts[g];
        after += residual[n] * residual[n];
    }
    const auto means = static_cast<double>(
        std::count_if(counts.begin(), counts.end(), [](double count) { return count > 0; }));
    if (!(before > 0) || all <= means) return 0;
    // Few picks per mean explain much by chance: the ratio of both variances (F) must be four
    // standard deviations above the 1 of noise.
    const double ratio = (before - after) / means / (after / (all - means));
    if (ratio < 1 + 4 * std::sqrt(2 / means + 2 / (all - means))) return 0;
    return std::max(0.0, 1 - after / before * all / (all - means));
}

}  // namespace

TermUnknowns::TermUnknowns(const Survey& picks, Terms terms, std::span<const double> errors,
                           std::size_t grid_unknowns)
    : picks_(picks), first_(grid_unknowns) {
    if (terms == Terms::none) return;
    const bool both = terms == Terms::both;
    if (both || terms == Terms::shot) shots_ = picks.events.size();
    if (both || terms == Terms::receiver) receivers_ = picks.stations.size();
    if (terms == Terms::common) common_ = 1;
    unit_ = upper_median({errors.begin(), errors.end()});
}

std::vector<double> TermUnknowns::damping() const { return std::vector<double>(size(), 1.0); }

void TermUnknowns::extend(RowLot& lot) const {
    if (size() == 0) return;
    const std::size_t more = (shots_ > 0 ? 1 : 0) + (receivers_ > 0 ? 1 : 0) + common_;
    UnknownRows out;
    out.column.reserve(lot.rows.entries() + more * lot.rows.rows());
    out.value.reserve(out.column.capacity());
    const auto add = [&](std::size_t column) {
        out.column.push_back(static_cast<std::int32_t>(column));
        out.value.push_back(static_cast<float>(unit_));
    };
    for (std::size_t r = 0; r < lot.rows.rows(); ++r) {
        const auto begin = static_cast<std::ptrdiff_t>(lot.rows.start[r]);
        const auto end = static_cast<std::ptrdiff_t>(lot.rows.start[r + 1]);
        out.column.insert(out.column.end(), lot.rows.column.begin() + begin,
                          lot.rows.column.begin() + end);
        out.value.insert(out.value.end(), lot.rows.value.begin() + begin,
                         lot.rows.value.begin() + end);
        if (end > begin) {  // a ray that was lost has no row
            const Arrival& pick = picks_.arrivals[static_cast<std::size_t>(lot.picks[r])];
            if (shots_ > 0) add(first_ + static_cast<std::size_t>(pick.event));
            if (receivers_ > 0) add(first_ + shots_ + static_cast<std::size_t>(pick.station));
            if (common_ > 0) add(first_);
        }
        out.start.push_back(static_cast<std::int64_t>(out.column.size()));
    }
    lot.rows = std::move(out);
}

double TermUnknowns::time_of(std::span<const double> x, std::size_t pick) const {
    FERMAT_EXPECT(pick < picks_.arrivals.size() && x.size() >= first_ + size());
    const Arrival& p = picks_.arrivals[pick];
    double sum = 0;
    if (shots_ > 0) sum += x[first_ + static_cast<std::size_t>(p.event)];
    if (receivers_ > 0) sum += x[first_ + shots_ + static_cast<std::size_t>(p.station)];
    if (common_ > 0) sum += x[first_];
    return unit_ * sum;
}

double TermUnknowns::penalty(std::span<const double> x) const {
    double sum = 0;
    for (std::size_t t = 0; t < size(); ++t) sum += x[first_ + t] * x[first_ + t];
    return sum;
}

PickTerms TermUnknowns::found(std::span<const double> x) const {
    PickTerms terms;
    for (std::size_t t = 0; t < size(); ++t) {
        std::vector<double>& to = common_ > 0  ? terms.common
                                  : t < shots_ ? terms.shot
                                               : terms.receiver;
        to.push_back(unit_ * x[first_ + t]);
    }
    return terms;
}

TermShares term_shares(const Survey& picks, std::span<const double> residual) {
    std::vector<double> left;
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> receiver;
    for (std::size_t n = 0; n < residual.size(); ++n) {
        if (std::isnan(residual[n])) continue;
        left.push_back(residual[n]);
        source.push_back(picks.arrivals[n].event);
        receiver.push_back(picks.arrivals[n].station);
    }
    TermShares shares;
    shares.shot = take_means(left, source, picks.events.size());
    shares.receiver = (1 - shares.shot) * take_means(left, receiver, picks.stations.size());
    return shares;
}

}  // namespace fermat
