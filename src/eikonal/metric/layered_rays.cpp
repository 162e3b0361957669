#include "eikonal/metric/layered_rays.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace fermat {
namespace {

constexpr std::size_t intervals = 256;  ///< of angle, per row

double eta_of(const LayeredSphere& sphere, std::size_t row, double slowness) {
    return (sphere.radius - sphere.depths[row]) * slowness;
}

}  // namespace

/// Boundaries of thin shells, from the top down: rows, the source and depths between them.
struct LayeredRays::Shells {
    std::vector<double> radius;
    std::vector<double> eta_above;  ///< of a boundary, in the shell above it
    std::vector<double> eta_below;
    std::vector<std::size_t> row_at;  ///< the boundary of each row
    std::size_t source = 0;

    double surface = 0;  ///< the radius of depth 0

    Shells(const LayeredSphere& sphere, double source_depth) : surface(sphere.radius) {
        for (std::size_t row = 0; row < sphere.depths.size(); ++row) {
            if (row > 0) add_between(sphere, row - 1, source_depth);
            if (sphere.depths[row] == source_depth) source = radius.size();
            row_at.push_back(radius.size());
            add(sphere.radius - sphere.depths[row], sphere.above[row], sphere.below[row]);
        }
    }
    std::size_t last() const { return radius.size() - 1; }

    /// The angle and time of a ray on its way.
    struct Leg {
        double angle, time;
        friend Leg operator+(Leg a, Leg b) { return {a.angle + b.angle, a.time + b.time}; }
        friend Leg operator*(double k, Leg a) { return {k * a.angle, k * a.time}; }
    };
    /// Between two values of eta in the shell below a boundary.
    Leg between(std::size_t n, double eta_high, double eta_low, double p) const {
        // eta^2 - p^2 need not be 0 for p = eta where a compiler fuses one product with the
        // difference.
        const auto time = [&](double eta) {
            return std::sqrt(std::max(0.0, (eta - p) * (eta + p)));
        };
        const auto angle = [&](double eta) { return std::acos(std::min(1.0, p / eta)); };
        return c(n) * Leg{angle(eta_high) - angle(eta_low), time(eta_high) - time(eta_low)};
    }
    Leg through(std::size_t n, double p) const {
        return between(n, eta_below[n], eta_above[n + 1], p);
    }
    /// eta at a radius within the shell below a boundary.
    double eta(std::size_t n, double r) const {
        if (r == radius[n]) return eta_below[n];
        if (r == radius[n + 1]) return eta_above[n + 1];
        return eta_below[n] * std::pow(r / radius[n], 1 / c(n));
    }
    /// The shell that holds a radius.
    std::size_t shell_at(double r) const {
        const auto below = std::lower_bound(radius.begin(), radius.end(), r, std::greater<>());
        const auto n = static_cast<std::size_t>(below - radius.begin());
        return std::min(n > 0 ? n - 1 : 0, last() - 1);
    }

  private:
    double c(std::size_t n) const {
        return std::log(radius[n] / radius[n + 1]) / std::log(eta_below[n] / eta_above[n + 1]);
    }
    void add(double r, double slow_above, double slow_below) {
        radius.push_back(r);
        eta_above.push_back(r * slow_above);
        eta_below.push_back(r * slow_below);
    }
    /// Between two rows velocity changes by a hundredth per shell at most.
    void add_between(const LayeredSphere& sphere, std::size_t row, double source_depth) {
        const double top = sphere.depths[row];
        const double thick = sphere.depths[row + 1] - top;
        const double s_top = sphere.below[row];
        const double s_low = sphere.above[row + 1];
        const double parts = std::ceil(100 * std::abs(std::log(s_low / s_top)));
        std::vector<double> shares;
        for (double part = 1; part < parts; ++part) shares.push_back(part / parts);
        const double source_share = (source_depth - top) / thick;
        const bool has_source = source_share > 0 && source_share < 1;
        if (has_source) shares.push_back(source_share);
        std::sort(shares.begin(), shares.end());
        shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
        for (const double share : shares) {
            if (has_source && share == source_share) source = radius.size();
            const double slowness = s_top + share * (s_low - s_top);
            add(sphere.radius - (top + share * thick), slowness, slowness);
        }
    }
};

/// From the source to every boundary that the ray reaches.
struct LayeredRays::Ray {
    using Leg = Shells::Leg;
    double p = 0;
    std::vector<Leg> to;  ///< per boundary
    Leg turn{0, 0};       ///< from the source to where it turns

