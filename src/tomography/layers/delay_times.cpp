#include "tomography/layers/delay_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/median.hpp"
#include "tomography/trust/dense_inverse.hpp"

namespace fermat {
namespace {

/// A straight piece of times over distances: start + slowness * offset.
struct LineSegment {
    double start = 0;
    double slowness = 0;
};
using LineSegments = std::vector<LineSegment>;

/// Layers that are less faster than that above them are not told apart by first arrivals.
constexpr double least_contrast = 1.2;

/// Medians of times over distances.
struct MedianCurve {
    std::vector<double> offset;
    std::vector<double> time;
};

MedianCurve curve_of(const std::vector<LinePick>& picks) {
    constexpr std::size_t most = 48;
    std::vector<std::size_t> order(picks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return picks[a].offset() < picks[b].offset();
    });
    const std::size_t bins = std::min(most, picks.size());
    MedianCurve curve;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        std::vector<double> offset;
        std::vector<double> time;
        for (std::size_t i = picks.size() * bin / bins; i < picks.size() * (bin + 1) / bins; ++i) {
            offset.push_back(picks[order[i]].offset());
            time.push_back(picks[order[i]].time);
        }
        curve.offset.push_back(median(offset));
        curve.time.push_back(median(time));
    }
    return curve;
}

/// The line of the least sum of squares through points [begin, end), for the first piece through 0.
LineSegment line_through(const MedianCurve& curve, std::size_t begin, std::size_t end,
                         bool through_origin) {
    double n = 0;
    double x = 0;
    double t = 0;
    double xx = 0;
    double xt = 0;
    for (std::size_t i = begin; i < end; ++i) {
        n += 1;
        x += curve.offset[i];
        t += curve.time[i];
        xx += curve.offset[i] * curve.offset[i];
        xt += curve.offset[i] * curve.time[i];
    }
    if (through_origin) return {0, xt / xx};
    const double slowness = (n * xt - x * t) / (n * xx - x * x);
    return {(t - slowness * x) / n, slowness};
}

double squares(const MedianCurve& curve, std::size_t begin, std::size_t end, LineSegment piece) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const double miss = curve.time[i] - piece.start - piece.slowness * curve.offset[i];
        sum += miss * miss;
    }
    return sum;
}

/// Whether each piece is flatter than that before it, and starts later.
bool bends_down(const LineSegments& pieces) {
    if (!(pieces.front().slowness > 0)) return false;
    for (std::size_t k = 1; k < pieces.size(); ++k) {
        const bool flatter =
            pieces[k].slowness > 0 && least_contrast * pieces[k].slowness < pieces[k - 1].slowness;
        if (!flatter || pieces[k].start <= pieces[k - 1].start) return false;
    }
    return true;
}

/// Ways to divide the curve into pieces, those of the least sums of squares first: at the most a
/// dozen of those whose ends are a twelfth of the curve apart.
std::vector<LineSegments> ways_to_divide(const MedianCurve& curve, std::size_t layers) {
    constexpr std::size_t most = 12;
    const std::size_t points = curve.offset.size();
    const std::size_t stride = std::max<std::size_t>(1, points / 12);
    const std::size_t least = std::max<std::size_t>(2, std::min<std::size_t>(3, stride));
    std::vector<std::pair<double, LineSegments>> all;
    LineSegments now(layers);
    const auto divide = [&](auto& self, std::size_t layer, std::size_t begin, double sum) -> void {
        const bool last = layer + 1 == layers;
        for (std::size_t end = last ? points : begin + stride; end <= points; end += stride) {
            if (end < begin + least) continue;
            now[layer] = line_through(curve, begin, end, layer == 0);
            const double with = sum + squares(curve, begin, end, now[layer]);
            if (!last) {
                self(self, layer + 1, end, with);
            } else if (bends_down(now)) {
                all.emplace_back(with, now);
            }
        }
    };
    divide(divide, 0, 0, 0.0);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<LineSegments> out;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i) out.push_back(all[i].second);
    return out;
}

/// Weights of the two places next to a point.
struct PlaceWeights {
    std::size_t place = 0;
    double right = 0;
};
PlaceWeights between(const DelayTimes& found, double x) {
    const double last = static_cast<double>(found.places - 1);
    const double at = std::clamp((x - found.first) / found.step, 0.0, last);
    const auto place = std::min(static_cast<std::size_t>(at), found.places - 2);
    return {place, at - static_cast<double>(place)};
}

