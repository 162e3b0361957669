#include "tomography/layers/first_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/median.hpp"

namespace fermat {
namespace {

using Kind = PhaseCurve::Kind;

/// A phase as the name alone tells it.
struct NamedWay {
    Kind kind = Kind::first;
    Phase wave = Phase::P;
    bool at_moho = false;  ///< else at the interface `number`
    bool above = false;    ///< turns in the layer above it
    std::size_t number = 0;
};

std::optional<Phase> wave_named(char letter) {
    if (letter == 'P') return Phase::P;
    if (letter == 'S') return Phase::S;
    return std::nullopt;
}

/// What the name of a phase says of layers that are not known yet; nothing for names that say too
/// little, such as pP.
std::optional<NamedWay> way_named(const std::string& name) {
    if (name.empty() || !wave_named(name.front())) return std::nullopt;
    NamedWay way;
    way.wave = *wave_named(name.front());
    std::string rest = name.substr(1);
    if (rest.empty()) return way;
    if (rest == "g" || rest == "G" || rest == "n" || rest == "N" || rest == "*") {
        way.kind = Kind::turning;
        way.at_moho = true;
        way.above = rest == "g" || rest == "G";
        return way;
    }
    way.kind = Kind::turning;
    if (const auto last = wave_named(rest.back())) {
        if (*last != way.wave) return std::nullopt;
        way.kind = Kind::reflected;
        rest.pop_back();
        if (rest == "m") {
            way.at_moho = true;
            return way;
        }
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (rest.empty() || rest.size() > 2 || !std::all_of(rest.begin(), rest.end(), is_digit)) {
        return std::nullopt;
    }
    way.number = static_cast<std::size_t>(std::stoi(rest));
    if (way.kind == Kind::reflected && way.number == 0) return std::nullopt;
    return way;
}

constexpr std::size_t most_layers = 12;

/// How many layers the names ask for, and whether the last interface is the Moho.
struct NamedLayers {
    std::size_t count = 1;
    bool has_moho = false;
    std::size_t number_of(const NamedWay& way) const {
        const std::size_t at = way.at_moho ? count - 1 : way.number;
        return way.above ? at - 1 : at;
    }
};
NamedLayers layers_named(const PhasePicks& picks) {
    NamedLayers out;
    for (const std::string& name : picks.phases) {
        const auto way = way_named(name);
        out.has_moho = out.has_moho || (way && way->at_moho) ||
                       name.find('m') != std::string::npos || name == "Ps" || name == "Sp";
        if (way && !way->at_moho) out.count = std::max(out.count, way->number + 1);
    }
    if (out.has_moho) ++out.count;
    if (out.count > most_layers) {
        throw InputError(
            fmt::format("the phases name {} layers (start layers are made for up to {}: give a "
                        "model)",
                        out.count, most_layers));
    }
    return out;
}

double level_distance(const Survey& survey, const Arrival& pick) {
    const Vec3 d = survey.event_of(pick).position - survey.station_of(pick).position;
    return std::hypot(d.x, d.y);
}

/// The times of a phase over distances: at most some hundreds of picks, taken evenly.
PhaseCurve curve_of(const PhasePicks& picks, std::size_t phase, const NamedWay& way,
                    const NamedLayers& named) {
    constexpr std::size_t most = 240;
    PhaseCurve out{way.kind, named.number_of(way), {}, {}, {}};
    std::vector<std::size_t> numbers = picks_of(picks, phase);
    const auto distance = [&](std::size_t n) {
        return level_distance(picks.survey, picks.survey.arrivals[n]);
    };
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
    const std::size_t stride = std::max<std::size_t>(1, (numbers.size() + most - 1) / most);
    for (std::size_t i = 0; i < numbers.size(); i += stride) {
        const Arrival& pick = picks.survey.arrivals[numbers[i]];
        const double time = pick.time - picks.survey.event_of(pick).origin_time;
        if (!(time > 0)) continue;
        out.offset.push_back(distance(numbers[i]));
        out.time.push_back(time);
        out.error.push_back(pick.error > 0 ? pick.error : 0.01 * time);
    }
    return out;
}

/// Vp/Vs: the median of what the curves of S take longer than P would.
double ratio_of(const FlatLayers& layers, const std::vector<PhaseCurve>& of_s) {
    std::vector<double> ratios;
    for (const PhaseCurve& curve : of_s) {
        for (std::size_t i = 0; i < curve.offset.size(); ++i) {
            const double p = time_of(layers, curve, curve.offset[i]);
            if (p > 0) ratios.push_back(curve.time[i] / p);
        }
    }
    constexpr double usual = 1.732;
    return ratios.empty() ? usual : std::clamp(median(std::move(ratios)), 1.2, 3.0);
}

/// Two digits: a number that people would choose.
double rounded_up(double h) {
    const double unit = std::pow(10, std::floor(std::log10(h)) - 1);
    return std::ceil(h / unit - 1e-9) * unit;
}

/// A grid round all points, from the highest of them down to below the deepest interface.
Grid grid_for(const Survey& survey, const FlatLayers& layers, const GuessOptions& options) {
    Vec3 low = survey.events.front().position;
    Vec3 high = low;
    const auto take = [&](const auto& points) {
        for (const auto& point : points) {
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], point.position[axis]);
                high[axis] = std::max(high[axis], point.position[axis]);
            }
        }
    };
    take(survey.events);
    take(survey.stations);
    const bool flat = survey.is_2d || high.y == low.y;
    const double across = std::max(high.x - low.x, flat ? 0 : high.y - low.y);
    const double deepest = layers.top.back();
    const double deep =
        options.depth > 0 ? options.depth : std::max(1.4 * deepest, deepest + 0.06 * across);
    const double h = options.spacing > 0
                         ? options.spacing
                         : rounded_up(std::max(across / (flat ? 240 : 60), deep / 60));
    const double margin = 0.03 * across;
    const double bottom = std::max(low.z + deep, high.z + h);
    const auto nodes = [&](double length) { return static_cast<int>(std::ceil(length / h)) + 1; };
    Grid grid;
    grid.spacing = {h, h, h};
    grid.origin = {std::floor((low.x - margin) / h) * h,
                   flat ? low.y : std::floor((low.y - margin) / h) * h, low.z};
    const Vec3 size = grid.from_origin({high.x + margin, high.y + margin, bottom});
    grid.shape = {nodes(size.x), flat ? 1 : nodes(size.y), nodes(size.z)};
    validate(grid);
    return grid;
}