    Ray(const Shells& shells, double p_, std::size_t lowest, bool turns) : p(p_) {
        to.assign(shells.radius.size(), {0, 0});
        for (std::size_t n = shells.source; n-- > 0;) to[n] = to[n + 1] + shells.through(n, p);
        for (std::size_t n = shells.source; n < lowest; ++n) {
            to[n + 1] = to[n] + shells.through(n, p);
        }
        if (turns) turn = to[lowest] + shells.between(lowest, shells.eta_below[lowest], p, p);
    }
    /// From the source to a point within the shell below a boundary, on the first way there.
    Leg within(const Shells& shells, std::size_t n, double eta) const {
        if (n < shells.source)
            return to[n + 1] + shells.between(n, eta, shells.eta_above[n + 1], p);
        return to[n] + shells.between(n, shells.eta_below[n], eta, p);
    }
    /// After it has turned, at a place that it passed before or, above the source, would have
    /// reached upwards.
    Leg turned(bool above_source, Leg first) const {
        return 2 * turn + (above_source ? 1 : -1) * first;
    }
};

/// Rays of neighbouring p that go down to the same boundary, or turn in the shell below it.
struct LayeredRays::Family {
    std::size_t lowest = 0;
    bool turns = false;
    std::vector<Ray> rays;
};

LayeredRays::~LayeredRays() = default;
LayeredRays::LayeredRays(LayeredRays&&) noexcept = default;

bool LayeredRays::Piece::meets(double angle) const {
    constexpr double slack = 1e-12;
    return angle >= std::min(first_angle, last_angle) - slack &&
           angle <= std::max(first_angle, last_angle) + slack && first_angle != last_angle;
}

double LayeredRays::Piece::time(double angle) const {
    const double length = last_angle - first_angle;
    const double t = (angle - first_angle) / length;  // the ends may be in any order
    const double rise = last_time - first_time;
    const double a = first_p * length - rise;
    const double b = rise - last_p * length;
    return first_time + t * (rise + (1 - t) * (a * (1 - t) + b * t));
}

double LayeredRays::Piece::slope(double angle) const {
    const double length = last_angle - first_angle;
    const double t = (angle - first_angle) / length;
    const double rise = last_time - first_time;
    const double a = first_p * length - rise;
    const double b = rise - last_p * length;
    return (rise + (1 - 2 * t) * (a * (1 - t) + b * t) + t * (1 - t) * (b - a)) / length;
}

bool LayeredRays::knows(const LayeredSphere& sphere) {
    for (std::size_t row = 0; row < sphere.depths.size(); ++row) {
        const double above = eta_of(sphere, row, sphere.above[row]);
        const double below = eta_of(sphere, row, sphere.below[row]);
        if (!(below > 0) || (row > 0 && !(below <= above))) return false;
        if (row + 1 == sphere.depths.size()) break;
        if (!(eta_of(sphere, row + 1, sphere.above[row + 1]) < below)) return false;
    }
    return true;
}

LayeredRays::LayeredRays(const LayeredSphere& sphere, double source_depth, double farthest)
    : shells_(std::make_unique<const Shells>(sphere, source_depth)),
      interval_(farthest / static_cast<double>(intervals - 1)),
      rows_(sphere.depths.size()) {
    const Shells& shells = *shells_;
    for (Row& row : rows_) row.by_angle.resize(intervals);
    // Rays that leave the source upwards or downwards, from flat to steep ones.
    for (std::size_t n = shells.source; n <= shells.last(); ++n) {
        const bool is_last = n == shells.last();
        const double above = n > 0 ? shells.eta_above[n] : shells.eta_below[n];
        const double below = is_last ? above : shells.eta_below[n];
        if (below < above) add_family(above, below, n, false);
        if (is_last) {
            add_family(above, 0, n, false);
        } else {
            add_family(below, shells.eta_above[n + 1], n, true);
        }
    }
    add_slide();
}

void LayeredRays::add_family(double p_high, double p_low, std::size_t lowest, bool turns) {
    // By the angle from the boundary, in radians. Flat rays are close together: from a source near
    // the boundary their way changes most with the angle.
    constexpr double step = 0.02;
    const double most = std::acos(p_low / p_high);
    const int count = std::max(4, static_cast<int>(std::ceil(most / step)));
    Family family{lowest, turns, {}};
    for (int i = 0; i <= count; ++i) {
        const double p = i == count ? p_low : p_high * std::cos(most * i * i / (count * count));
        family.rays.emplace_back(*shells_, p, lowest, turns);
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const std::size_t at = shells_->row_at[k];
        if (at > lowest) continue;
        for (std::size_t i = 1; i < family.rays.size(); ++i) {
            const Ray& one = family.rays[i - 1];
            const Ray& other = family.rays[i];
            const auto add = [&](Ray::Leg from, Ray::Leg to, bool downward) {
                add_piece(rows_[k],
                          {from.angle, to.angle, from.time, to.time, one.p, other.p, downward});
            };
            const bool up = at < shells_->source;
            if (at != shells_->source) add(one.to[at], other.to[at], !up);
            if (turns) add(one.turned(up, one.to[at]), other.turned(up, other.to[at]), false);
        }
    }
    families_.push_back(std::move(family));
}

