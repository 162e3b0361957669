#include "location/refine.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "location/ellipsoid.hpp"

namespace fermat {
namespace {

/// The misfit's half curvature and slope at a place, with the origin time eliminated.
struct Normal {
    Matrix3 curvature{};
    Vec3 slope;          ///< uphill
    Vec3 mean_gradient;  ///< of the picks' times, by weight
    double weights = 0;
};

/// Adds what the box and the belief in a place say. The box counts as the variance of a uniform
/// density, so that an event that few picks see has an error no larger than the box.
void add_priors(const Likelihood& likelihood, const Region& region, Vec3 place, Normal& normal) {
    const Prior& prior = likelihood.prior();
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (!region.free[a]) continue;
        const double length = region.box.high[axis] - region.box.low[axis];
        normal.curvature[a][a] += 12 / (length * length) + prior.precision[axis];
        normal.slope[axis] += prior.precision[axis] * (prior.place[axis] - place[axis]);
    }
}

void add_square(double weight, Vec3 g, Matrix3& curvature) {
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            curvature[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] +=
                weight * g[a] * g[b];
        }
    }
}

/// Slope and half curvature of equal differential times. Origin times fall where times of travel
/// grow.
void add_pairs(std::span<const EdtTerm> terms, const std::vector<Vec3>& gradients, Normal& normal) {
    const EdtSlopes slopes = edt_slopes(terms);
    const std::size_t count = terms.size();
    for (std::size_t a = 0; a < count; ++a) {
        normal.slope = normal.slope - slopes.by_origin[a] * gradients[a];
        for (std::size_t b = a + 1; b < count; ++b) {
            const double weight = slopes.pairs[a * count + b];
            if (weight > 0) add_square(weight, gradients[a] - gradients[b], normal.curvature);
        }
    }
}

/// Slope and half curvature of errors with a covariance.
void add_covariance(const Likelihood::Projection& by, const std::vector<Vec3>& gradients,
                    const std::vector<double>& residuals, Normal& normal) {
    const std::size_t count = gradients.size();
    normal.weights = by.weight;
    normal.mean_gradient = {};
    for (std::size_t n = 0; n < count; ++n) {
        normal.mean_gradient = normal.mean_gradient + by.share[n] * gradients[n];
        Vec3 sum;
        for (std::size_t m = 0; m < count; ++m) {
            sum = sum + by.precision[n * count + m] * gradients[m];
        }
        normal.slope = normal.slope + residuals[n] * sum;
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                normal.curvature[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] +=
                    gradients[n][a] * sum[b];
            }
        }
    }
}

Normal normal_at(const Likelihood& likelihood, const Region& region, Vec3 place, double width,
                 Likelihood::Work& work) {
    const std::vector<UsedPick>& picks = likelihood.picks();
    std::vector<Vec3> gradients(picks.size());
    std::vector<double> weights(picks.size(), 0);
    Normal normal;
    for (std::size_t n = 0; n < picks.size(); ++n) {
        if (!std::isfinite(work.residual[n])) continue;
        const TimePoint at = likelihood.fields().time_point(picks[n].field, place);
        if (!std::isfinite(at.time)) continue;
        gradients[n] = picks[n].stretch * at.gradient;
        weights[n] = likelihood.trust(work.residual[n], work.variance[n]) / work.variance[n];
        normal.weights += weights[n];
        normal.mean_gradient = normal.mean_gradient + weights[n] * gradients[n];
    }
    if (normal.weights > 0) normal.mean_gradient = normal.mean_gradient / normal.weights;
    if (likelihood.has_covariance()) {
        add_covariance(likelihood.projection(width, work), gradients, work.residual, normal);
        add_priors(likelihood, region, place, normal);
        return normal;
    }
    if (likelihood.kind() == LikelihoodKind::edt) {
        add_pairs(work.terms, gradients, normal);
        add_priors(likelihood, region, place, normal);
        return normal;
    }
    for (std::size_t n = 0; n < picks.size(); ++n) {
        if (weights[n] == 0) continue;
        const Vec3 g = gradients[n] - normal.mean_gradient;
        normal.slope = normal.slope + weights[n] * work.residual[n] * g;
        add_square(weights[n], g, normal.curvature);
    }
    add_priors(likelihood, region, place, normal);
    return normal;
}

Vec3 times(const Matrix3& matrix, Vec3 v) {
    Vec3 out;
    for (int a = 0; a < 3; ++a) {
        const auto& row = matrix[static_cast<std::size_t>(a)];
        out[a] = row[0] * v.x + row[1] * v.y + row[2] * v.z;
    }
    return out;
}

