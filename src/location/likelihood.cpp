#include "location/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "core/expect.hpp"
#include "location/dense_cholesky.hpp"

namespace fermat {
namespace {

/// The value at which half of the weight is passed. Reorders its argument.
double weighted_median(std::vector<std::pair<double, double>>& values) {
    auto first = values.begin();
    auto last = values.end();
    double below = 0;
    double total = 0;
    for (const auto& value : values) total += value.second;
    while (last - first > 1) {
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last);
        double part = 0;
        for (auto it = first; it != middle; ++it) part += it->second;
        if (below + part >= 0.5 * total) {
            last = middle;
        } else {
            below += part;
            first = middle;
        }
    }
    return first->first;
}

}  // namespace

Likelihood::Likelihood(const StationFields& fields, std::vector<UsedPick> picks, const Prior& prior,
                       const LocateOptions& options)
    : fields_(&fields),
      picks_(std::move(picks)),
      prior_(prior),
      kind_(options.likelihood),
      good_((1 - options.outliers) / std::sqrt(2 * std::numbers::pi)),
      share2_(options.model_error_share * options.model_error_share) {
    if (kind_ == LikelihoodKind::edt) {
        std::stable_sort(picks_.begin(), picks_.end(),
                         [](const UsedPick& a, const UsedPick& b) { return a.time < b.time; });
    }
    double earliest = std::numeric_limits<double>::infinity();
    double latest = -earliest;
    double deviation = 0;
    for (const UsedPick& pick : picks_) {
        earliest = std::min(earliest, pick.time);
        latest = std::max(latest, pick.time);
    }
    for (const UsedPick& pick : picks_) {
        // Of the time of travel no more is known yet.
        const double travelled = pick.time - earliest;
        const double own = std::sqrt(pick.variance + share2_ * travelled * travelled);
        deviation = std::max(deviation, own);
        reach_ += own / pick.slowness / static_cast<double>(picks_.size());
        field_numbers_.push_back(pick.field);
    }
    // A gross error is not smaller than the noise, nor much larger than the record.
    const double window = std::max(2 * (latest - earliest), 20 * deviation);
    background_ = window > 0 ? options.outliers / window : 0;
}

double Likelihood::trust(double residual, double variance) const {
    if (background_ == 0) return 1;  // no pick is gross
    const double good =
        good_ / std::sqrt(variance) * std::exp(-0.5 * residual * residual / variance);
    return good > 0 ? good / (good + background_) : 0;
}

double Likelihood::rough_origin_time(Work& work) const {
    constexpr std::size_t enough = 27;
    const std::size_t stride = std::max<std::size_t>(1, picks_.size() / enough);
    std::vector<double>& times = work.sample;
    times.clear();
    for (std::size_t start = 0; times.empty() && start < stride; ++start) {
        for (std::size_t n = start; n < picks_.size(); n += stride) {
            if (std::isfinite(work.travel[n])) times.push_back(picks_[n].time - work.travel[n]);
        }
    }
    if (times.empty()) return 0;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

double Likelihood::best_origin_time(double width, Work& work) const {
    if (width > 2 * reach_) return rough_origin_time(work);
    work.ordered.clear();
    for (std::size_t n = 0; n < picks_.size(); ++n) {
        if (!std::isfinite(work.travel[n])) continue;
        work.ordered.emplace_back(picks_[n].time - work.travel[n], 1 / std::sqrt(work.variance[n]));
    }
    if (work.ordered.empty()) return 0;
    double time = weighted_median(work.ordered);
    // From the median, which gross errors do not move, to the largest probability.
    const int steps = width > 0 ? 1 : 2;
    for (int step = 0; step < steps; ++step) {
        double sum = 0;
        double weights = 0;
        for (std::size_t n = 0; n < picks_.size(); ++n) {
            if (!std::isfinite(work.travel[n])) continue;
            const double residual = picks_[n].time - work.travel[n] - time;
            const double weight = trust(residual, work.variance[n]) / work.variance[n];
            sum += weight * residual;
            weights += weight;
        }
        if (!(weights > 0)) break;
        time += sum / weights;
    }
    return time;
}

Likelihood Likelihood::with_covariance(std::vector<double> covariance) const {
    FERMAT_EXPECT(covariance.size() == picks_.size() * picks_.size());
    Likelihood out = *this;
    out.covariance_ = std::move(covariance);
    return out;
}

Likelihood Likelihood::tempered(double power) const {
    Likelihood out = *this;
    out.power_ = power;
    return out;
}

const Likelihood::Projection& Likelihood::projection(double width, Work& work) const {
    for (const Projection& known : work.projections) {
        if (known.width == width) return known;
    }
    const std::size_t count = picks_.size();
    std::vector<double> wide = covariance_;
    for (std::size_t n = 0; n < count; ++n) {
        const double spread = width * picks_[n].slowness;
        wide[n * count + n] += spread * spread;
    }
    const DenseCholesky factor(std::move(wide), count);
    Projection made;
    made.width = width;
    made.precision.assign(count * count, 0);
    for (std::size_t n = 0; n < count; ++n) {
        const std::span<double> column(made.precision.data() + n * count, count);
        column[n] = 1;
        factor.solve_lower(column);
        factor.solve_upper(column);
    }
    made.share.assign(count, 0);
    for (std::size_t n = 0; n < count; ++n) {
        for (std::size_t m = 0; m < count; ++m) made.share[n] += made.precision[n * count + m];
        made.weight += made.share[n];
    }
    for (std::size_t n = 0; n < count; ++n) {
        for (std::size_t m = 0; m < count; ++m) {
            made.precision[n * count + m] -= made.share[n] * made.share[m] / made.weight;
        }
    }
    for (double& share : made.share) share /= made.weight;
    work.projections.push_back(std::move(made));
    return work.projections.back();
}

Likelihood::Density Likelihood::of_covariance(double width, Work& work) const {
    const Projection& by = projection(width, work);
    const std::size_t count = picks_.size();
    double earliest = 0;
    Density out;
    // Times count from one of them: dates in seconds would lose digits.
    for (std::size_t n = 0; n < count; ++n) {
        if (n == 0) earliest = picks_[n].time;
        work.residual[n] = picks_[n].time - earliest - work.travel[n];
        out.origin_time += by.share[n] * work.residual[n];
    }
    double squares = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const double* const row = by.precision.data() + n * count;
        double sum = 0;
        for (std::size_t m = 0; m < count; ++m) sum += row[m] * work.residual[m];
        squares += work.residual[n] * sum;
    }
    for (double& residual : work.residual) residual -= out.origin_time;
    out.origin_time += earliest;
    out.log = -0.5 * squares;
    return out;
}

