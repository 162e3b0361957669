#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/card_lines.hpp"
#include "io/layer_samples.hpp"
#include "io/layered_io.hpp"
#include "io/model_formats.hpp"
#include "model/place.hpp"

namespace fermat {
namespace {

/// Values at x of nodes: a boundary's depths, or velocities along it.
struct ZeltNodes {
    std::vector<double> x{};
    std::vector<double> values{};

    double at(double across) const {
        if (x.size() == 1 || across <= x.front()) return values.front();
        const auto after = std::upper_bound(x.begin(), x.end(), across);
        if (after == x.end()) return values.back();
        const auto n = static_cast<std::size_t>(after - x.begin());
        const double part = (across - x[n - 1]) / (x[n] - x[n - 1]);
        return (1 - part) * values[n - 1] + part * values[n];
    }
    /// A single value 0 stands for "as the other one".
    bool is_open() const { return values.size() == 1 && values[0] == 0; }
};

struct ZeltLayer {
    ZeltNodes top{};
    ZeltNodes upper{};
    ZeltNodes lower{};
};

/// A file: layers from the top, and the bottom of the lowest.
struct ZeltSection {
    std::vector<ZeltLayer> layers{};
    ZeltNodes bottom{};
    Vec3 from{};
    Vec3 to{};

    const ZeltNodes& below(std::size_t layer) const {
        return layer + 1 < layers.size() ? layers[layer + 1].top : bottom;
    }
};

/// Lines of Fortran's (i2,1x,10f7.2): a whole number and up to ten numbers of seven columns, which
/// need no blanks between them. Files of other writers have blanks and wider numbers.
class ZeltLines : public CardLines {
  public:
    using CardLines::CardLines;

    bool next_line() {
        while (next()) {
            if (!trim(card).empty()) return true;
        }
        return false;
    }
    std::vector<double> numbers(std::string_view what) const {
        std::vector<double> found;
        for (const std::string_view word : split_words(card)) {
            const auto value = parse_number(word);
            if (!value || !std::isfinite(*value)) return columns(what);
            found.push_back(*value);
        }
        return found;
    }

