#include "tomography/layers/flat_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/median.hpp"

namespace fermat {
namespace {

using Kind = PhaseCurve::Kind;
using Curves = std::vector<PhaseCurve>;

double misses(const FlatLayers& layers, const PhaseCurve& curve) {
    double sum = 0;
    for (std::size_t i = 0; i < curve.offset.size(); ++i) {
        sum += std::fabs(time_of(layers, curve, curve.offset[i]) - curve.time[i]) / curve.error[i];
    }
    return sum;
}

/// The curves of a kind and a number.
std::vector<const PhaseCurve*> those(const Curves& curves, Kind kind, std::size_t number) {
    std::vector<const PhaseCurve*> out;
    for (const PhaseCurve& one : curves) {
        if (one.kind == kind && (kind == Kind::first || one.number == number)) out.push_back(&one);
    }
    return out;
}

double misses(const FlatLayers& layers, const std::vector<const PhaseCurve*>& curves) {
    double sum = 0;
    for (const PhaseCurve* one : curves) sum += misses(layers, *one);
    return sum;
}

/// The value between low and high that makes `cost` least: on a grid in logarithms, then closer.
template <class Cost>
double least_of(double low, double high, Cost cost) {
    double best = low;
    for (int round = 0; round < 4; ++round) {
        constexpr int steps = 24;
        const double step = std::log(high / low) / steps;
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= steps; ++i) {
            const double value = low * std::exp(i * step);
            const double now = cost(value);
            if (now >= least) continue;
            least = now;
            best = value;
        }
        low = best * std::exp(-step);
        high = best * std::exp(step);
    }
    return best;
}

double farthest(const Curves& curves) {
    double most = 0;
    for (const PhaseCurve& one : curves) {
        for (const double x : one.offset) most = std::max(most, x);
    }
    return most;
}

/// The nearer half of a curve, by distance.
PhaseCurve near_half(const PhaseCurve& curve) {
    const double limit = *std::max_element(curve.offset.begin(), curve.offset.end()) / 2;
    PhaseCurve out{Kind::turning, 0, {}, {}, {}};
    for (std::size_t i = 0; i < curve.offset.size(); ++i) {
        if (curve.offset[i] > limit) continue;
        out.offset.push_back(curve.offset[i]);
        out.time.push_back(curve.time[i]);
        out.error.push_back(curve.error[i]);
    }
    return out;
}

class Fit {
  public:
    Fit(std::size_t count, const Curves& curves)
        : curves_(curves), count_(count), reach_(farthest(curves)) {}

    FlatFit find() {
        first_layer();
        for (std::size_t k = 1; k < count_; ++k) next_layer(k);
        polish();
        std::vector<double> parts;
        for (const PhaseCurve& curve : curves_) {
            for (std::size_t i = 0; i < curve.offset.size(); ++i) {
                const double found = time_of(out_.layers, curve, curve.offset[i]);
                parts.push_back(std::fabs(found / curve.time[i] - 1));
            }
        }
        out_.misfit = upper_median(std::move(parts));
        return std::move(out_);
    }

  private:
    FlatLayers& layers() { return out_.layers; }

    void add(double top, double velocity, double gradient, bool seen) {
        layers().top.push_back(top);
        layers().velocity.push_back(velocity);
        layers().gradient.push_back(gradient);
        out_.seen.push_back(seen);
    }

