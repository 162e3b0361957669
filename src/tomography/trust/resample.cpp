#include "tomography/trust/resample.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/random_stream.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {

std::vector<std::vector<std::int32_t>> units_of(const Survey& picks, PickUnit unit) {
    std::vector<std::vector<std::int32_t>> units;
    if (unit == PickUnit::shots) {
        for (auto& shot : by_event(picks)) {
            if (!shot.empty()) units.push_back(std::move(shot));
        }
        return units;
    }
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        units.push_back({static_cast<std::int32_t>(n)});
    }
    return units;
}

std::vector<std::vector<std::int32_t>> groups_of(const Survey& picks, PickUnit unit, int groups,
                                                 std::uint64_t seed) {
    const auto units = units_of(picks, unit);
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), 0U);
    RandomStream random(seed);
    for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
    std::vector<std::vector<std::int32_t>> out(static_cast<std::size_t>(groups));
    for (std::size_t n = 0; n < order.size(); ++n) {
        auto& group = out[n % out.size()];
        group.insert(group.end(), units[order[n]].begin(), units[order[n]].end());
    }
    for (auto& group : out) std::sort(group.begin(), group.end());
    return out;
}

Survey picks_without(const Survey& picks, const std::vector<std::int32_t>& numbers) {
    std::vector<bool> left_out(picks.arrivals.size(), false);
    for (const std::int32_t n : numbers) left_out[static_cast<std::size_t>(n)] = true;
    std::vector<std::int32_t> kept;
    for (std::size_t n = 0; n < left_out.size(); ++n) {
        if (!left_out[n]) kept.push_back(static_cast<std::int32_t>(n));
    }
    return subset(picks, kept);
}

Survey bootstrapped(const Survey& picks, PickUnit unit, std::uint64_t seed, std::uint64_t number) {
    const auto units = units_of(picks, unit);
    RandomStream random(seed, number);
    std::vector<std::int32_t> drawn;
    for (std::size_t n = 0; n < units.size(); ++n) {
        const auto& one = units[random.below(units.size())];
        drawn.insert(drawn.end(), one.begin(), one.end());
    }
    return subset(picks, drawn);
}

Survey with_noise(const Survey& picks, const std::vector<double>& errors, std::uint64_t seed,
                  std::uint64_t number) {
    Survey out = picks;
    RandomStream random(seed, number);
    for (std::size_t n = 0; n < errors.size(); ++n) {
        const double noisy = out.arrivals[n].time + errors[n] * random.normal();
        out.arrivals[n].time = std::max(out.event_of(out.arrivals[n]).origin_time, noisy);
    }
    return out;
}

Model with_hills(const Model& model, double amplitude, double length, std::uint64_t seed,
                 std::uint64_t number) {
    // A sum of waves of random direction and phase, whose wave numbers are those of a Gaussian
    // correlation exp(-r^2 / (2 length^2)).
    constexpr int waves = 64;
    struct Wave {
        Vec3 k;
        double phase = 0;
    };
    RandomStream random(seed, number);
    std::vector<Wave> sum(waves);
    for (Wave& wave : sum) {
        wave.k = {random.normal() / length, random.normal() / length, random.normal() / length};
        wave.phase = 2 * std::numbers::pi * random.uniform();
    }
    const Grid& grid = model.grid();
    const auto given = model.given();
    const Shape shape = given.shape();
    const double shift = model.cells() != nullptr ? 0.5 : 0;
    Field<float> velocity(shape);
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                const Vec3 p{(i + shift) * grid.spacing.x,
                             grid.is_2d() ? 0 : (j + shift) * grid.spacing.y,
                             (k + shift) * grid.spacing.z};
                double height = 0;
                for (const Wave& wave : sum) {
                    height +=
                        std::cos(wave.k.x * p.x + wave.k.y * p.y + wave.k.z * p.z + wave.phase);
                }
                height *= amplitude * std::sqrt(2.0 / waves);
                velocity(i, j, k) =
                    static_cast<float>(static_cast<double>(given(i, j, k)) * std::exp(height));
            }
        }
    }
    return model.with_given(std::move(velocity));
}

}  // namespace fermat