/// Delay times and velocity of one refractor from its picks: least squares with curvature along
/// the line, outliers weighed down (Huber), and a slowness held loosely to that before.
void solve_refractor(DelayTimes& found, const std::vector<LinePick>& picks, std::size_t refractor) {
    const std::size_t places = found.places;
    const std::size_t n = places + 1;
    const double before = 1 / found.velocity[refractor];
    std::vector<std::size_t> own;
    double reach = 0;
    for (std::size_t i = 0; i < picks.size(); ++i) {
        if (found.layer_of[i] != refractor) continue;
        own.push_back(i);
        reach = std::max(reach, picks[i].offset());
    }
    std::vector<double> weight(own.size(), 1.0);
    std::vector<double> x(n, 0.0);
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> matrix(n * n, 0.0);
        std::vector<double> right(n, 0.0);
        const auto add_row = [&](const std::vector<std::pair<std::size_t, double>>& row, double of,
                                 double w) {
            for (const auto& [i, a] : row) {
                right[i] += w * a * of;
                for (const auto& [j, b] : row) matrix[i * n + j] += w * a * b;
            }
        };
        std::vector<std::vector<std::pair<std::size_t, double>>> rows;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const LinePick& pick = picks[own[i]];
            std::vector<std::pair<std::size_t, double>> row;
            for (const double end : {pick.source, pick.receiver}) {
                const PlaceWeights at = between(found, end);
                row.emplace_back(at.place, 1 - at.right);
                row.emplace_back(at.place + 1, at.right);
            }
            row.emplace_back(places, pick.offset() / reach);
            add_row(row, pick.time, weight[i]);
            rows.push_back(std::move(row));
        }
        // A bend counts as a few picks do where the delay changes by a tenth from place to place.
        const double total = static_cast<double>(own.size());
        const double bend = 0.2 * total / static_cast<double>(places);
        for (std::size_t k = 1; k + 1 < places; ++k) {
            add_row({{k - 1, -1.0}, {k, 2.0}, {k + 1, -1.0}}, 0, bend);
        }
        for (std::size_t k = 0; k + 1 < places; ++k)
            add_row({{k, -1.0}, {k + 1, 1.0}}, 0, 1e-4 * bend);
        add_row({{places, 1.0}}, before * reach, 1e-3 * total);
        x = DenseInverse(std::move(matrix), n, 1).solve(std::move(right));
        std::vector<double> misses;
        for (std::size_t i = 0; i < own.size(); ++i) {
            double miss = -picks[own[i]].time;
            for (const auto& [at, a] : rows[i]) miss += a * x[at];
            misses.push_back(std::fabs(miss));
        }
        const double usual = std::max(2 * median(misses), 1e-12);
        for (std::size_t i = 0; i < own.size(); ++i) {
            weight[i] = misses[i] > usual ? usual / misses[i] : 1;
        }
    }
    found.velocity[refractor] = x[places] > 0 ? reach / x[places] : 1 / before;
    for (std::size_t k = 0; k < places; ++k) found.delay[refractor - 1][k] = std::max(x[k], 0.0);
}

std::size_t earliest(const DelayTimes& found, const LinePick& pick) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < found.velocity.size(); ++k) {
        if (found.time_of(k, pick) < found.time_of(best, pick)) best = k;
    }
    return best;
}

/// Whether all layers have picks, and each is faster than that above it.
bool is_sound(const DelayTimes& found) {
    constexpr std::ptrdiff_t least = 6;
    for (std::size_t k = 0; k < found.velocity.size(); ++k) {
        if (std::count(found.layer_of.begin(), found.layer_of.end(), k) < least) return false;
        if (k > 0 && found.velocity[k] < least_contrast * found.velocity[k - 1]) return false;
    }
    return true;
}

/// Time over a distance of a wave that dives in v + g z.
double diving_time(double offset, double velocity, double gradient) {
    if (!(gradient > 0)) return offset / velocity;
    return 2 / gradient * std::asinh(gradient * offset / (2 * velocity));
}