/// Axes along which a step may go: free ones, without those that leave the box.
std::array<bool, 3> movable(const Region& region, Vec3 place, Vec3 slope) {
    std::array<bool, 3> axes = region.free;
    for (int axis = 0; axis < 3; ++axis) {
        const bool out = (place[axis] <= region.box.low[axis] && slope[axis] < 0) ||
                         (place[axis] >= region.box.high[axis] && slope[axis] > 0);
        if (out) axes[static_cast<std::size_t>(axis)] = false;
    }
    return axes;
}

/// A step that stays in the box: an axis that would leave it goes to the face, and the others make
/// the best of that.
Vec3 damped_step(const Normal& normal, const Region& region, Vec3 place, std::array<bool, 3> axes,
                 double damping) {
    Matrix3 matrix = normal.curvature;
    for (std::size_t a = 0; a < 3; ++a) matrix[a][a] *= 1 + damping;
    Vec3 held;
    for (int tries = 0;; ++tries) {
        Vec3 step = times(inverse_of_free(matrix, axes), normal.slope - times(matrix, held));
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (!axes[a]) continue;
            const double to = place[axis] + step[axis];
            const double face = to < region.box.low[axis]    ? region.box.low[axis]
                                : to > region.box.high[axis] ? region.box.high[axis]
                                                             : to;
            if (face == to) continue;
            held[axis] = face - place[axis];
            axes[a] = inside = false;
        }
        if (inside || tries == 3) return step + held;
    }
}

/// From a place near the peak to the peak: steps along the axes of the ellipsoid, halved where none
/// climbs. The slopes of equal differential times are not exact, so that steps by them end beside
/// it.
Likelihood::Density settle_on_peak(const Likelihood& likelihood, const Region& region, Vec3& place,
                                   Likelihood::Work& work) {
    Likelihood::Density here = likelihood.at(place, 0, work);
    const Normal normal = normal_at(likelihood, region, place, 0, work);
    const Ellipsoid axes = ellipsoid_of(inverse_of_free(normal.curvature, region.free));
    constexpr double least_step = 1e-3;
    constexpr int most_moves = 200;
    double step = 0.5;
    for (int moves = 0; step > least_step && moves < most_moves; ++moves) {
        Vec3 best = place;
        for (std::size_t n = 0; n < 6; ++n) {
            const double length = (n < 3 ? step : -step) * axes.deviation[n % 3];
            if (length == 0) continue;
            const Vec3 next = region.clamp(place + length * axes.direction[n % 3]);
            if (next == place || !region.allows(next)) continue;
            const Likelihood::Density there = likelihood.at(next, 0, work);
            if (there.log <= here.log) continue;
            here = there;
            best = next;
        }
        if (best == place) step *= 0.5;
        place = best;
    }
    return likelihood.at(place, 0, work);
}

}  // namespace

Matrix3 inverse_of_free(const Matrix3& matrix, const std::array<bool, 3>& free) {
    std::array<std::size_t, 3> axes{};
    std::size_t count = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        if (free[a]) axes[count++] = a;
    }
    // Cholesky's factor L of the free part, then L^-1, then L^-T L^-1.
    Matrix3 factor{};
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[axes[i]][axes[j]];
            for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
            const double least = 1e-14 * matrix[axes[i]][axes[i]];
            factor[i][j] = i == j ? std::sqrt(std::max(sum, least)) : sum / factor[j][j];
        }
    }
    Matrix3 lower{};
    for (std::size_t i = 0; i < count; ++i) {
        lower[i][i] = 1 / factor[i][i];
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            for (std::size_t k = j; k < i; ++k) sum -= factor[i][k] * lower[k][j];
            lower[i][j] = sum / factor[i][i];
        }
    }
    Matrix3 out{};
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            for (std::size_t k = std::max(i, j); k < count; ++k) {
                out[axes[i]][axes[j]] += lower[k][i] * lower[k][j];
            }
        }
    }
    return out;
}

