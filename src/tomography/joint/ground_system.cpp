#include "tomography/joint/ground_system.hpp"

#include <algorithm>
#include <numeric>

#include "tomography/gauss_newton/vectors.hpp"

namespace fermat {

GroundSystem::GroundSystem(const JointParts& parts, SpectralSolver& velocity, SpectralSolver& ratio,
                           const PickMatrix& rows, std::span<const double> row_weights,
                           double lambda, double picks_share)
    : parts_(parts),
      along_(rows.rows()),
      velocity_(velocity),
      ratio_(ratio),
      rows_(rows),
      row_weights_(row_weights),
      lambda_(lambda),
      by_slowness_(rows.columns()),
      smooth_(parts.layout.grid),
      term_diagonal_(parts.layout.terms, 1.0) {
    Vector squares(rows.columns());
    rows.column_squares(squares, parts.threads);
    const auto grid = static_cast<std::ptrdiff_t>(parts.layout.grid);
    const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
    const double of_s = std::accumulate(squares.begin() + grid, squares.end(), 0.0);
    velocity_mean_ = picks_share * all / static_cast<double>(grid);
    ratio_mean_ = picks_share * of_s / static_cast<double>(grid);
    const double unit = parts.terms.unit();
    for (std::size_t n = 0; parts.layout.terms > 0 && n < along_.size(); ++n) {
        const double a = unit * row_weights[n];
        term_diagonal_[parts.terms.of(n)] += picks_share * a * a;
    }
}

void GroundSystem::times(std::span<const double> v, std::span<double> out) {
    const JointLayout& at = parts_.layout;
    std::copy_n(v.begin(), at.velocities(), by_slowness_.begin());
    for (std::size_t u = 0; at.has_ratio && u < at.grid; ++u) by_slowness_[at.grid + u] += v[u];
    rows_.times(by_slowness_, out, parts_.threads);
    if (at.terms == 0) return;
    const auto terms = at.terms_of(v);
    for (std::size_t n = 0; n < out.size(); ++n) {
        out[n] += row_weights_[n] * parts_.terms.time_of(terms, n);
    }
}

void GroundSystem::transposed_times(std::span<const double> y, std::span<double> out) {
    const JointLayout& at = parts_.layout;
    rows_.transposed_times(y, by_slowness_, parts_.threads);
    std::copy(by_slowness_.begin(), by_slowness_.end(), out.begin());
    for (std::size_t u = 0; at.has_ratio && u < at.grid; ++u) out[u] += out[at.grid + u];
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at.velocities()), at.terms, 0.0);
    const double unit = parts_.terms.unit();
    for (std::size_t n = 0; at.terms > 0 && n < y.size(); ++n) {
        out[at.velocities() + parts_.terms.of(n)] += unit * row_weights_[n] * y[n];
    }
}

void GroundSystem::add_roughness(double factor, std::span<const double> v, std::span<double> out) {
    const JointLayout& at = parts_.layout;
    const auto add = [&](const Roughness& roughness, std::size_t first, double weight) {
        roughness.apply(v.subspan(first, at.grid), smooth_, parts_.threads);
        add_scaled(out.subspan(first, at.grid), weight, smooth_, parts_.threads);
    };
    add(parts_.velocity_roughness, 0, factor);
    if (at.has_ratio) add(parts_.ratio_roughness, at.grid, factor * parts_.ratio_weight);
}

void GroundSystem::add_term_damping(double factor, std::span<const double> v,
                                    std::span<double> out) const {
    for (std::size_t t = parts_.layout.velocities(); t < parts_.layout.solved(); ++t) {
        out[t] += factor * v[t];
    }
}

void GroundSystem::precondition_ground(std::span<const double> in, std::span<double> out) {
    const JointLayout& at = parts_.layout;
    std::fill_n(out.begin(), at.solved(), 0.0);
    if (at.finds_velocity) {
        velocity_.solve(in.first(at.grid), out.first(at.grid), lambda_, velocity_mean_,
                        parts_.threads);
    }
    if (at.finds_ratio) {
        ratio_.solve(in.subspan(at.grid, at.grid), out.subspan(at.grid, at.grid),
                     lambda_ * parts_.ratio_weight, ratio_mean_, parts_.threads);
    }
    if (at.terms == 0) return;
    const auto terms = out.subspan(at.velocities(), at.terms);
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(at.velocities()), at.terms, terms.begin());
    parts_.terms.centre(terms);
    for (std::size_t t = 0; t < terms.size(); ++t) terms[t] /= term_diagonal_[t];
    parts_.terms.centre(terms);
}

double GroundSystem::dot(const Vector& a, const Vector& b) const {
    return fermat::dot(a, b, parts_.threads);
}
void GroundSystem::add(Vector& to, double factor, const Vector& from) const {
    add_scaled(to, factor, from, parts_.threads);
}
void GroundSystem::scale_add(Vector& to, double factor, const Vector& from) const {
    scale_and_add(to, factor, from, parts_.threads);
}

}  // namespace fermat
