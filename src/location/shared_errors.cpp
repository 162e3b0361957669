#include "location/shared_errors.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/median.hpp"
#include "core/parallel.hpp"
#include "location/dense_cholesky.hpp"

namespace fermat {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();

double horizontal_distance(Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// What is found, as numbers that may be anything.
struct Unknowns {
    enum Index : std::size_t { length, likeness, spread, phases };
    static constexpr std::size_t per_phase = 3;
    std::vector<double> values;
    double typical_time = 0;

    ModelErrors errors() const {
        ModelErrors out;
        out.length = std::exp(values[length]);
        out.likeness = 1 / (1 + std::exp(-values[likeness]));
        out.spread = std::exp(values[spread]);
        out.typical_time = typical_time;
        for (std::size_t p = 0; p < phase_count; ++p) {
            out.shared[p] = std::exp(values[phases + per_phase * p]);
            out.own[p] = std::exp(values[phases + per_phase * p + 1]);
            out.directed[p] = std::exp(values[phases + per_phase * p + 2]);
        }
        return out;
    }
    static Unknowns of(const ModelErrors& errors) {
        constexpr double least = 1e-9;
        Unknowns out;
        out.typical_time = errors.typical_time;
        out.values.assign(phases + per_phase * phase_count, 0);
        out.values[length] = std::log(errors.length);
        out.values[likeness] = std::log(errors.likeness / std::max(1 - errors.likeness, least));
        out.values[spread] = std::log(errors.spread);
        for (std::size_t p = 0; p < phase_count; ++p) {
            double* const own = out.values.data() + phases + per_phase * p;
            own[0] = std::log(std::max(errors.shared[p], least));
            own[1] = std::log(std::max(errors.own[p], least));
            own[2] = std::log(std::max(errors.directed[p], least));
        }
        return out;
    }
};

/// -log likelihood of an event's residuals, less what its place and origin time take:
/// 1/2 (log |C| + log |H^T C^-1 H| + r^T (C^-1 - C^-1 H (H^T C^-1 H)^-1 H^T C^-1) r).
double misfit(const ModelErrors& errors, const ErrorSample& sample) {
    const std::size_t count = sample.picks.size();
    std::vector<ErrorPick> picks = sample.picks;
    for (ErrorPick& pick : picks) {
        const double own = errors.own[static_cast<std::size_t>(pick.phase)];
        pick.variance += own * own;
    }
    const DenseCholesky factor(error_covariance(errors, picks), count);
    if (!factor.definite()) return impossible;
    std::vector<std::vector<double>> columns(1, std::vector<double>(count, 1));
    for (int axis = 0; axis < 3; ++axis) {
        if (!sample.free[static_cast<std::size_t>(axis)]) continue;
        columns.emplace_back();
        for (const Vec3& gradient : sample.gradients) columns.back().push_back(gradient[axis]);
    }
    const std::size_t unknowns = columns.size();
    columns.push_back(sample.residuals);
    for (std::vector<double>& column : columns) factor.solve_lower(column);
    const auto product = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t n = 0; n < count; ++n) sum += columns[a][n] * columns[b][n];
        return sum;
    };
    std::vector<double> matrix(unknowns * unknowns);
    std::vector<double> side(unknowns);
    for (std::size_t a = 0; a < unknowns; ++a) {
        for (std::size_t b = 0; b <= a; ++b) matrix[a * unknowns + b] = product(a, b);
        side[a] = product(a, unknowns);
    }
    const DenseCholesky place(std::move(matrix), unknowns);
    if (!place.definite()) return 0;  // its place is not known: it says nothing of errors
    place.solve_lower(side);
    double taken = 0;
    for (const double value : side) taken += value * value;
    return factor.log_root() + place.log_root() + 0.5 * (product(unknowns, unknowns) - taken);
}

/// The sum over events, and weak beliefs that keep what the residuals do not tell.
class Objective {
  public:
    Objective(std::span<const ErrorSample> samples, int threads, double length)
        : samples_(samples), threads_(threads), length_(std::log(length)) {}

    double operator()(const Unknowns& unknowns) const {
        const ModelErrors errors = unknowns.errors();
        std::vector<double> parts(samples_.size());
        parallel_for(static_cast<std::int64_t>(samples_.size()), threads_, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            parts[n] = misfit(errors, samples_[n]);
        });
        double sum = 0;
        for (const double part : parts) sum += part;
        constexpr double length_spread = 1.5;
        constexpr double likeness_spread = 2;
        constexpr double spread_middle = -1;
        constexpr double spread_spread = 0.7;
        const double off = (unknowns.values[Unknowns::length] - length_) / length_spread;
        const double odds = unknowns.values[Unknowns::likeness] / likeness_spread;
        const double wide = (unknowns.values[Unknowns::spread] - spread_middle) / spread_spread;
        return sum + 0.5 * (off * off + odds * odds + wide * wide);
    }

  private:
    std::span<const ErrorSample> samples_;
    int threads_;
    double length_;
};