Peak climb(const Likelihood& likelihood, const Region& region, Vec3 start, double width,
           Likelihood::Work& work) {
    constexpr int most_steps = 60;
    constexpr int most_halvings = 12;
    const double close = 1e-4 * likelihood.reach();
    Vec3 place = start;
    Likelihood::Density here = likelihood.at(place, width, work);
    double damping = 1e-3;
    for (int step = 0; step < most_steps; ++step) {
        const Normal normal = normal_at(likelihood, region, place, width, work);
        const std::array<bool, 3> axes = movable(region, place, normal.slope);
        double moved = 0;
        for (int halving = 0; halving < most_halvings; ++halving) {
            const Vec3 next =
                region.clamp(place + damped_step(normal, region, place, axes, damping));
            if (next == place) break;
            const bool allowed = region.allows(next);
            const Likelihood::Density there =
                allowed ? likelihood.at(next, width, work) : Likelihood::Density{};
            if (allowed && there.log >= here.log) {
                moved = distance(next, place);
                place = next;
                here = there;
                damping = std::max(0.1 * damping, 1e-6);
                break;
            }
            damping = std::max(4 * damping, 0.1);
        }
        if (moved < close && width == 0) break;
        if (width > 0) {
            width = width > 0.2 * likelihood.reach() ? 0.4 * width : 0;
            damping = 1e-3;
        }
        here = likelihood.at(place, width, work);
    }
    here = likelihood.kind() == LikelihoodKind::edt
               ? settle_on_peak(likelihood, region, place, work)
               : likelihood.at(place, 0, work);
    const Normal normal = normal_at(likelihood, region, place, 0, work);
    Peak peak{place, here.origin_time, here.log, inverse_of_free(normal.curvature, region.free)};
    const Vec3 spread = times(peak.covariance, normal.mean_gradient);
    const double own = normal.weights > 0 ? 1 / normal.weights : 0;
    peak.time_variance = own + dot(spread, normal.mean_gradient);
    return peak;
}

double spread_pairs(const Likelihood& likelihood, const Region& region,
                    std::span<const double> covariance, Peak& peak) {
    Likelihood::Work work;
    likelihood.at(peak.place, 0, work);
    const std::size_t count = likelihood.picks().size();
    std::vector<Vec3> gradients(count);
    for (std::size_t n = 0; n < count; ++n) {
        const UsedPick& pick = likelihood.picks()[n];
        gradients[n] =
            pick.stretch * likelihood.fields().time_point(pick.field, peak.place).gradient;
    }
    const EdtSlopes slopes = edt_slopes(work.terms);
    std::vector<Vec3> pulls(count);
    Matrix3 pairs{};
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a + 1; b < count; ++b) {
            const double weight = slopes.pairs[a * count + b];
            if (!(weight > 0)) continue;
            const Vec3 along = gradients[a] - gradients[b];
            pulls[a] = pulls[a] + weight * along;
            pulls[b] = pulls[b] - weight * along;
            add_square(weight, along, pairs);
        }
    }
    Normal normal;
    normal.curvature = pairs;
    add_priors(likelihood, region, peak.place, normal);
    // What the box and beliefs say varies by its own precision.
    Matrix3 middle{};
    for (std::size_t a = 0; a < 3; ++a) middle[a][a] = normal.curvature[a][a] - pairs[a][a];
    Vec3 weights_by;
    double time_variance = 0;
    double weights = 0;
    for (std::size_t n = 0; n < count; ++n) weights += 1 / work.variance[n];
    for (std::size_t n = 0; n < count; ++n) {
        weights_by = weights_by + (1 / (work.variance[n] * weights)) * gradients[n];
        Vec3 sum;
        for (std::size_t m = 0; m < count; ++m) {
            const double shared = covariance[n * count + m];
            sum = sum + shared * pulls[m];
            time_variance += shared / (work.variance[n] * work.variance[m] * weights * weights);
        }
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
                middle[a][b] += pulls[n][static_cast<int>(a)] * sum[static_cast<int>(b)];
            }
        }
    }
    const Matrix3 inverse = inverse_of_free(normal.curvature, region.free);
    Matrix3 out{};
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
            for (std::size_t c = 0; c < 3; ++c) {
                for (std::size_t d = 0; d < 3; ++d) {
                    out[a][b] += inverse[a][c] * middle[c][d] * inverse[d][b];
                }
            }
        }
    }
    peak.covariance = out;
    peak.time_variance = time_variance + dot(times(out, weights_by), weights_by);
    const Ellipsoid narrow = ellipsoid_of(inverse);
    const Ellipsoid wide = ellipsoid_of(out);
    double power = 1;
    const int dimensions = region.dimensions();
    for (int n = 0; n < dimensions; ++n) {
        const auto axis = static_cast<std::size_t>(n);
        power *= std::pow(narrow.deviation[axis] / wide.deviation[axis], 2.0 / dimensions);
    }
    return std::isfinite(power) && power > 0 ? std::min(power, 1.0) : 1;
}

}  // namespace fermat
