#include "tomography/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/random_stream.hpp"

namespace fermat {
namespace {

/// Times of pairs; infinite where no wave arrives.
std::vector<double> pair_times(const Model& model, std::span<const PointSource> sources,
                               std::span<const Vec3> receivers, std::span<const RayPair> pairs,
                               const EikonalOptions& options, const Execution& execution) {
    const Grid& grid = model.grid();
    for (std::size_t s = 0; s < sources.size(); ++s) {
        require_inside(grid, sources[s].position, fmt::format("source {}", s));
    }
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        require_inside(grid, receivers[r], fmt::format("receiver {}", r));
    }
    // Sources in air have no field.
    std::vector<PointSource> alive;
    std::vector<std::vector<std::size_t>> lists(sources.size());
    std::vector<std::size_t> numbers;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const bool there = pairs[p].source >= 0 &&
                           static_cast<std::size_t>(pairs[p].source) < sources.size() &&
                           pairs[p].receiver >= 0 &&
                           static_cast<std::size_t>(pairs[p].receiver) < receivers.size();
        if (!there) {
            throw InputError(fmt::format(
                "pair ({}, {}) names a source or receiver that is not there (there are {} and {})",
                pairs[p].source, pairs[p].receiver, sources.size(), receivers.size()));
        }
        lists[static_cast<std::size_t>(pairs[p].source)].push_back(p);
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
        if (lists[s].empty() || in_air(model, grid.clamp(sources[s].position))) continue;
        alive.push_back({grid.clamp(sources[s].position), sources[s].start_time});
        numbers.push_back(s);
    }
    std::vector<double> times(pairs.size(), std::numeric_limits<double>::infinity());
    for_each_field(model, alive, options, execution, [&](std::size_t n, TimeField&& field) {
        for (const std::size_t p : lists[numbers[n]]) {
            const Vec3 at = grid.clamp(receivers[static_cast<std::size_t>(pairs[p].receiver)]);
            if (!in_air(model, at)) times[p] = time_at(field, at);
        }
    });
    return times;
}

}  // namespace

void validate(const NoiseOptions& noise) {
    if (!(noise.deviation >= 0) || std::isinf(noise.deviation)) {
        throw InputError(fmt::format("noise is {} (must be >= 0)", noise.deviation));
    }
}

SyntheticPicks synthetic_picks(const Model& model, std::span<const PointSource> sources,
                               std::span<const Vec3> receivers, std::span<const RayPair> pairs,
                               const NoiseOptions& noise, const EikonalOptions& options,
                               const Execution& execution) {
    validate(noise);
    const std::vector<double> times =
        pair_times(model, sources, receivers, pairs, options, execution);
    SyntheticPicks out;
    for (const PointSource& source : sources) out.picks.sources.push_back(source.position);
    out.picks.receivers.assign(receivers.begin(), receivers.end());
    out.picks.has_errors = noise.deviation > 0;
    out.picks.is_2d = model.grid().is_2d();
    RandomStream gaussian(noise.seed);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        // Drawn for every pair, so that the noise of one does not depend on another's fate.
        const double noisy = times[p] + noise.deviation * gaussian.normal();
        if (!std::isfinite(times[p])) {
            ++out.unreached;
            continue;
        }
        out.picks.picks.push_back(
            {pairs[p].source, pairs[p].receiver, std::max(0.0, noisy), noise.deviation});
    }
    return out;
}

SyntheticPicks synthetic_picks(const Model& model, const Picks& survey, const NoiseOptions& noise,
                               const EikonalOptions& options, const Execution& execution) {
    std::vector<PointSource> sources;
    for (const Vec3 p : survey.sources) sources.push_back({p, 0});
    std::vector<RayPair> pairs;
    for (const Pick& pick : survey.picks) pairs.push_back({pick.source, pick.receiver});
    SyntheticPicks out =
        synthetic_picks(model, sources, survey.receivers, pairs, noise, options, execution);
    if (out.picks.has_errors || !survey.has_errors || out.unreached > 0) return out;
    out.picks.has_errors = true;
    for (std::size_t n = 0; n < out.picks.picks.size(); ++n) {
        out.picks.picks[n].error = survey.picks[n].error;
    }
    return out;
}

Recovery recovery(const Model& start, const Model& truth, const Model& found,
                  FieldView<const float> coverage, double min_coverage) {
    const Shape nodes = start.grid().shape;
    const Shape cells = coverage.shape();
    const bool fits = truth.grid().shape == nodes && found.grid().shape == nodes &&
                      cells == start.grid().cell_shape();
    if (!fits)
        throw InputError("models and coverage of a recovery differ in shape (must be equal)");
    Field<std::uint8_t> covered(nodes, 0);
    for (int i = 0; i < cells.x; ++i) {
        for (int j = 0; j < cells.y; ++j) {
            for (int k = 0; k < cells.z; ++k) {
                if (coverage(i, j, k) < static_cast<float>(min_coverage)) continue;
                for (int a = 0; a < 2; ++a) {
                    for (int b = 0; b < (nodes.y == 1 ? 1 : 2); ++b) {
                        for (int c = 0; c < 2; ++c) covered(i + a, j + b, k + c) = 1;
                    }
                }
            }
        }
    }
    double n = 0;
    double st = 0;
    double sf = 0;
    double stt = 0;
    double sff = 0;
    double stf = 0;
    for (std::size_t at = 0; at < covered.size(); ++at) {
        const double v = start.velocity()[at];
        if (covered[at] == 0 || v == 0) continue;
        const double t = truth.velocity()[at] / v - 1;
        const double f = found.velocity()[at] / v - 1;
        n += 1;
        st += t;
        sf += f;
        stt += t * t;
        sff += f * f;
        stf += t * f;
    }
    Recovery out;
    out.nodes = static_cast<std::int64_t>(n);
    out.correlation = (n * stf - st * sf) / std::sqrt((n * stt - st * st) * (n * sff - sf * sf));
    out.amplitude = stf / stt;
    return out;
}

}  // namespace fermat
