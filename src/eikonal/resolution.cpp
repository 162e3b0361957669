#include "eikonal/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/streaming.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/stencil.hpp"
#include "model/metric.hpp"

namespace fermat {

namespace {

/// The result of a first, cheap pass over all nodes.
struct Look {
    double product = 0;  ///< the largest tau v
    /// Whether unreached rock is so slow or fast that an arrival could not be represented.
    bool hidden = false;
};

/// Velocities beside which those of the source can be told.
struct ToldSpeeds {
    float slowest = 0;
    float fastest = 0;
};

template <class Real>
Look look_at(FieldView<const float> velocity, FieldView<const Real> tau, ToldSpeeds told,
             int threads) {
    const auto nodes = tau.size();
    const int team = streaming_threads(nodes, threads);
    const auto shares = static_cast<std::size_t>(team);
    std::vector<Look> looks(shares);
    parallel_for(team, team, [&](std::int64_t share) {
        const auto number = static_cast<std::size_t>(share);
        Real product = 0;
        bool hidden = false;
        std::size_t n = nodes * number / shares;
        const std::size_t end = nodes * (number + 1) / shares;
        if constexpr (std::is_same_v<Real, float>) {
            constexpr std::size_t step = lane_count<float>;
            const Lanes<float> none{};
            Lanes<float> most{};
            auto lost = none < none;
            for (; n + step <= end; n += step) {
                const Lanes<float> t = load(tau.data() + n);
                const Lanes<float> v = load(velocity.data() + n);
                const auto reached = t < reached_limit<float>;
                const Lanes<float> here = reached ? t * v : none;
                most = here > most ? here : most;
                lost |= ~reached & (v > 0) & ((v < told.slowest) | (v > told.fastest));
            }
            for (std::size_t lane = 0; lane < step; ++lane) product = std::max(product, most[lane]);
            hidden = any_lane(lost);
        }
        for (; n < end; ++n) {
            const bool reached = tau[n] < reached_limit<Real>;
            const Real here = reached ? tau[n] * static_cast<Real>(velocity[n]) : Real(0);
            product = here > product ? here : product;
            const float v = velocity[n];
            hidden |= !reached && v > 0 && (v < told.slowest || v > told.fastest);
        }
        looks[number] = {static_cast<double>(product), hidden};
    });
    Look all;
    for (const Look& look : looks) {
        all.product = std::max(all.product, look.product);
        all.hidden |= look.hidden;
    }
    return all;
}

}  // namespace

template <class Real>
void require_resolved(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      int threads) {
    const Grid& grid = model.grid();
    const double unit = smallest_spacing(grid);
    const double most = most_crossings<Real> * unit / source.slowness;
    constexpr double least_share = 1e-8;
    constexpr double late_pace = 4;  // as in update_tau
    // The largest tau v almost always suffices to show that no node exceeds the limit.
    const double farthest =
        source.is_front() ? source.far : distance(grid.origin, grid.far_corner());
    const FieldView<const float> velocity = model.velocity();
    // Squares of the ratio of velocities must stay in the range of Real.
    constexpr double most_share = std::is_same_v<Real, float> ? 1e15 : 1e30;
    const ToldSpeeds told{static_cast<float>(least_share / source.slowness),
                          static_cast<float>(std::min(most_share / source.slowness, 3e38))};
    const Look look = look_at(velocity, tau, told, threads);
    const Real product = static_cast<Real>(look.product);
    if (look.hidden && source.until == INFINITY) {
        const float highest = *std::max_element(velocity.begin(), velocity.end());
        if (highest > told.fastest) {
            throw InputError(fmt::format(
                "velocity {:g} is too fast for {} precision beside the source's {:g} (must be at "
                "most {:.0e} times as fast; use a smaller contrast of velocities)",
                highest, std::is_same_v<Real, float> ? "single" : "double", 1 / source.slowness,
                most_share));
        }
        throw InputError(
            fmt::format("velocity falls below {:.0e} of the source's {:g} (too slow beside it for "
                        "any time to be "
                        "told; use a smaller contrast of velocities)",
                        least_share, 1 / source.slowness));
    }
    // The wave from a front never comes straight from a source: T0 is constant there.
    const double late = source.is_front() ? 0 : late_pace / source.slowness;
    if (product * farthest < most || product < late) return;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double v = velocity(i, j, k);
                const double t = tau(i, j, k);
                if (!(t < reached_limit<Real>)) continue;
                const Vec3 place = grid.position({i, j, k});
                const double r = source.radius(place);
                if (v * t * r < most || v * t < late) continue;
                constexpr bool single = std::is_same_v<Real, float>;
                throw InputError(fmt::format(
                    "velocity {:g} at {} is too fast for {} precision, which cannot tell the "
                    "{:.3g} "
                    "that a cell takes there from the {:.3g} that the wave takes to it ({})",
                    v, to_string(grid, place), single ? "single" : "double", unit / v,
                    source.slowness * r * t,
                    single ? "use `precision=double` or a smaller contrast of velocities"
                           : "use a smaller contrast of velocities"));
            }
        }
    }
}

void require_contrast(const Model& model) {
    constexpr double most = 1e8;
    const FieldView<const float> velocity = model.velocity();
    float slowest = std::numeric_limits<float>::infinity();
    std::size_t fastest = 0;
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        if (velocity[n] > 0) slowest = std::min(slowest, velocity[n]);
        if (velocity[n] > velocity[fastest]) fastest = n;
    }
    const double ratio = static_cast<double>(velocity[fastest]) / static_cast<double>(slowest);
    if (ratio <= most) return;
    const Shape shape = model.grid().shape;
    const auto y = static_cast<std::size_t>(shape.y);
    const auto z = static_cast<std::size_t>(shape.z);
    const Index3 node{static_cast<int>(fastest / (y * z)), static_cast<int>(fastest / z % y),
                      static_cast<int>(fastest % z)};
    const Vec3 place = model.mapping().to_user(model.grid().position(node));
    throw InputError(fmt::format(
        "velocity {:g} at {} is too fast for single precision beside the slowest, {:g} (must be at "
        "most {:.0e} times as fast; use a smaller contrast of velocities)",
        velocity[fastest], to_string(model.grid(), place), slowest, most));
}

template <class Real>
void require_progress(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      double work, double most) {
    require_resolved(model, source, tau);
    if (work < most) return;
    throw ComputeError("times do not settle in this model (try another solver or `order=1`)");
}

template void require_resolved(const Model&, const FactoredSource&, FieldView<const float>, int);
template void require_resolved(const Model&, const FactoredSource&, FieldView<const double>, int);
template void require_progress(const Model&, const FactoredSource&, FieldView<const float>, double,
                               double);
template void require_progress(const Model&, const FactoredSource&, FieldView<const double>, double,
                               double);

}  // namespace fermat
