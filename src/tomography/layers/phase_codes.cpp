#include "tomography/layers/phase_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.hpp"
#include "core/median.hpp"
#include "phases/phases.hpp"
#include "tomography/layers/flat_fit.hpp"

namespace fermat {
namespace {

/// y = a + b x by least squares whose far points count less, again and again (Huber).
struct FittedLine {
    double a = 0;
    double b = 0;
};
FittedLine line_through(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> weight(x.size(), 1.0);
    FittedLine line;
    for (int round = 0; round < 20; ++round) {
        double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            w += weight[i];
            wx += weight[i] * x[i];
            wy += weight[i] * y[i];
            wxx += weight[i] * x[i] * x[i];
            wxy += weight[i] * x[i] * y[i];
        }
        const double det = w * wxx - wx * wx;
        if (!(det > 0)) return {wy / w, 0};
        line = {(wxx * wy - wx * wxy) / det, (w * wxy - wx * wy) / det};
        std::vector<double> off;
        for (std::size_t i = 0; i < x.size(); ++i) {
            off.push_back(std::fabs(y[i] - line.a - line.b * x[i]));
        }
        const double limit = 2 * upper_median(off) + 1e-12;
        for (std::size_t i = 0; i < x.size(); ++i) {
            weight[i] = off[i] <= limit ? 1 : limit / off[i];
        }
    }
    return line;
}

/// How the times of a code look over distance.
struct CodeShape {
    std::string code;
    bool reflected = false;
    double order = 0;  ///< velocity of a line, or t0 of a hyperbola
    /// Far picks are much faster than those in the middle: the code stands for all waves that turn.
    bool quickens = false;
};

/// The velocity of a line through the picks of a stretch, from one part of all to another.
double velocity_between(const std::vector<double>& x, const std::vector<double>& t, double from,
                        double to) {
    std::vector<double> sorted = x;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double part) {
        return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    };
    std::vector<double> some_x, some_t;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] < at(from) || x[i] > at(to)) continue;
        some_x.push_back(x[i]);
        some_t.push_back(t[i]);
    }
    const FittedLine line = line_through(some_x, some_t);
    return line.b > 0 ? 1 / line.b : 0;
}

/// Distances and times of a code.
struct CodeTimes {
    std::size_t phase = 0;
    std::vector<double> x;
    std::vector<double> t;
};
CodeTimes times_of(const PhasePicks& picks, std::size_t phase) {
    CodeTimes out{phase, {}, {}};
    for (const std::size_t n : picks_of(picks, phase)) {
        const Arrival& pick = picks.survey.arrivals[n];
        const Vec3 d =
            picks.survey.event_of(pick).position - picks.survey.station_of(pick).position;
        const double time = pick.time - picks.survey.event_of(pick).origin_time;
        if (!(time > 0)) continue;
        out.x.push_back(std::hypot(d.x, d.y));
        out.t.push_back(time);
    }
    return out;
}

/// The first layer, by the code that comes soonest: its waves turn there.
FlatLayers first_layer(const std::vector<CodeTimes>& codes) {
    const auto soonest =
        std::min_element(codes.begin(), codes.end(), [](const CodeTimes& a, const CodeTimes& b) {
            return upper_median(a.t) < upper_median(b.t);
        });
    const std::vector<double> errors(soonest->t.size(), 1);
    return fit_flat_layers(1, {{PhaseCurve::Kind::turning, 0, soonest->x, soonest->t, errors}})
        .layers;
}

CodeShape shape_of(const CodeTimes& of, const std::string& code, const FlatLayers& first) {
    const auto& [phase, x, t] = of;
    std::vector<double> xx, tt, late;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx.push_back(x[i] * x[i]);
        tt.push_back(t[i] * t[i]);
        late.push_back(t[i] - turning_time(first, 0, x[i]));
    }
    const FittedLine straight = line_through(x, t);
    const FittedLine bent = line_through(xx, tt);
    std::vector<double> from_line;
    std::vector<double> from_bent;
    for (std::size_t i = 0; i < x.size(); ++i) {
        from_line.push_back(std::fabs(t[i] - straight.a - straight.b * x[i]));
        from_bent.push_back(std::fabs(t[i] - std::sqrt(std::max(0.0, bent.a + bent.b * xx[i]))));
    }
    CodeShape out{code, false, straight.b > 0 ? 1 / straight.b : 0};
    // A reflection comes after the wave that turns above it, and bends the other way; one that
    // turns deeper overtakes it.
    const double middle = upper_median(t);
    if (bent.a > 0 && std::sqrt(bent.a) > 0.2 * middle && upper_median(late) > 0.01 * middle &&
        upper_median(from_bent) < upper_median(from_line)) {
        out.reflected = true;
        out.order = std::sqrt(bent.a);
    }
    constexpr double much = 1.15;
    out.quickens = !out.reflected && x.size() >= 12 &&
                   velocity_between(x, t, 0.7, 1) > much * velocity_between(x, t, 0.3, 0.7);
    return out;
}

}  // namespace

