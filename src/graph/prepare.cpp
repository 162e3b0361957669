#include "graph/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"

namespace fermat {
namespace {

/// The number of nodes whose weights are summed in registers at the same time.
constexpr int at_once = 32;

constexpr float never = std::numeric_limits<float>::infinity();

/// Replaces each of `count` rows, `stride` apart, by the minimum of itself and its neighbours up to
/// `radius` steps away.
void least_along(float* values, std::size_t count, std::size_t stride, std::size_t width,
                 std::size_t radius) {
    // Takes whole rows of `width` values, so memory is read in order.
    std::vector<float> line(count * width);
    for (std::size_t n = 0; n < count; ++n) {
        std::copy_n(values + n * stride, width, line.data() + n * width);
    }
    for (std::size_t n = 0; n < count; ++n) {
        float* const out = values + n * stride;
        const std::size_t first = n > radius ? n - radius : 0;
        const std::size_t last = std::min(count - 1, n + radius);
        for (std::size_t m = first; m <= last; ++m) {
            const float* const in = line.data() + m * width;
            for (std::size_t k = 0; k < width; ++k) out[k] = std::min(out[k], in[k]);
        }
    }
}

}  // namespace

std::vector<float> make_slowness(const Model& model, const GraphView& graph) {
    std::vector<float> slowness(graph.memory.count() + slack, never);
    const Shape shape = graph.shape;
    const float* velocity = model.velocity().data();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            float* const row = slowness.data() + graph.at({i, j, 0});
            for (int k = 0; k < shape.z; ++k) {
                const float v = *velocity++;
                row[k] = v > 0 ? 1 / v : never;
            }
        }
    }
    return slowness;
}

double mean_slowness(const GraphView& graph) {
    double sum = 0;
    double count = 0;
    for (std::size_t n = 0; n < graph.memory.count(); ++n) {
        const bool rock = std::isfinite(graph.slowness[n]);
        sum += rock ? static_cast<double>(graph.slowness[n]) : 0;
        count += rock ? 1 : 0;
    }
    return sum / count;
}

std::vector<float> make_least_slowness(const GraphView& graph) {
    constexpr std::size_t group = 8;
    const Shape memory = graph.memory;
    const std::size_t nodes = memory.count();
    const auto z = static_cast<std::size_t>(memory.z);
    const auto y = static_cast<std::size_t>(memory.y);
    // A group may extend over the end of a row; its bound then covers nodes of both rows.
    std::vector<float> least((nodes + group - 1) / group, never);
    const std::size_t slab = y * z;
    const auto reach = static_cast<std::size_t>(graph.border.z);
    std::vector<float> sheet(slab);
    for (int i = graph.border.x; i < memory.x - graph.border.x; ++i) {
        std::fill(sheet.begin(), sheet.end(), never);
        for (int m = i - graph.border.x; m <= i + graph.border.x; ++m) {
            const float* const in = graph.slowness + static_cast<std::size_t>(m) * slab;
            for (std::size_t n = 0; n < slab; ++n) sheet[n] = std::min(sheet[n], in[n]);
        }
        if (graph.border.y > 0) {
            least_along(sheet.data(), y, z, z, static_cast<std::size_t>(graph.border.y));
        }
        for (std::size_t j = 0; j < y; ++j) least_along(sheet.data() + j * z, z, 1, 1, reach);
        const std::size_t first = static_cast<std::size_t>(i) * slab;
        for (std::size_t n = 0; n < slab; ++n) {
            float& to = least[(first + n) / group];
            to = std::min(to, sheet[n]);
        }
    }
    constexpr float rounding = 1 - 1e-5F;
    for (float& value : least) value *= rounding;
    return least;
}

void make_weights(const GraphView& graph, float* weights, int threads, Monitor& monitor) {
    const int half = graph.edges / 2;
    const std::size_t nodes = graph.memory.count();
    const std::size_t slab = nodes / static_cast<std::size_t>(graph.memory.x);
    const auto inside = [&](std::int64_t i) {
        return i >= graph.border.x && i < graph.memory.x - graph.border.x;
    };
    parallel_for(graph.memory.x, threads, [&](std::int64_t i) {
        monitor.check();
        for (int e = 0; e < half; ++e) {
            float* const plane = weights + static_cast<std::size_t>(e) * nodes;
            float* const sheet = plane + static_cast<std::size_t>(i) * slab;
            std::fill_n(sheet, slab, never);
            for (int j = 0; j < graph.shape.y && inside(i); ++j) {
                const std::size_t row = graph.at({static_cast<int>(i) - graph.border.x, j, 0});
                for (int k = 0; k < graph.shape.z; k += at_once) {
                    float some[at_once];
                    computed_weights<at_once>(graph, row + k, half + e, some);
                    std::copy_n(some, std::min(at_once, graph.shape.z - k), plane + row + k);
                }
            }
        }
    });
}

}  // namespace fermat
