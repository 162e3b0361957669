#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "model/fill.hpp"
#include "model/makers.hpp"

// Seeded media must have the same bits on every machine. The standard defines the numbers of the
// engine but not of its distributions, and a compiler may fuse a product and a sum. Therefore the
// noise is smoothed in integers, and no product below is directly added.

namespace fermat {
namespace {

using Noise = std::int64_t;

/// Widths in nodes of three successive box filters, which approximate a Gaussian kernel.
using BoxWidths = std::array<int, 3>;

/// A kernel of standard deviation s turns white noise into noise with the autocorrelation exp(-d^2
/// / (4 s^2)), so s = correlation / 2. A box of w nodes has the variance (w^2 - 1) / 12, and the
/// variances of the boxes add up. The squares of the widths should therefore add up to 3 (q + 1),
/// with q = (correlation / spacing)^2. Each width is one of the two odd numbers next to the ideal
/// one.
BoxWidths box_widths(double correlation, double spacing, int nodes) {
    const double ratio = correlation / spacing;
    if (ratio >= nodes) return {nodes, nodes, nodes};
    const std::int64_t square = std::llround(ratio * ratio) + 1;
    std::int64_t width = 1;
    while ((width + 2) * (width + 2) <= square) width += 2;
    BoxWidths widths{};
    std::int64_t missing = 3 * (square - width * width);
    const std::int64_t gain = 4 * width + 4;  // (width + 2)^2 - width^2
    for (int& w : widths) {
        const bool widen = 2 * missing > gain;
        if (widen) missing -= gain;
        w = static_cast<int>(std::min<std::int64_t>(widen ? width + 2 : width, nodes));
    }
    return widths;
}

/// Running mean over `width` entries of a periodic line, rounded to integers.
void box_filter(std::vector<Noise>& line, std::vector<Noise>& out, int width) {
    const int count = static_cast<int>(line.size());
    const int before = width / 2;
    const auto at = [&](int n) { return line[static_cast<std::size_t>((n + count) % count)]; };
    Noise sum = 0;
    for (int n = 0; n < width; ++n) sum += at(n - before);
    for (int n = 0; n < count; ++n) {
        const Noise half = sum < 0 ? -(width / 2) : width / 2;
        out[static_cast<std::size_t>(n)] = (sum + half) / width;
        sum += at(n - before + width) - at(n - before);
    }
    line.swap(out);
}

void smooth_along(FieldView<Noise> values, int axis, BoxWidths widths) {
    const Shape s = values.shape();
    const int count = s[axis];
    std::vector<Noise> line(static_cast<std::size_t>(count));
    std::vector<Noise> scratch(line.size());
    const Index3 lines{axis == 0 ? 1 : s.x, axis == 1 ? 1 : s.y, axis == 2 ? 1 : s.z};
    for (int i = 0; i < lines.x; ++i) {
        for (int j = 0; j < lines.y; ++j) {
            for (int k = 0; k < lines.z; ++k) {
                Index3 node{i, j, k};
                for (node[axis] = 0; node[axis] < count; ++node[axis]) {
                    line[static_cast<std::size_t>(node[axis])] = values(node);
                }
                for (const int width : widths) box_filter(line, scratch, width);
                for (node[axis] = 0; node[axis] < count; ++node[axis]) {
                    values(node) = line[static_cast<std::size_t>(node[axis])];
                }
            }
        }
    }
}

/// Noise of 40 bits: a sum over the widest box fits in 64 bits, and smoothed values keep more
/// digits than a float has.
Field<Noise> white_noise(Shape shape, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    try {
        Field<Noise> noise(shape);
        for (Noise& value : noise) {
            value = static_cast<Noise>(engine() >> 24) - (Noise{1} << 39);
        }
        return noise;
    } catch (const std::bad_alloc&) {
        throw ComputeError(
            fmt::format("not enough memory for random noise on {} nodes", to_string(shape)));
    }
}

void validate(const Grid& grid, const RandomSmoothOptions& options) {
    validate(grid);
    detail::require_velocity("velocity is", options.velocity);
    detail::require_amplitude(options.amplitude);
    double coarsest = 0;
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        coarsest = std::max(coarsest, grid.spacing[axis]);
        longest = std::max(longest, grid.length_along(axis, grid.shape[axis] - 1));
    }
    if (!(options.correlation >= 2 * coarsest)) {
        throw InputError(fmt::format(
            "correlation is {} (must be at least {}, two grid spacings, to be smooth on this grid)",
            options.correlation, 2 * coarsest));
    }
    if (!(options.correlation <= longest)) {
        throw InputError(
            fmt::format("correlation is {} (must be at most {}, the longest side of the grid)",
                        options.correlation, longest));
    }
}

}  // namespace

Model random_smooth_model(const Grid& grid, const RandomSmoothOptions& options,
                          Placement placement) {
    validate(grid, options);
    Field<Noise> noise = white_noise(sample_points(grid, placement).shape, options.seed);
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        smooth_along(noise, axis,
                     box_widths(options.correlation, grid.spacing[axis], noise.shape()[axis]));
    }
    double sum = 0;
    for (const Noise value : noise) sum += static_cast<double>(value);
    const Noise mean = std::llround(sum / static_cast<double>(noise.size()));
    Noise peak = 1;
    for (const Noise value : noise) peak = std::max(peak, std::abs(value - mean));

    const double bound = options.velocity * options.amplitude;
    std::size_t n = 0;
    return detail::fill(grid, placement, [&](Index3) {
        const double scaled = bound * static_cast<double>(noise[n++] - mean);
        return options.velocity + scaled / static_cast<double>(peak);
    });
}

Model random_blocks_model(const Grid& grid, const RandomBlocksOptions& options,
                          Placement placement) {
    validate(grid);
    detail::require_velocity("v_min is", options.v_min);
    detail::require_velocity("v_max is", options.v_max);
    if (options.v_max < options.v_min) {
        throw InputError(
            fmt::format("v_max is {} (must be at least v_min, {})", options.v_max, options.v_min));
    }
    Shape block = options.block;
    if (grid.is_2d()) block.y = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (block[axis] < 1) {
            throw InputError(
                fmt::format("block along {} is {} (must be at least 1)", "xyz"[axis], block[axis]));
        }
    }
    const Shape shape = sample_points(grid, placement).shape;
    const auto blocks = [&](int axis) { return (shape[axis] - 1) / block[axis] + 1; };
    const Shape board{blocks(0), blocks(1), blocks(2)};
    std::mt19937_64 engine(options.seed);
    std::vector<float> velocity(board.count());
    for (float& v : velocity) {
        // The scale is a power of two, so the quotient is exact and fusing it changes nothing.
        const double share = static_cast<double>(engine() >> 40) * (options.v_max - options.v_min);
        v = static_cast<float>(options.v_min + share / (1 << 24));
    }
    return detail::fill(grid, placement, [&](Index3 n) {
        return velocity[board.offset(n.x / block.x, n.y / block.y, n.z / block.z)];
    });
}

}  // namespace fermat