/// Velocity of the layer at the ground: the median of its picks. With a gradient, the pair of the
/// least sum of differences: over a coarse table first, then closer three times.
void solve_first(DelayTimes& found, const std::vector<LinePick>& picks, TopLayer top) {
    std::vector<double> speeds;
    std::vector<LinePick> own;
    for (std::size_t i = 0; i < picks.size(); ++i) {
        if (found.layer_of[i] != 0) continue;
        speeds.push_back(picks[i].offset() / picks[i].time);
        own.push_back(picks[i]);
    }
    if (speeds.empty()) return;
    found.velocity[0] = median(speeds);
    if (top == TopLayer::constant) return;
    constexpr std::size_t most = 150;
    const std::size_t stride = std::max<std::size_t>(1, own.size() / most);
    double reach = 0;
    for (const LinePick& pick : own) reach = std::max(reach, pick.offset());
    // In logarithms of v and of g reach / v.
    double v_middle = std::log(0.8 * found.velocity[0]);
    double g_middle = std::log(1.0);
    double v_half = std::log(2.0);
    double g_half = std::log(40.0);
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 4; ++round) {
        constexpr int steps = 4;  // to each side
        const double v_at = v_middle;
        const double g_at = g_middle;
        for (int i = -steps; i <= steps; ++i) {
            for (int j = -steps; j <= steps; ++j) {
                const double v = std::exp(v_at + v_half * i / steps);
                const double g = std::exp(g_at + g_half * j / steps) * v / reach;
                double sum = 0;
                for (std::size_t n = 0; n < own.size(); n += stride) {
                    sum += std::fabs(diving_time(own[n].offset(), v, g) - own[n].time);
                }
                if (sum >= best) continue;
                best = sum;
                v_middle = std::log(v);
                g_middle = std::log(g * reach / v);
                found.velocity[0] = v;
                found.gradient = g;
            }
        }
        v_half *= 1.5 / steps;
        g_half *= 1.5 / steps;
    }
}

/// Delay time, by a slowness along the line, of the part of a layer with v + g z above a depth.
double delay_above(double depth, double velocity, double gradient, double slowness) {
    if (!(gradient > 0)) {
        const double u = velocity * slowness;
        return depth / velocity * std::sqrt(std::max(1e-3, 1 - u * u));
    }
    const auto part = [&](double v) {
        const double u = std::clamp(slowness * v, 1e-9, 1.0);
        return std::sqrt(1 - u * u) - std::acosh(1 / u);
    };
    return (part(velocity + gradient * depth) - part(velocity)) / gradient;
}

