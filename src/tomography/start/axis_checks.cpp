#include "tomography/start/axis_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/median.hpp"
#include "tomography/start/ground_points.hpp"

namespace fermat {
namespace {

double flat_distance(Vec3 a, Vec3 b) { return std::hypot(b.x - a.x, b.z - a.z); }

/// Lengths of the shortest lines from one point of the ground to all others, none of which rises
/// above it: the convex hull of the points between. `sign` -1: of the ground turned upside down.
std::vector<double> taut_lengths(std::span<const Vec3> ground, std::size_t from, double sign) {
    std::vector<double> lengths(ground.size(), 0);
    for (const int way : {-1, 1}) {
        std::vector<std::pair<Vec3, double>> hull = {{ground[from], 0}};
        for (auto n = static_cast<std::ptrdiff_t>(from) + way;
             n >= 0 && n < static_cast<std::ptrdiff_t>(ground.size()); n += way) {
            const Vec3 next = ground[static_cast<std::size_t>(n)];
            const auto is_needless = [&](Vec3 a, Vec3 b) {
                const double at = (b.x - a.x) / (next.x - a.x);
                return sign * (b.z - a.z) <= sign * (next.z - a.z) * at;
            };
            while (hull.size() > 1 && is_needless(hull[hull.size() - 2].first, hull.back().first)) {
                hull.pop_back();
            }
            const double length = hull.back().second + flat_distance(hull.back().first, next);
            hull.emplace_back(next, length);
            lengths[static_cast<std::size_t>(n)] = length;
        }
    }
    return lengths;
}

/// A pick of a line, and what it is taken for: a column each of its shot and its receiver, others
/// for picks to the left than for those to the right, and two powers of its distance.
struct SidedPick {
    std::size_t shot = 0;
    std::size_t receiver = 0;
    std::array<double, 2> powers{};
    double time = 0;
    double saved = 0;     ///< by a straight line below a hill, if the ground is turned round
    double as_given = 0;  ///< the same of the ground as it is
};

/// What is left of values, one per pick, after a least-squares fit of the columns, by conjugate
/// gradients.
class WithoutColumns {
  public:
    WithoutColumns(std::span<const SidedPick> picks, std::size_t columns)
        : picks_(picks), scale_(columns + 2, 0) {
        for (const SidedPick& pick : picks_) {
            scale_[pick.shot] += 1;
            scale_[pick.receiver] += 1;
            for (std::size_t p = 0; p < 2; ++p) {
                scale_[columns + p] += pick.powers[p] * pick.powers[p];
            }
        }
        for (double& one : scale_) {
            used_ += one > 0 ? 1 : 0;
            one = one > 0 ? 1 / std::sqrt(one) : 0;
        }
    }

    /// Columns that some pick has.
    std::size_t used() const { return used_; }

    std::vector<double> of(std::vector<double> y) const {
        constexpr int most = 400;
        constexpr double small = 1e-10;
        std::vector<double> s = transposed(y);
        std::vector<double> p = s;
        double gamma = dot(s, s);
        const double least = small * small * gamma;
        for (int n = 0; n < most && gamma > least; ++n) {
            const std::vector<double> q = times(p);
            const double step = gamma / dot(q, q);
            for (std::size_t i = 0; i < y.size(); ++i) y[i] -= step * q[i];
            s = transposed(y);
            const double next = dot(s, s);
            for (std::size_t i = 0; i < p.size(); ++i) p[i] = s[i] + next / gamma * p[i];
            gamma = next;
        }
        return y;
    }

    static double dot(std::span<const double> a, std::span<const double> b) {
        double sum = 0;
        for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
        return sum;
    }

  private:
    std::vector<double> times(std::span<const double> x) const {
        const auto at = [&](std::size_t column) { return scale_[column] * x[column]; };
        const std::size_t columns = scale_.size() - 2;
        std::vector<double> out;
        for (const SidedPick& pick : picks_) {
            out.push_back(at(pick.shot) + at(pick.receiver) + pick.powers[0] * at(columns) +
                          pick.powers[1] * at(columns + 1));
        }
        return out;
    }
    std::vector<double> transposed(std::span<const double> y) const {
        const std::size_t columns = scale_.size() - 2;
        std::vector<double> out(scale_.size(), 0);
        for (std::size_t n = 0; n < picks_.size(); ++n) {
            out[picks_[n].shot] += y[n];
            out[picks_[n].receiver] += y[n];
            out[columns] += picks_[n].powers[0] * y[n];
            out[columns + 1] += picks_[n].powers[1] * y[n];
        }
        for (std::size_t c = 0; c < out.size(); ++c) out[c] *= scale_[c];
        return out;
    }