    /// By the waves that turn in it; else by the reflections from its bottom, t^2 = t0^2 + (x/v)^2.
    void first_layer() {
        auto own = those(curves_, Kind::turning, 0);
        std::vector<PhaseCurve> halves;
        if (own.empty()) {
            for (const PhaseCurve* one : those(curves_, Kind::first, 0)) {
                halves.push_back(near_half(*one));
            }
            for (const PhaseCurve& one : halves) own.push_back(&one);
        }
        std::erase_if(own, [](const PhaseCurve* one) { return one->offset.empty(); });
        if (!own.empty()) {
            std::vector<double> speeds;
            double far = 0;
            for (const PhaseCurve* one : own) {
                for (std::size_t i = 0; i < one->offset.size(); ++i) {
                    if (one->offset[i] > 0) speeds.push_back(one->offset[i] / one->time[i]);
                    far = std::max(far, one->offset[i]);
                }
            }
            if (speeds.empty()) refuse();
            const double typical = upper_median(std::move(speeds));
            add(0, typical, 0, true);
            // The gradient for each velocity, so that the best pair is found.
            const auto with = [&](double velocity) {
                layers().velocity[0] = velocity;
                const double g = least_of(1e-3, 30.0, [&](double part) {
                    layers().gradient[0] = part * velocity / far;
                    return misses(layers(), own);
                });
                layers().gradient[0] = g * velocity / far;
                return misses(layers(), own);
            };
            with(least_of(typical / 3, 1.5 * typical, with));
            return;
        }
        const auto below = those(curves_, Kind::reflected, 1);
        if (below.empty()) refuse();
        add(0, 1, 0, false);
        add(1, 2, 0, false);  // where the reflections come from, for the while
        const auto with = [&](double velocity) {
            layers().velocity[0] = velocity;
            const double h = least_of(1e-2 * reach_, 2 * reach_, [&](double depth) {
                layers().top[1] = depth;
                return misses(layers(), below);
            });
            layers().top[1] = h;
            return misses(layers(), below);
        };
        const PhaseCurve& one = *below.front();
        const double typical = reach_ / *std::max_element(one.time.begin(), one.time.end());
        with(least_of(0.3 * typical, 3 * typical, with));
        drop_last();
    }

    void drop_last() {
        layers().top.pop_back();
        layers().velocity.pop_back();
        layers().gradient.pop_back();
        out_.seen.pop_back();
    }

    [[noreturn]] static void refuse() {
        throw InputError(
            "no picks tell the velocity of the first layer (start layers need picks of a wave that "
            "turns in it, such as Pg, or is reflected from its bottom: give a model)");
    }

    void next_layer(std::size_t k) {
        const auto reflected = those(curves_, Kind::reflected, k);
        auto turning = those(curves_, Kind::turning, k);
        const bool alone = turning.empty() && k + 1 == count_;
        const auto first = those(curves_, Kind::first, 0);
        if (alone) turning = first;
        const double above = layers().top.back();
        add(above + 0.1 * reach_, 0, 0, !turning.empty());
        const auto bottom = [&] { return layers().bottom_velocity(k - 1); };
        const double unseen = k + 1 == count_ ? 1.25 : 1.1;
        const auto with_velocity = [&] {
            layers().velocity[k] = unseen * bottom();
            if (turning.empty()) return 0.0;
            const double v = least_of(1.005 * bottom(), 3 * bottom(), [&](double velocity) {
                layers().velocity[k] = velocity;
                return misses(layers(), turning);
            });
            layers().velocity[k] = v;
            return misses(layers(), turning);
        };
        const double thickness = least_of(2e-3 * reach_, 0.6 * reach_, [&](double h) {
            layers().top[k] = above + h;
            layers().velocity[k] = unseen * bottom();
            return reflected.empty() ? with_velocity() : misses(layers(), reflected);
        });
        layers().top[k] = above + thickness;
        with_velocity();
        layers().gradient[k] = 0.02 * layers().velocity[k] / layers().top[k];
    }

    // All together: ln of velocities and thicknesses, and gradients as parts of velocity.

    double length_of(std::size_t k) const {
        return k + 1 < count_ ? out_.layers.thickness(k)
                              : std::max(out_.layers.top[k], 0.1 * reach_);
    }
    std::vector<double> numbers() const {
        std::vector<double> out;
        for (std::size_t k = 0; k < count_; ++k) {
            out.push_back(std::log(out_.layers.velocity[k]));
            out.push_back(out_.layers.gradient[k] * length_of(k) / out_.layers.velocity[k]);
            if (k + 1 < count_) out.push_back(std::log(out_.layers.thickness(k)));
        }
        return out;
    }
    /// Velocities grow downwards where waves turn below.
    FlatLayers layers_of(const std::vector<double>& numbers) const {
        FlatLayers out = out_.layers;
        for (std::size_t k = 0; k < count_; ++k) {
            const double* const own = &numbers[3 * k];
            const bool last = k + 1 == count_;
            out.velocity[k] = std::exp(own[0]);
            if (!last) out.top[k + 1] = out.top[k] + std::exp(own[2]);
            const double length = last ? std::max(out.top[k], 0.1 * reach_) : out.thickness(k);
            out.gradient[k] = std::clamp(own[1], 0.0, 3.0) * out.velocity[k] / length;
            const double faster = out_.seen[k] ? 1.002 : unseen_ratio(k);
            if (k == 0) continue;
            const double least = faster * out.bottom_velocity(k - 1);
            if (!out_.seen[k] || out.velocity[k] < least) out.velocity[k] = least;
        }
        return out;
    }
    double unseen_ratio(std::size_t k) const { return k + 1 == count_ ? 1.25 : 1.1; }