/// Half the median distance between stations that hear the same event.
double typical_length(std::span<const ErrorSample> samples) {
    std::vector<double> distances;
    for (const ErrorSample& sample : samples) {
        for (std::size_t a = 0; a < sample.picks.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const double d =
                    horizontal_distance(sample.picks[a].station, sample.picks[b].station);
                if (d > 0) distances.push_back(d);
            }
        }
    }
    return distances.empty() ? 0 : 0.5 * upper_median(std::move(distances));
}

}  // namespace

std::array<double, phase_count> ModelErrors::typical() const {
    std::array<double, phase_count> out{};
    for (std::size_t p = 0; p < phase_count; ++p) {
        out[p] = is_shared() ? std::hypot(own[p], shared[p], directed[p]) : own[p];
    }
    return out;
}

std::vector<double> error_covariance(const ModelErrors& errors, std::span<const ErrorPick> picks) {
    const std::size_t count = picks.size();
    std::vector<double> rows(count * count, 0);
    std::vector<double> along(count, 0);
    std::vector<double> near(count, 0);
    for (std::size_t a = 0; a < count; ++a) {
        const ErrorPick& one = picks[a];
        if (errors.is_shared()) {
            along[a] = errors.shared_of(one.phase, one.travel);
            near[a] = errors.directed[static_cast<std::size_t>(one.phase)];
        }
        rows[a * count + a] = one.variance + along[a] * along[a] + near[a] * near[a];
        for (std::size_t b = 0; b < a && errors.is_shared(); ++b) {
            const ErrorPick& other = picks[b];
            const double apart = horizontal_distance(one.station, other.station);
            const double chord = distance(one.ray, other.ray);
            const double alike = one.phase == other.phase ? 1 : errors.likeness;
            const double value =
                alike * (along[a] * along[b] * error_correlation(apart, errors.length) +
                         near[a] * near[b] * direction_correlation(chord, errors.spread));
            rows[a * count + b] = rows[b * count + a] = value;
        }
    }
    return rows;
}

ModelErrors fit_model_errors(std::span<const ErrorSample> samples,
                             const std::array<double, phase_count>& guess, int threads) {
    ModelErrors start;
    start.own = guess;
    const double length = typical_length(samples);
    std::vector<double> times;
    for (const ErrorSample& sample : samples) {
        for (const ErrorPick& pick : sample.picks) times.push_back(pick.travel);
    }
    if (!(length > 0) || times.empty()) return start;
    start.length = length;
    start.typical_time = upper_median(std::move(times));
    start.likeness = 0.73;
    double largest = 0;
    for (const double size : guess) largest = std::max(largest, size);
    for (std::size_t p = 0; p < phase_count; ++p) {
        const double size = guess[p] > 0 ? guess[p] : largest;
        start.shared[p] = size;
        start.own[p] = 0.5 * size;
        start.directed[p] = 0.5 * size;
    }
    return fit_model_errors(samples, start, threads);
}

ModelErrors fit_model_errors(std::span<const ErrorSample> samples, const ModelErrors& start,
                             int threads) {
    const double length = typical_length(samples);
    ModelErrors independent;
    independent.own = start.typical();
    if (!(length > 0) || !start.is_shared()) return independent;
    Unknowns best = Unknowns::of(start);
    const Objective objective(samples, threads, length);
    double least = objective(best);
    if (!std::isfinite(least)) return independent;
    // One unknown after the other, by steps that grow where they help and halve where not.
    constexpr int rounds = 14;
    std::vector<double> step(best.values.size(), 0.7);
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t k = 0; k < step.size(); ++k) {
            constexpr double too_small = 0.02;
            if (step[k] < too_small) continue;
            bool better = false;
            for (const double sign : {1.0, -1.0}) {
                Unknowns next = best;
                next.values[k] += sign * step[k];
                const double there = objective(next);
                if (!(there < least - 1e-3)) continue;
                best = next;
                least = there;
                better = true;
                break;
            }
            step[k] *= better ? 1.2 : 0.5;
        }
    }
    return best.errors();
}

}  // namespace fermat