/// Depth of the surface: the top of the grid.
double surface_of(const Grid& grid) { return grid.position({0, 0, 0}).z; }

Model layer_model(const Grid& grid, const FlatLayers& layers, std::size_t layer, double ratio) {
    Field<float> velocity(grid.shape);
    for (int k = 0; k < grid.shape.z; ++k) {
        const double depth = grid.from_origin(grid.position({0, 0, k})).z - layers.top[layer];
        // Above its top a layer goes on, and stays a rock.
        const double v = std::max(layers.velocity[layer] + layers.gradient[layer] * depth,
                                  0.3 * layers.velocity[layer]);
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                velocity(i, j, k) = static_cast<float>(v / ratio);
            }
        }
    }
    return Model(grid, std::move(velocity));
}

std::string described(const FlatLayers& layers, std::size_t layer, const Grid& grid,
                      const std::string& id, bool seen) {
    std::string text =
        layer == 0 ? fmt::format("surface at {:.4g}", grid.origin.z)
                   : fmt::format("'{}' at {:.3g}", id, surface_of(grid) + layers.top[layer]);
    text += fmt::format(", below it {:.3g}", layers.velocity[layer]);
    if (layer + 1 < layers.size() && layers.gradient[layer] > 0) {
        text += fmt::format(" to {:.3g}", layers.bottom_velocity(layer));
    }
    return text + (seen ? "" : " (assumed: no pick turns there)");
}

}  // namespace

FirstLayers first_layers(const PhasePicks& picks, const GuessOptions& options) {
    const NamedLayers named = layers_named(picks);
    std::vector<PhaseCurve> of_p;
    std::vector<PhaseCurve> of_s;
    bool has_s = false;
    for (std::size_t k = 0; k < picks.phases.size(); ++k) {
        const std::string& name = picks.phases[k];
        has_s = has_s || name.find_first_of("Ss") != std::string::npos;
        const auto way = way_named(name);
        if (!way) continue;
        PhaseCurve curve = curve_of(picks, k, *way, named);
        if (curve.offset.empty()) continue;
        (way->wave == Phase::S ? of_s : of_p).push_back(std::move(curve));
    }
    const bool s_alone = of_p.empty();
    FlatFit fit = fit_flat_layers(named.count, s_alone ? of_s : of_p);
    FlatLayers& layers = fit.layers;
    const double ratio = ratio_of(layers, s_alone ? std::vector<PhaseCurve>() : of_s);
    if (s_alone) {
        for (std::size_t k = 0; k < layers.size(); ++k) {
            layers.velocity[k] *= ratio;
            layers.gradient[k] *= ratio;
        }
    }
    const Grid grid = grid_for(picks.survey, layers, options);
    std::vector<Interface> interfaces;
    std::vector<Layer> made;
    std::string list;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const bool moho = named.has_moho && k + 1 == layers.size();
        const std::string id = k == 0 ? "surface" : moho ? "moho" : fmt::format("{}", k);
        interfaces.push_back(Interface::flat(id, surface_of(grid) + layers.top[k]));
        Layer layer{layer_model(grid, layers, k, 1)};
        if (has_s) layer.s = layer_model(grid, layers, k, ratio);
        made.push_back(std::move(layer));
        list += (k == 0 ? "" : "; ") + described(layers, k, grid, id, fit.seen[k]);
    }
    std::vector<std::string> choices;
    choices.push_back(
        fmt::format("start layers from the picks (`model` gives others): {}; flat layers miss the "
                    "picks by {:.2g} % (median)",
                    list, 100 * fit.misfit));
    if (has_s) {
        choices.push_back(fmt::format("Vp/Vs of the start layers is {:.3f}{}", ratio,
                                      of_s.empty() || s_alone ? " (assumed)" : ""));
    }
    choices.push_back(fmt::format("`spacing={:g}` `depth={:.3g}`: {} nodes from ({:g}, {:g})",
                                  grid.spacing.x, grid.extent().z, to_string(grid.shape),
                                  grid.origin.x, grid.origin.z));
    return {LayeredMedium(std::move(interfaces), std::move(made)), std::move(fit),
            std::move(choices)};
}

}  // namespace fermat