bool is_code(const std::string& name) {
    const bool sign = name.starts_with("-");
    return name.size() > (sign ? 1 : 0) && name.size() < 9 &&
           std::all_of(name.begin() + (sign ? 1 : 0), name.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

bool has_codes(const PhasePicks& picks) {
    return std::any_of(picks.phases.begin(), picks.phases.end(), is_code);
}

PhasePicks renamed(const PhasePicks& picks, const PhaseNames& names) {
    for (const auto& [code, name] : names) {
        if (std::find(picks.phases.begin(), picks.phases.end(), code) != picks.phases.end()) {
            continue;
        }
        throw InputError(
            fmt::format("phase '{}' is given a name, '{}', and no pick is of it (the "
                        "picks are of {})",
                        code, name, fmt::join(picks.phases, ", ")));
    }
    std::vector<std::string> all;
    for (std::size_t n = 0; n < picks.phase_of.size(); ++n) {
        const std::string& own = picks.name_of(n);
        const auto found = std::find_if(names.begin(), names.end(),
                                        [&](const auto& one) { return one.first == own; });
        all.push_back(found == names.end() ? own : found->second);
    }
    return phase_picks(picks.survey, all);
}

PhaseNames guess_codes(const PhasePicks& picks) {
    std::vector<CodeShape> turning;
    std::vector<CodeShape> reflected;
    std::vector<CodeTimes> codes;
    for (std::size_t k = 0; k < picks.phases.size(); ++k) {
        if (!is_code(picks.phases[k])) continue;
        codes.push_back(times_of(picks, k));
        if (codes.back().t.empty()) codes.pop_back();
    }
    if (codes.empty()) return {};
    const FlatLayers first = first_layer(codes);
    for (const CodeTimes& code : codes) {
        CodeShape shape = shape_of(code, picks.phases[code.phase], first);
        (shape.reflected ? reflected : turning).push_back(std::move(shape));
    }
    const auto by_order = [](const CodeShape& a, const CodeShape& b) { return a.order < b.order; };
    std::stable_sort(turning.begin(), turning.end(), by_order);
    std::stable_sort(reflected.begin(), reflected.end(), by_order);
    const std::size_t layers_turned = std::max<std::size_t>(turning.size(), 1);
    const std::size_t interfaces = std::max(layers_turned - 1, reflected.size());
    PhaseNames out;
    for (std::size_t k = 0; k < turning.size(); ++k) {
        const bool all = turning.size() == 1 && turning[k].quickens;
        out.emplace_back(turning[k].code, all               ? "P"
                                          : interfaces == 1 ? (k == 0 ? "Pg" : "Pn")
                                                            : fmt::format("P{}", k));
    }
    // Fewer reflections than interfaces are those of the deepest.
    const std::size_t above = interfaces - reflected.size();
    for (std::size_t k = 0; k < reflected.size(); ++k) {
        out.emplace_back(reflected[k].code,
                         interfaces == 1 ? "PmP" : fmt::format("P{}P", above + k + 1));
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return std::stoi(a.first) < std::stoi(b.first);
    });
    return out;
}

PhaseNames match_codes(const LayeredMedium& medium, const PhasePicks& picks,
                       const Execution& execution) {
    std::vector<std::string> waves;
    for (int k = 0; k < medium.layer_count(); ++k) waves.push_back(fmt::format("P{}", k));
    for (int k = 1; k < medium.layer_count(); ++k) waves.push_back(fmt::format("P{}P", k));
    std::vector<Vec3> sources;
    std::vector<Vec3> receivers;
    for (const Event& event : picks.survey.events) sources.push_back(event.position);
    for (const Station& station : picks.survey.stations) receivers.push_back(station.position);
    PhaseNames out;
    for (std::size_t phase = 0; phase < picks.phases.size(); ++phase) {
        if (!is_code(picks.phases[phase])) continue;
        const std::vector<std::size_t> all = picks_of(picks, phase);
        constexpr std::size_t most = 40;
        const std::size_t stride = std::max<std::size_t>(1, all.size() / most);
        std::vector<RayPair> pairs;
        std::vector<double> times;
        for (std::size_t i = 0; i < all.size(); i += stride) {
            const Arrival& pick = picks.survey.arrivals[all[i]];
            pairs.push_back({pick.event, pick.station});
            times.push_back(pick.time - picks.survey.event_of(pick).origin_time);
        }
        std::string best;
        double least = std::numeric_limits<double>::infinity();
        for (const std::string& wave : waves) {
            const auto rays = trace_branch(medium, branch_of(medium, wave), sources, receivers,
                                           pairs, {}, execution.alone());
            std::vector<double> off;
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                const BranchRay& ray = rays[i].front();
                // What does not arrive is as bad as can be.
                off.push_back(has_arrived(ray.status) ? std::fabs(ray.time - times[i]) : times[i]);
            }
            const double middle = upper_median(std::move(off));
            if (middle >= least) continue;
            least = middle;
            best = wave;
        }
        out.emplace_back(picks.phases[phase], best);
    }
    return out;
}

std::string describe(const PhaseNames& names, const PhasePicks& picks) {
    std::string text;
    std::string option;
    for (const auto& [code, name] : names) {
        const auto found = std::find(picks.phases.begin(), picks.phases.end(), code);
        const auto count = picks_of(picks, static_cast<std::size_t>(found - picks.phases.begin()));
        text += fmt::format("{}{} is {} ({} picks)", text.empty() ? "code " : ", ", code, name,
                            count.size());
        option += fmt::format("{}{}={}", option.empty() ? "" : ",", code, name);
    }
    return fmt::format("`phases={}`: {}", option, text);
}

}  // namespace fermat