    std::span<const SidedPick> picks_;
    std::vector<double> scale_;
    std::size_t used_ = 0;
};

/// Picks between points of the ground that are a quarter of the longest distance apart or more:
/// nearer ones do not reach the rock that far ones run through.
struct FarPicks {
    std::vector<SidedPick> picks;
    std::size_t columns = 0;
    double velocity = 0;  ///< median

    FarPicks(const Survey& survey, std::span<const Vec3> ground, double longest) {
        constexpr std::size_t most = 20000;
        constexpr double far = 0.25;
        const std::size_t points = ground.size();
        columns = 4 * points;
        std::vector<double> along = {0};
        for (std::size_t n = 1; n < points; ++n) {
            along.push_back(along.back() + flat_distance(ground[n - 1], ground[n]));
        }
        const auto point_at = [&](Vec3 position) {
            const auto at = std::lower_bound(ground.begin(), ground.end(), position.x,
                                             [](const Vec3& p, double x) { return p.x < x; });
            const bool found = at != ground.end() && at->x == position.x && at->z == position.z;
            return found ? static_cast<std::size_t>(at - ground.begin()) : points;
        };
        const std::size_t stride = survey.arrivals.size() / most + 1;
        const ArrivalLists shots = by_event(survey);
        std::vector<double> speeds;
        for (std::size_t e = 0; e < shots.size(); e += stride) {
            const std::size_t from = point_at(survey.events[e].position);
            if (from == points || shots[e].empty()) continue;
            const std::vector<double> given = taut_lengths(ground, from, 1);
            const std::vector<double> turned = taut_lengths(ground, from, -1);
            for (const std::int32_t number : shots[e]) {
                const Arrival& pick = survey.arrivals[static_cast<std::size_t>(number)];
                const std::size_t to = point_at(survey.station_of(pick).position);
                if (to == points || !(pick.time > 0)) continue;
                const double way = std::abs(along[to] - along[from]);
                if (!(way > far * longest)) continue;
                const std::size_t side = to > from ? points : 0;
                const double part = way / along.back();
                picks.push_back({from + side,
                                 2 * points + to + side,
                                 {part * part, part * part * part},
                                 pick.time,
                                 way - turned[to],
                                 way - given[to]});
                speeds.push_back(way / pick.time);
            }
        }
        if (!speeds.empty()) velocity = upper_median(std::move(speeds));
    }
};

/// How much of a slowness the picks' times save with the ground turned round.
struct SavedTime {
    double part = 0;        ///< of the slowness of the picks
    double deviations = 0;  ///< of it
    double turned = 0;      ///< squared sum of what tells, with the ground turned round
    double given = 0;       ///< and as it is
    std::vector<double> left;
};

std::optional<SavedTime> saved_time(std::span<const SidedPick> picks, std::size_t columns,
                                    double velocity) {
    constexpr std::size_t least_left = 30;
    const WithoutColumns fit(picks, columns);
    if (picks.size() < fit.used() + least_left) return std::nullopt;
    const auto rest_of = [&](double SidedPick::*value) {
        std::vector<double> values;
        for (const SidedPick& pick : picks) values.push_back(pick.*value);
        return fit.of(std::move(values));
    };
    const std::vector<double> saved = rest_of(&SidedPick::saved);
    const std::vector<double> as_given = rest_of(&SidedPick::as_given);
    SavedTime out;
    out.left = rest_of(&SidedPick::time);
    out.turned = WithoutColumns::dot(saved, saved);
    out.given = WithoutColumns::dot(as_given, as_given);
    if (!(out.turned > 0)) return std::nullopt;
    const double slowness = -WithoutColumns::dot(saved, out.left) / out.turned;
    for (std::size_t n = 0; n < saved.size(); ++n) out.left[n] += slowness * saved[n];
    const auto freedom = static_cast<double>(picks.size() - fit.used());
    const double variance = WithoutColumns::dot(out.left, out.left) / freedom / out.turned;
    out.part = slowness * velocity;
    out.deviations = variance > 0 ? slowness / std::sqrt(variance) : 0;
    return out;
}

/// Without the picks that the fit misses by far.
std::vector<SidedPick> without_outliers(std::span<const SidedPick> picks,
                                        std::span<const double> left) {
    constexpr double far = 6;  // times the median
    std::vector<double> sizes;
    for (const double one : left) sizes.push_back(std::abs(one));
    const double most = far * upper_median(sizes);
    std::vector<SidedPick> out;
    for (std::size_t n = 0; n < picks.size(); ++n) {
        if (sizes[n] <= most) out.push_back(picks[n]);
    }
    return out;
}

}  // namespace

std::optional<std::string> mirrored_relief(const Survey& picks, const SurveyShape& shape) {
    constexpr double little = 0.02;  // of the longest distance
    constexpr double sure = 3.5;     // deviations
    constexpr double twice = 2;
    constexpr std::size_t least_points = 8;
    const std::vector<Vec3>& ground = shape.ground.points;
    if (!shape.is_2d || !shape.along_surface || ground.size() < least_points) return std::nullopt;
    if (shape.high.z - shape.low.z < little * shape.longest) return std::nullopt;
    const FarPicks far(picks, ground, shape.longest);
    auto found = saved_time(far.picks, far.columns, far.velocity);
    if (!found) return std::nullopt;
    const std::vector<SidedPick> kept = without_outliers(far.picks, found->left);
    found = saved_time(kept, far.columns, far.velocity);
    if (!found || found->deviations < sure) return std::nullopt;
    const bool likely = found->part > 0.5 && found->part < 5;
    if (!likely || found->turned < twice * twice * found->given) return std::nullopt;
    return fmt::format(
        "the points make a valley, and the times are those below a hill: far picks are early as "
        "along straight lines through it (by {:.2g} deviations: are depths heights? z counts "
        "downward, and picks converted with `heights` have it turned round)",
        found->deviations);
}

std::optional<std::string> swapped_axes(const Survey& picks, const SurveyShape& shape) {
    constexpr double flat = 0.5;  // of the length
    constexpr double most = 0.6;  // of the length, that shots and receivers both reach along
    constexpr double faster = 1.3;
    constexpr std::size_t least = 20;
    const double across = shape.high.x - shape.low.x;
    const double along = shape.high.z - shape.low.z;
    if (!shape.is_2d || shape.along_surface || !(across < flat * along)) return std::nullopt;
    std::vector<Vec3> turned;
    const auto reach_of = [&](const auto& points) {
        double low = points.front().position.z;
        double high = low;
        for (const auto& point : points) {
            const Vec3 p = point.position;
            low = std::min(low, p.z);
            high = std::max(high, p.z);
            turned.push_back({p.z, 0, p.x});
        }
        return high - low;
    };
    const double shots = reach_of(picks.events);
    const double receivers = reach_of(picks.stations);
    if (std::min(shots, receivers) < most * along) return std::nullopt;
    if (!lie_on_a_surface(unique_points(std::move(turned)), shape.point_distance)) {
        return std::nullopt;
    }
    std::vector<double> near;
    std::vector<double> far;
    for (const Arrival& pick : picks.arrivals) {
        const double way =
            flat_distance(picks.event_of(pick).position, picks.station_of(pick).position);
        if (!(way > 0) || !(pick.time > 0)) continue;
        if (way < shape.longest / 4) near.push_back(way / pick.time);
        if (way > shape.longest / 2) far.push_back(way / pick.time);
    }
    if (near.size() < least || far.size() < least) return std::nullopt;
    const double ratio = upper_median(std::move(far)) / upper_median(std::move(near));
    if (ratio < faster) return std::nullopt;
    return fmt::format(
        "the points lie below each other, {:.3g} deep and {:.3g} wide, and far picks are {:.2g} "
        "times as fast as near ones, as along a line on the ground (are x and z exchanged? see "
        "`columns`)",
        along, across, ratio);
}

}  // namespace fermat