  private:
    std::vector<double> columns(std::string_view what) const {
        std::vector<double> found = {number(0, 2, what)};
        for (std::size_t from = 3; from < card.size(); from += 7) {
            if (card_field(card, from, from + 7).empty()) break;
            found.push_back(number(from, from + 7, what));
        }
        return found;
    }
};

/// The nodes of one quantity: pairs of lines, x and values, whose second starts with 1 if more
/// follow; below each pair stands a line of flags, which only the last boundary lacks.
ZeltNodes read_nodes(ZeltLines& lines, bool& at_end) {
    ZeltNodes nodes;
    for (bool more = true; more;) {
        const auto x = lines.numbers("x");
        if (!lines.next_line()) lines.fail("the file ends here (it is truncated; values expected)");
        const auto values = lines.numbers("a value");
        if (x.size() < 2 || x.size() != values.size()) {
            lines.fail(fmt::format("{} values stand below {} positions (must be as many)",
                                   values.empty() ? 0 : values.size() - 1,
                                   x.empty() ? 0 : x.size() - 1));
        }
        nodes.x.insert(nodes.x.end(), x.begin() + 1, x.end());
        nodes.values.insert(nodes.values.end(), values.begin() + 1, values.end());
        more = values[0] == 1;
        at_end = !lines.next_line();  // the flags
        if (at_end && more) lines.fail("the file ends here (it is truncated; more nodes expected)");
        if (more && !lines.next_line()) lines.fail("the file ends here (it is truncated)");
    }
    for (std::size_t n = 1; n < nodes.x.size(); ++n) {
        if (nodes.x[n] > nodes.x[n - 1]) continue;
        lines.fail(
            fmt::format("x {} follows {} (positions must grow)", nodes.x[n], nodes.x[n - 1]));
    }
    return nodes;
}

/// rayinvr's model (Zelt & Smith 1992), in km and km/s: per layer the depths of its top, the
/// velocities below its top and those above its bottom; the last boundary is the model's bottom. A
/// velocity of 0 below the top is that above it; one of 0 above the bottom is that below the top.
/// Velocity changes linearly from the top of a layer to its bottom.
ZeltSection read_section(const TextFile& file) {
    ZeltLines lines(file);
    ZeltSection section;
    std::vector<ZeltLayer>& layers = section.layers;
    bool at_end = !lines.next_line();
    if (at_end) lines.fail("the file is empty");
    while (true) {
        ZeltLayer layer;
        layer.top = read_nodes(lines, at_end);
        if (at_end || !lines.next_line()) {
            section.bottom = std::move(layer.top);
            break;
        }
        for (ZeltNodes* nodes : {&layer.upper, &layer.lower}) {
            *nodes = read_nodes(lines, at_end);
            if (at_end || !lines.next_line()) {
                lines.fail(
                    "the file ends here (it is truncated; the bottom of the model is "
                    "expected)");
            }
        }
        if (layer.upper.is_open()) {
            if (layers.empty()) lines.fail("the first layer has no velocity (must be > 0)");
            layer.upper = layers.back().lower;
        }
        if (layer.lower.is_open()) layer.lower = layer.upper;
        layers.push_back(std::move(layer));
    }
    if (layers.empty()) lines.fail("there is one boundary (a layer has two)");
    section.from = {layers[0].top.x.front(), 0, 0};
    section.to = {layers[0].top.x.back(), 0, 0};
    for (const ZeltLayer& layer : layers) {
        section.from.x = std::min(section.from.x, layer.top.x.front());
        section.to.x = std::max(section.to.x, layer.top.x.back());
    }
    const auto& tops = layers[0].top.values;
    const auto& bottoms = section.bottom.values;
    section.from.z = *std::min_element(tops.begin(), tops.end());
    section.to.z = *std::max_element(bottoms.begin(), bottoms.end());
    return section;
}

Model read_zelt(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    const ZeltSection section = read_section(file);
    const auto& [layers, bottom, from, to] = section;
    const double top = from.z;
    const double depth = to.z;
    const auto at = [&](double x, double z) {
        if (z < layers[0].top.at(x) - 1e-9 * (depth - top)) return 0.0;
        for (std::size_t n = layers.size(); n-- > 0;) {
            const double above = layers[n].top.at(x);
            if (z < above && n > 0) continue;
            const double below = n + 1 < layers.size() ? layers[n + 1].top.at(x) : bottom.at(x);
            const double part =
                below > above ? std::clamp((z - above) / (below - above), 0.0, 1.0) : 0.0;
            return (1 - part) * layers[n].upper.at(x) + part * layers[n].lower.at(x);
        }
        return 0.0;
    };
    return sampled_section(file, from, to,
                           fmt::format("{} layers between boundaries of any shape", layers.size()),
                           at, options, notes);
}

}  // namespace

LayeredMedium read_zelt_layers(const TextFile& file, const LayeredReadOptions& options,
                               Notes& notes) {
    const ZeltSection section = read_section(file);
    const Grid grid = section_grid(file, section.from, section.to, options.spacing);
    return named_by_file(file, [&] {
        const Place place(grid);
        std::vector<Interface> interfaces;
        std::vector<Layer> layers;
        for (std::size_t n = 0; n < section.layers.size(); ++n) {
            const ZeltLayer& layer = section.layers[n];
            const ZeltNodes& below = section.below(n);
            std::vector<Vec3> points;
            for (std::size_t k = 0; k < layer.top.x.size(); ++k) {
                points.push_back({layer.top.x[k], 0, layer.top.values[k]});
            }
            interfaces.push_back(Interface::of_points(n == 0 ? "surface" : fmt::format("{}", n),
                                                      points, place, InterfaceShape::linear));
            layers.push_back({section_model(grid, [&](double x, double z) {
                return continued_velocity({layer.top.at(x), layer.upper.at(x)},
                                          {below.at(x), layer.lower.at(x)}, z, grid.spacing.z);
            })});
        }
        notes.add(fmt::format(
            "{}: {} layers on a grid of {:g} and {:g} (`spacing` chooses other steps); interfaces "
            "are called surface, 1, 2, ... (`names` chooses other ids, such as moho)",
            file.quoted(), layers.size(), grid.spacing.x, grid.spacing.z));
        return LayeredMedium(std::move(interfaces), std::move(layers));
    });
}

const ModelFormat zelt_model{"",
                             ToldOfModel::grid,
                             true,
                             [](const TextFile& file) {
                                 const std::string name = lower_input_name(file.path());
                                 return name.starts_with('v') && name.ends_with(".in");
                             },
                             read_zelt,
                             nullptr,
                             "",
                             false};

}  // namespace fermat