Likelihood::Density Likelihood::of_travel(Vec3 place, double width, Work& work) const {
    const std::size_t count = picks_.size();
    work.variance.resize(count);
    work.residual.resize(count);
    for (std::size_t n = 0; n < count; ++n) {
        const double spread = width * picks_[n].slowness;
        const double travel = std::isfinite(work.travel[n]) ? work.travel[n] : 0;
        work.variance[n] = picks_[n].variance + spread * spread + share2_ * travel * travel;
    }
    Density out;
    if (has_covariance()) {
        out = of_covariance(width, work);
    } else if (kind_ == LikelihoodKind::edt) {
        out.log = power_ * log_of_pairs(width, work);
        // Only the last step needs the origin time and residuals.
        if (width == 0) out.origin_time = best_origin_time(width, work);
    } else {
        out.origin_time = best_origin_time(width, work);
    }
    if (!has_covariance()) {
        for (std::size_t n = 0; n < count; ++n) {
            work.residual[n] = picks_[n].time - work.travel[n] - out.origin_time;
        }
        if (kind_ == LikelihoodKind::gaussian) out.log = log_of_residuals(width, work);
    }
    // Of a cell wider than the peak in it, the part that the peak does not fill is empty.
    out.log -= 1.5 * std::log1p(width * width / (reach_ * reach_));
    for (int axis = 0; axis < 3; ++axis) {
        if (!(prior_.precision[axis] > 0)) continue;
        const double off = place[axis] - prior_.place[axis];
        out.log -= 0.5 * off * off / (1 / prior_.precision[axis] + width * width);
    }
    if (std::isnan(out.log)) out.log = -std::numeric_limits<double>::infinity();
    return out;
}

double Likelihood::log_of_pairs(double width, Work& work) const {
    work.terms.resize(picks_.size());
    for (std::size_t n = 0; n < picks_.size(); ++n) {
        const double spread = width * picks_[n].slowness;
        const double spread2 = spread * spread;
        work.terms[n] = {picks_[n].time - work.travel[n], work.variance[n] - spread2, spread2};
    }
    return edt_log_density(work.terms);
}

double Likelihood::log_of_residuals(double width, Work& work) const {
    double log = 0;
    // Factors are multiplied in groups, which spares logarithms.
    double product = 1;
    for (std::size_t n = 0; n < picks_.size(); ++n) {
        const double residual = work.residual[n];
        const double variance = work.variance[n];
        // Not widened: a wide cell may hold a place as likely as any narrow one.
        const double spread = width * picks_[n].slowness;
        const double root = 1 / std::sqrt(variance - spread * spread);
        const double exponent = -0.5 * residual * residual / variance;
        if (background_ > 0) {
            product *= good_ * root * std::exp(exponent) + background_;
        } else {
            product *= good_ * root;
            log += exponent;
        }
        if (n % 8 == 7) {
            log += std::log(product);
            product = 1;
        }
    }
    return log + std::log(product);
}

Likelihood::Density Likelihood::at(Vec3 place, double width, Work& work) const {
    work.travel.resize(picks_.size());
    fields_->times(field_numbers_, place, work.travel.data());
    for (std::size_t n = 0; n < picks_.size(); ++n) work.travel[n] *= picks_[n].stretch;
    return of_travel(place, width, work);
}

}  // namespace fermat