/// The depth above which a layer with v + g z makes a delay time: where that is not reached before
/// velocity is that of the refractor, the depth where it is.
double depth_of_delay(double delay, double velocity, double gradient, double slowness) {
    if (!(gradient > 0)) return delay / delay_above(1, velocity, 0, slowness);
    double low = 0;
    double high = (1 / slowness - velocity) / gradient;
    for (int n = 0; n < 50; ++n) {
        const double middle = 0.5 * (low + high);
        (delay_above(middle, velocity, gradient, slowness) < delay ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Delay times and velocities that begin with straight pieces, until no pick changes its layer.
DelayTimes settled(DelayTimes found, const std::vector<LinePick>& picks, const LineSegments& pieces,
                   TopLayer top) {
    for (const LineSegment& piece : pieces) {
        found.velocity.push_back(1 / piece.slowness);
        if (found.velocity.size() == 1) continue;
        found.delay.emplace_back(found.places, 0.5 * piece.start);
    }
    for (const LinePick& pick : picks) found.layer_of.push_back(earliest(found, pick));
    constexpr int rounds = 8;
    for (int round = 0; round < rounds; ++round) {
        if (!is_sound(found)) break;
        DelayTimes next = found;
        solve_first(next, picks, top);
        for (std::size_t k = 1; k < pieces.size(); ++k) solve_refractor(next, picks, k);
        for (std::size_t i = 0; i < picks.size(); ++i) next.layer_of[i] = earliest(next, picks[i]);
        if (!is_sound(next)) break;
        const bool same = next.layer_of == found.layer_of;
        found = std::move(next);
        if (same) break;
    }
    // The mean, of misses that outliers do not rule.
    std::vector<double> misses;
    for (std::size_t i = 0; i < picks.size(); ++i) {
        misses.push_back(std::fabs(found.time_of(found.layer_of[i], picks[i]) - picks[i].time));
    }
    const double most = 10 * median(misses);
    double sum = 0;
    for (const double miss : misses) sum += std::min(miss, most);
    found.misfit = sum / static_cast<double>(misses.size());
    return found;
}

}  // namespace

double DelayTimes::delay_at(std::size_t refractor, double x) const {
    const PlaceWeights at = between(*this, x);
    const std::vector<double>& own = delay[refractor - 1];
    return (1 - at.right) * own[at.place] + at.right * own[at.place + 1];
}

double DelayTimes::time_of(std::size_t layer, const LinePick& pick) const {
    const double along = pick.offset() / velocity[layer];
    if (layer == 0) return diving_time(pick.offset(), velocity[0], gradient);
    return along + delay_at(layer, pick.source) + delay_at(layer, pick.receiver);
}

std::vector<LinePick> line_picks(const Survey& survey) {
    std::vector<LinePick> out;
    for (const Arrival& pick : survey.arrivals) {
        const Event& event = survey.event_of(pick);
        out.push_back({event.position.x, survey.station_of(pick).position.x,
                       pick.time - event.origin_time, pick.error});
    }
    return out;
}

DelayTimes find_delay_times(const std::vector<LinePick>& picks, std::size_t layers, double step) {
    auto found = try_delay_times(picks, layers, step, TopLayer::constant);
    if (found) return std::move(*found);
    throw InputError(
        fmt::format("`layers` is {} and times over distance do not bend as those of {} layers do, "
                    "each faster than that above it (ask for fewer, or for none)",
                    layers, layers));
}

std::optional<DelayTimes> try_delay_times(const std::vector<LinePick>& picks, std::size_t layers,
                                          double step, TopLayer top) {
    std::vector<LinePick> apart;
    for (const LinePick& pick : picks) {
        if (pick.offset() > 0 && pick.time > 0) apart.push_back(pick);
    }
    if (apart.size() < 12 * layers) return std::nullopt;
    DelayTimes empty;
    double low = apart.front().source;
    double high = low;
    for (const LinePick& pick : apart) {
        low = std::min({low, pick.source, pick.receiver});
        high = std::max({high, pick.source, pick.receiver});
    }
    empty.places =
        std::max<std::size_t>(3, static_cast<std::size_t>(std::lround((high - low) / step)) + 1);
    empty.first = low;
    empty.step = (high - low) / static_cast<double>(empty.places - 1);
    std::vector<DelayTimes> all;
    double least = std::numeric_limits<double>::infinity();
    for (const LineSegments& pieces : ways_to_divide(curve_of(apart), layers)) {
        DelayTimes found = settled(empty, apart, pieces, top);
        if (!is_sound(found)) continue;
        least = std::min(least, found.misfit);
        all.push_back(std::move(found));
    }
    if (all.empty()) return std::nullopt;
    // What is hardly better is not held against the pieces that fit best.
    constexpr double alike = 1.25;
    return *std::find_if(all.begin(), all.end(),
                         [&](const DelayTimes& one) { return one.misfit <= alike * least; });
}

std::vector<std::vector<double>> thicknesses_of(const DelayTimes& found) {
    const auto gradient_of = [&](std::size_t layer) { return layer == 0 ? found.gradient : 0; };
    std::vector<std::vector<double>> out;
    for (std::size_t k = 1; k < found.velocity.size(); ++k) {
        const double slowness = 1 / found.velocity[k];
        std::vector<double> own(found.places);
        for (std::size_t at = 0; at < found.places; ++at) {
            double delay = found.delay[k - 1][at];
            for (std::size_t m = 0; m + 1 < k; ++m) {
                delay -= delay_above(out[m][at], found.velocity[m], gradient_of(m), slowness);
            }
            own[at] = depth_of_delay(delay, found.velocity[k - 1], gradient_of(k - 1), slowness);
        }
        const double usual = std::max(median(own), 1e-3 * found.step);
        for (double& one : own) one = std::clamp(one, 0.05 * usual, 4 * usual);
        out.push_back(std::move(own));
    }
    return out;
}

}  // namespace fermat
