#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "tomography/gauss_newton/roughness.hpp"

namespace fermat {
namespace {

/// The row of K of one unknown.
struct StencilRow {
    std::array<std::size_t, 7> column;
    std::array<double, 7> value;
    std::size_t count = 0;

    StencilRow(const RoughnessStencil& stencil, std::size_t unknown) {
        add(unknown, stencil.diagonal_at(unknown));
        for (int side = 0; side < 6; ++side) {
            const std::int32_t other = stencil.neighbours[unknown].number[side];
            if (other < 0) continue;
            const double factor = stencil.edge_factor(unknown, side);
            value[0] += factor;
            add(static_cast<std::size_t>(other), -factor);
        }
    }
    void add(std::size_t at, double what) {
        column[count] = at;
        value[count] = what;
        ++count;
    }
};

}  // namespace

RoughnessStencil Roughness::smooth_stencil() const {
    RoughnessStencil stencil = this->stencil();
    stencil.diagonal = smooth_diagonal_;
    stencil.weights = own_factors_.empty() ? nullptr : own_factors_.data();
    return stencil;
}

std::shared_ptr<const BandedCholesky> Roughness::factored_both() const {
    const RoughnessStencil sharp = stencil();
    const RoughnessStencil curved = smooth_stencil();
    const std::size_t n = neighbours_.size();
    std::size_t band = 0;
    for (std::size_t u = 0; u < n; ++u) {
        const StencilRow row(curved, u);
        const auto [low, high] =
            std::minmax_element(row.column.begin(), row.column.begin() + row.count);
        band = std::max(band, *high - *low);
    }
    auto both = std::make_shared<BandedCholesky>(n, band);
    for (std::size_t u = 0; u < n; ++u) {
        const StencilRow row(curved, u);
        const double weight = smooth_ * (between_.empty() ? 1 : between_[u]);
        for (std::size_t a = 0; a < row.count; ++a) {
            for (std::size_t b = 0; b < row.count; ++b) {
                if (row.column[b] > row.column[a]) continue;
                both->add(row.column[a], row.column[b], weight * row.value[a] * row.value[b]);
            }
        }
        const StencilRow edges(sharp, u);
        for (std::size_t a = 0; a < edges.count; ++a) {
            if (edges.column[a] <= u) both->add(u, edges.column[a], edges.value[a]);
        }
    }
    if (!both->factor()) throw ComputeError("the roughness of mixed parts is not positive");
    return both;
}

std::vector<double> Roughness::blocky_part(std::span<const double> x) const {
    // x = b + s makes b^T R_b b + s^T R_s s least: (R_b + R_s) s = R_b x.
    std::vector<double> s(x.size());
    apply_once(x, s, 1);
    both_->solve(s);
    for (std::size_t u = 0; u < s.size(); ++u) s[u] = x[u] - s[u];
    return s;
}

void Roughness::reweight_mixed(std::span<const double> model) {
    // From equal weights on, so that it is the model alone that makes them.
    constexpr int rounds = 2;
    weigh_alike();
    for (int round = 0; round < rounds; ++round) {
        reweight_edges(blocky_part(model));
        both_ = factored_both();
    }
}

void Roughness::add_smooth_noise(std::span<const double> noise, std::span<double> out) const {
    // With e of covariance R_b and f of R_s, e - R_b (R_b + R_s)^-1 (e + f) has covariance R.
    const std::size_t n = neighbours_.size();
    std::vector<double> own(n);
    for (std::size_t u = 0; u < n; ++u) {
        own[u] = noise[4 * u + 3] * std::sqrt(smooth_ * (between_.empty() ? 1 : between_[u]));
    }
    const RoughnessStencil curved = smooth_stencil();
    std::vector<double> sum(n);
    for (std::size_t u = 0; u < n; ++u) sum[u] = out[u] + curved.apply_at(u, own.data());
    both_->solve(sum);
    apply_once(sum, own, 1);
    for (std::size_t u = 0; u < n; ++u) out[u] -= own[u];
}

}  // namespace fermat
