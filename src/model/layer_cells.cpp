#include "model/layer_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "model/placement.hpp"

namespace fermat {
namespace {

/// Cells beyond a layer to which its gradient goes on.
constexpr int continued_cells = 2;

/// A column of cells with those outside [first, last] continued from those inside.
void continue_column(Field<float>& cells, int i, int j, int first, int last) {
    const int count = cells.shape().z;
    const auto go_on = [&](int from, int step, int end) {
        const float edge = cells(i, j, from);
        const bool has_slope = first != last;
        const float slope = has_slope ? edge - cells(i, j, from - step) : 0.0F;
        float value = edge;
        for (int k = from + step, n = 0; k != end; k += step, ++n) {
            if (n < continued_cells) value = std::clamp(value + slope, 0.5F * edge, 1.5F * edge);
            cells(i, j, k) = value;
        }
    };
    go_on(first, -1, -1);
    go_on(last, 1, count);
}

/// Columns without a cell of the layer, where it pinches out, take those of the nearest column that
/// has one.
void fill_columns(Field<float>& cells, std::vector<bool>& known) {
    const Shape shape = cells.shape();
    std::deque<std::pair<int, int>> front;
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * shape.y + j); };
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            if (known[at(i, j)]) front.emplace_back(i, j);
        }
    }
    while (!front.empty()) {
        const auto [i, j] = front.front();
        front.pop_front();
        for (const auto& [a, b] :
             {std::pair{i - 1, j}, std::pair{i + 1, j}, std::pair{i, j - 1}, std::pair{i, j + 1}}) {
            if (a < 0 || b < 0 || a >= shape.x || b >= shape.y || known[at(a, b)]) continue;
            known[at(a, b)] = true;
            for (int k = 0; k < shape.z; ++k) cells(a, b, k) = cells(i, j, k);
            front.emplace_back(a, b);
        }
    }
}

Model nodes_of_layer(const Model& model, const std::vector<Interface>& interfaces,
                     std::size_t layer) {
    const Grid points = sample_points(model.grid(), Placement::cells);
    const Shape shape = points.shape;
    Field<float> cells(shape);
    std::copy(model.given().begin(), model.given().end(), cells.begin());
    std::vector<bool> known(static_cast<std::size_t>(shape.x) * static_cast<std::size_t>(shape.y));
    bool any = false;
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            const double x = points.coordinate(0, i);
            const double y = points.coordinate(1, j);
            const double top = interfaces[layer].depth_at(x, y);
            const double bottom = layer + 1 < interfaces.size()
                                      ? interfaces[layer + 1].depth_at(x, y)
                                      : std::numeric_limits<double>::infinity();
            int first = shape.z;
            int last = -1;
            for (int k = 0; k < shape.z; ++k) {
                const double z = points.coordinate(2, k);
                if (z < top || z > bottom) continue;
                first = std::min(first, k);
                last = k;
            }
            if (last < 0) continue;
            any = known[static_cast<std::size_t>(i * shape.y + j)] = true;
            continue_column(cells, i, j, first, last);
        }
    }
    if (!any) {
        throw InputError(
            fmt::format("layer {} holds the middle of no cell (give its velocity on the nodes, or "
                        "finer cells)",
                        layer));
    }
    fill_columns(cells, known);
    const Model alone = Model::of_cells(model.grid(), std::move(cells));
    if (alone.has_air()) {
        throw InputError(
            fmt::format("layer {} has cells of velocity 0 (the ground is `surface`)", layer));
    }
    if (!alone.cells()->jumps.empty()) {
        throw InputError(
            fmt::format("layer {} has jumps of velocity between its cells (paths bend smoothly in "
                        "a layer: make each jump an interface, or give the layer on nodes)",
                        layer));
    }
    return as_nodes(alone);
}

}  // namespace

std::vector<Layer> layers_on_nodes(const std::vector<Interface>& interfaces,
                                   std::vector<Layer> layers, Notes& notes) {
    std::vector<std::size_t> converted;
    for (std::size_t k = 0; k < std::min(layers.size(), interfaces.size()); ++k) {
        const bool p = layers[k].p.cells() != nullptr;
        const bool s = layers[k].s && layers[k].s->cells() != nullptr;
        if (p) layers[k].p = nodes_of_layer(layers[k].p, interfaces, k);
        if (s) layers[k].s = nodes_of_layer(*layers[k].s, interfaces, k);
        if (p || s) converted.push_back(k);
    }
    if (!converted.empty()) {
        notes.add(fmt::format(
            "layer{} {} ha{} velocity in cells: nodes took that of the cells of their own layer, "
            "between which it now varies smoothly",
            converted.size() == 1 ? "" : "s", fmt::join(converted, ", "),
            converted.size() == 1 ? "s" : "ve"));
    }
    return layers;
}

}  // namespace fermat