    /// Differences over errors, large ones counted as much as they are far (Huber), then those of
    /// the numbers from where they began.
    std::vector<double> rows(const std::vector<double>& numbers,
                             const std::vector<double>& begun) const {
        const FlatLayers layers = layers_of(numbers);
        std::vector<double> out;
        for (const PhaseCurve& curve : curves_) {
            for (std::size_t i = 0; i < curve.offset.size(); ++i) {
                const double z =
                    (curve.time[i] - time_of(layers, curve, curve.offset[i])) / curve.error[i];
                constexpr double far = 1.345;
                const double size = std::fabs(z);
                out.push_back(size <= far ? z
                                          : std::copysign(std::sqrt(far * (2 * size - far)), z));
            }
        }
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const bool is_gradient = i % 3 == 1;
            out.push_back((numbers[i] - begun[i]) / (is_gradient ? 0.3 : 0.5));
        }
        return out;
    }

    static double squares(const std::vector<double>& rows) {
        double sum = 0;
        for (const double r : rows) sum += r * r;
        return sum;
    }

    /// Levenberg-Marquardt with slopes by differences.
    void polish() {
        std::vector<double> now = numbers();
        const std::vector<double> begun = now;
        std::vector<double> before = rows(now, begun);
        double damping = 1e-3;
        for (int round = 0; round < 40 && damping < 1e6; ++round) {
            const std::size_t n = now.size();
            std::vector<std::vector<double>> slopes(n);
            for (std::size_t u = 0; u < n; ++u) {
                constexpr double step = 1e-4;
                std::vector<double> moved = now;
                moved[u] += step;
                slopes[u] = rows(moved, begun);
                for (std::size_t r = 0; r < before.size(); ++r) {
                    slopes[u][r] = (slopes[u][r] - before[r]) / step;
                }
            }
            std::vector<double> next = now;
            const std::vector<double> change = solve(slopes, before, damping);
            for (std::size_t u = 0; u < n; ++u) next[u] -= change[u];
            std::vector<double> after = rows(next, begun);
            const double gain = 1 - squares(after) / squares(before);
            if (!(gain > 0)) {
                damping *= 8;
                continue;
            }
            damping /= 4;
            now = std::move(next);
            before = std::move(after);
            if (gain < 1e-6) break;
        }
        out_.layers = layers_of(now);
    }

    /// (J^T J + damping diag) change = J^T r, by elimination.
    static std::vector<double> solve(const std::vector<std::vector<double>>& slopes,
                                     const std::vector<double>& rows, double damping) {
        const std::size_t n = slopes.size();
        std::vector<std::vector<double>> a(n, std::vector<double>(n));
        std::vector<double> b(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t r = 0; r < rows.size(); ++r) b[i] += slopes[i][r] * rows[r];
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t r = 0; r < rows.size(); ++r)
                    a[i][j] += slopes[i][r] * slopes[j][r];
            }
            a[i][i] *= 1 + damping;
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j) {
                const double part = a[j][i] / a[i][i];
                for (std::size_t k = i; k < n; ++k) a[j][k] -= part * a[i][k];
                b[j] -= part * b[i];
            }
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[i][k] * b[k];
            b[i] /= a[i][i];
        }
        return b;
    }

    const Curves& curves_;
    std::size_t count_;
    double reach_;
    FlatFit out_;
};

}  // namespace

double time_of(const FlatLayers& layers, const PhaseCurve& curve, double offset) {
    switch (curve.kind) {
        case Kind::turning:
            return turning_time(layers, curve.number, offset);
        case Kind::reflected:
            return reflected_time(layers, curve.number, offset);
        case Kind::first:
            break;
    }
    return first_time(layers, offset);
}

FlatFit fit_flat_layers(std::size_t count, const std::vector<PhaseCurve>& curves) {
    return Fit(count, curves).find();
}

}  // namespace fermat
