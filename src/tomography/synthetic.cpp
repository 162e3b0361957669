#include "tomography/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "times/times.hpp"

namespace fermat {

void validate(const NoiseOptions& noise) {
    if (!(noise.deviation >= 0) || std::isinf(noise.deviation)) {
        throw InputError(fmt::format("noise is {} (must be >= 0)", noise.deviation));
    }
}

SyntheticPicks synthetic_picks(const Medium& medium, const Survey& survey,
                               const NoiseOptions& noise, const EikonalOptions& options,
                               const Execution& execution) {
    validate(noise);
    SyntheticPicks out;
    const std::vector<double> times = arrival_times(medium, survey, options, execution, &out.notes);
    out.picks.events = survey.events;
    out.picks.stations = survey.stations;
    out.picks.has_errors = noise.deviation > 0 || survey.has_errors;
    out.picks.is_2d = medium.grid().is_2d();
    RandomStream gaussian(noise.seed);
    for (std::size_t p = 0; p < times.size(); ++p) {
        // Drawn for every arrival, so that the noise of one does not depend on another's fate.
        const double noisy = times[p] + noise.deviation * gaussian.normal();
        if (!std::isfinite(times[p])) {
            ++out.unreached;
            continue;
        }
        Arrival pick = survey.arrivals[p];
        pick.time = std::max(survey.event_of(pick).origin_time, noisy);
        if (noise.deviation > 0) pick.error = noise.deviation;
        out.picks.arrivals.push_back(pick);
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