void LayeredRays::add_slide() {
    const std::size_t last = shells_->last();
    slide_p_ = last > 0 ? shells_->eta_above[last] : shells_->eta_below[last];
    Ray ray(*shells_, slide_p_, last, false);
    ray.turn = ray.to[last];
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const std::size_t at = shells_->row_at[k];
        const Ray::Leg to = ray.turned(at < shells_->source, ray.to[at]);
        rows_[k].slide_angle = to.angle;
        rows_[k].slide_time = to.time;
    }
}

void LayeredRays::add_piece(Row& row, Piece piece) {
    const auto interval = [&](double angle) {
        return static_cast<std::size_t>(std::max(0.0, angle / interval_));
    };
    const auto [low, high] = std::minmax(piece.first_angle, piece.last_angle);
    if (!(high > low)) return;
    const std::size_t last = std::min(interval(high), intervals - 1);
    for (std::size_t n = interval(low); n <= last; ++n) row.by_angle[n].push_back(piece);
}

LayeredRays::Arrival LayeredRays::arrival(std::size_t row, double angle) const {
    const Row& at = rows_[row];
    const auto n = static_cast<std::size_t>(angle / interval_);
    Arrival first;
    if (angle >= at.slide_angle) {
        first = {at.slide_time + slide_p_ * (angle - at.slide_angle), slide_p_, false};
    }
    if (n >= intervals) return first;
    const Piece* earliest = nullptr;
    for (const Piece& piece : at.by_angle[n]) {
        if (!piece.meets(angle)) continue;
        const double time = piece.time(angle);
        if (!(time < first.time)) continue;
        first.time = time;
        earliest = &piece;
    }
    if (earliest != nullptr) {
        first.p = earliest->slope(angle);
        first.downward = earliest->downward;
    }
    return first;
}

double LayeredRays::at_depth(double depth, double angle) const {
    const Shells& shells = *shells_;
    const double r = shells.surface - depth;
    const std::size_t n = shells.shell_at(r);
    const bool up = n < shells.source;
    const double eta = shells.eta(n, r);
    double first = std::numeric_limits<double>::infinity();
    const auto look = [&](const Ray& one, Ray::Leg from, const Ray& other, Ray::Leg to) {
        const Piece piece{from.angle, to.angle, from.time, to.time, one.p, other.p, false};
        if (piece.meets(angle)) first = std::min(first, piece.time(angle));
    };
    const auto look_between = [&](const Ray& one, const Ray& other, bool turns) {
        // The angle of a ray at this depth lies between those at the boundaries round it.
        const auto may_meet = [&](auto angle_at) {
            const auto [low, high] = std::minmax({angle_at(one, n), angle_at(one, n + 1),
                                                  angle_at(other, n), angle_at(other, n + 1)});
            constexpr double slack = 1e-12;
            return angle >= low - slack && angle <= high + slack;
        };
        const auto direct = [](const Ray& ray, std::size_t at) { return ray.to[at].angle; };
        const auto turned = [up](const Ray& ray, std::size_t at) {
            return ray.turned(up, ray.to[at]).angle;
        };
        const bool by_direct = may_meet(direct);
        const bool by_turned = turns && may_meet(turned);
        if (!by_direct && !by_turned) return;
        const Ray::Leg from = one.within(shells, n, eta);
        const Ray::Leg to = other.within(shells, n, eta);
        look(one, from, other, to);
        if (turns) look(one, one.turned(up, from), other, other.turned(up, to));
    };
    for (const Family& family : families_) {
        const bool reaches = up || family.lowest > n;
        if (reaches) {
            for (std::size_t i = 1; i < family.rays.size(); ++i) {
                look_between(family.rays[i - 1], family.rays[i], family.turns);
            }
            continue;
        }
        if (family.lowest != n || !family.turns) continue;
        // Rays that turn in the shell of this depth, some of them above it.
        const Ray flat(shells, eta, n, true);
        const Ray* before = &flat;
        for (const Ray& ray : family.rays) {
            if (ray.p >= eta) continue;
            const Ray::Leg from = before->within(shells, n, eta);
            const Ray::Leg to = ray.within(shells, n, eta);
            look(*before, from, ray, to);
            look(*before, before->turned(up, from), ray, ray.turned(up, to));
            before = &ray;
        }
    }
    const Ray slide(shells, slide_p_, shells.last(), false);
    const Ray::Leg down = slide.to[shells.last()];
    const Ray::Leg back = 2 * down + (up ? 1.0 : -1.0) * slide.within(shells, n, eta);
    if (angle >= back.angle) first = std::min(first, back.time + slide_p_ * (angle - back.angle));
    return first;
}

}  // namespace fermat
