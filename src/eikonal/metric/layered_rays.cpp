#include "eikonal/metric/layered_rays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

    Shells(const LayeredSphere& sphere, double source_depth) {
        for (std::size_t row = 0; row < sphere.depths.size(); ++row) {
            if (row > 0) add_between(sphere, row - 1, source_depth);
            if (sphere.depths[row] == source_depth) source = radius.size();
            row_at.push_back(radius.size());
            add(sphere.radius - sphere.depths[row], sphere.above[row], sphere.below[row]);
        }
    }
    std::size_t last() const { return radius.size() - 1; }

    /// The angle and time of a ray through the shell below a boundary.
    struct Leg {
        double angle, time;
    };
    Leg through(std::size_t n, double p) const { return between(n, eta_above[n + 1], p); }
    /// To the point where it turns.
    Leg to_turn(std::size_t n, double p) const { return between(n, p, p); }

  private:
    Leg between(std::size_t n, double eta_low, double p) const {
        const double top = eta_below[n];
        const double c =
            std::log(radius[n] / radius[n + 1]) / std::log(eta_below[n] / eta_above[n + 1]);
        const auto angle = [&](double eta) { return std::acos(std::min(1.0, p / eta)); };
        const auto time = [&](double eta) { return std::sqrt(std::max(0.0, eta * eta - p * p)); };
        return {c * (angle(top) - angle(eta_low)), c * (time(top) - time(eta_low))};
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
    double p = 0;
    std::vector<Shells::Leg> to;  ///< per boundary
    Shells::Leg turn{0, 0};       ///< from the source to where it turns

    Ray(const Shells& shells, double p_, std::size_t lowest, bool turns) : p(p_) {
        to.assign(shells.radius.size(), {0, 0});
        for (std::size_t n = shells.source; n-- > 0;) add(shells, n + 1, n, n);
        for (std::size_t n = shells.source; n < lowest; ++n) add(shells, n, n + 1, n);
        if (!turns) return;
        const Shells::Leg rest = shells.to_turn(lowest, p);
        turn = {to[lowest].angle + rest.angle, to[lowest].time + rest.time};
    }
    /// To a boundary after it has turned.
    Shells::Leg turned(const Shells& shells, std::size_t n) const {
        const double way = n < shells.source ? 1 : -1;
        return {2 * turn.angle + way * to[n].angle, 2 * turn.time + way * to[n].time};
    }

  private:
    void add(const Shells& shells, std::size_t from, std::size_t where, std::size_t shell) {
        const Shells::Leg leg = shells.through(shell, p);
        to[where] = {to[from].angle + leg.angle, to[from].time + leg.time};
    }
};

double LayeredRays::Piece::time(double angle) const {
    const double length = last_angle - first_angle;
    const double t = (angle - first_angle) / length;
    const double rise = last_time - first_time;
    const double a = first_p * length - rise;
    const double b = rise - last_p * length;
    return first_time + t * (rise + (1 - t) * (a * (1 - t) + b * t));
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
    : interval_(farthest / static_cast<double>(intervals - 1)), rows_(sphere.depths.size()) {
    const Shells shells(sphere, source_depth);
    for (Row& row : rows_) row.by_angle.resize(intervals);
    // Rays that leave the source upwards or downwards, from flat to steep ones.
    for (std::size_t n = shells.source; n <= shells.last(); ++n) {
        const bool is_last = n == shells.last();
        const double above = n > 0 ? shells.eta_above[n] : shells.eta_below[n];
        const double below = is_last ? above : shells.eta_below[n];
        if (below < above) add_rays(shells, above, below, n, false);
        if (is_last) {
            add_rays(shells, above, 0, n, false);
        } else {
            add_rays(shells, below, shells.eta_above[n + 1], n, true);
        }
    }
    add_slide(shells);
}

/// Rays down to a boundary, or that turn in the shell below it.
void LayeredRays::add_rays(const Shells& shells, double p_high, double p_low, std::size_t lowest,
                           bool turns) {
    // By the angle from the boundary, in radians. Flat rays are close together: from a source near
    // the boundary their way changes most with the angle.
    constexpr double step = 0.02;
    const double most = std::acos(p_low / p_high);
    const int count = std::max(10, static_cast<int>(std::ceil(most / step)));
    std::vector<Ray> rays;
    for (int i = 0; i <= count; ++i) {
        const double p = i == count ? p_low : p_high * std::cos(most * i * i / (count * count));
        rays.emplace_back(shells, p, lowest, turns);
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const std::size_t at = shells.row_at[k];
        if (at > lowest) continue;
        for (std::size_t i = 1; i < rays.size(); ++i) {
            const auto add = [&](Shells::Leg from, Shells::Leg to) {
                add_piece(rows_[k], {from.angle, to.angle, from.time, to.time, rays[i - 1].p,
                                     rays[i].p});
            };
            if (at != shells.source) add(rays[i - 1].to[at], rays[i].to[at]);
            if (turns) add(rays[i - 1].turned(shells, at), rays[i].turned(shells, at));
        }
    }
}

void LayeredRays::add_slide(const Shells& shells) {
    const std::size_t last = shells.last();
    slide_p_ = last > 0 ? shells.eta_above[last] : shells.eta_below[last];
    Ray ray(shells, slide_p_, last, false);
    ray.turn = ray.to[last];
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const Shells::Leg to = ray.turned(shells, shells.row_at[k]);
        rows_[k].slide_angle = to.angle;
        rows_[k].slide_time = to.time;
    }
}

void LayeredRays::add_piece(Row& row, Piece piece) {
    if (piece.last_angle < piece.first_angle) {
        std::swap(piece.first_angle, piece.last_angle);
        std::swap(piece.first_time, piece.last_time);
        std::swap(piece.first_p, piece.last_p);
    }
    const auto interval = [&](double angle) {
        return static_cast<std::size_t>(std::max(0.0, angle / interval_));
    };
    if (!(piece.last_angle > piece.first_angle)) return;
    const std::size_t last = std::min(interval(piece.last_angle), intervals - 1);
    for (std::size_t n = interval(piece.first_angle); n <= last; ++n) {
        row.by_angle[n].push_back(piece);
    }
}

double LayeredRays::time(std::size_t row, double angle) const {
    const Row& at = rows_[row];
    const auto n = static_cast<std::size_t>(angle / interval_);
    double first = std::numeric_limits<double>::infinity();
    if (angle >= at.slide_angle) first = at.slide_time + slide_p_ * (angle - at.slide_angle);
    if (n >= intervals) return first;
    for (const Piece& piece : at.by_angle[n]) {
        constexpr double slack = 1e-12;  // of the ends
        if (angle < piece.first_angle - slack || angle > piece.last_angle + slack) continue;
        first = std::min(first, piece.time(angle));
    }
    return first;
}

}  // namespace fermat
