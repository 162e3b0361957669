#include "tomography/fade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {
namespace {

constexpr double box_share = 1.0 / 12;    // of the mean side of what rays cross
constexpr double plain_coverage = 0.6;    // share of crossed nodes near by
constexpr double plain_resolution = 0.2;  // of the 90th percentile, after smoothing
constexpr float resolved_part = 0.05F;    // of the best: what counts as the resolved region

/// 0 at 0, 1 from 1 on, without a kink at either end.
double smooth_step(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

void require_shape(Shape given, Shape wanted, std::string_view what) {
    if (given == wanted) return;
    throw InputError(
        fmt::format("{} has shape {} (must be {})", what, to_string(given), to_string(wanted)));
}

Field<std::uint8_t> rock_of(const Model& model) {
    const auto velocity = model.velocity();
    Field<std::uint8_t> rock(velocity.shape());
    std::transform(velocity.begin(), velocity.end(), rock.begin(),
                   [](float v) { return static_cast<std::uint8_t>(v > 0); });
    return rock;
}

/// First and last node along each axis of a region, such as what crossed cells touch.
struct Region {
    static constexpr int far = std::numeric_limits<int>::max();
    std::array<int, 3> first{far, far, far};
    std::array<int, 3> last{-1, -1, -1};
    bool any = false;

    void hold(const std::array<int, 3>& low, const std::array<int, 3>& high) {
        any = true;
        for (std::size_t a = 0; a < 3; ++a) {
            first[a] = std::min(first[a], low[a]);
            last[a] = std::max(last[a], high[a]);
        }
    }
};

/// 1 at the corners of crossed cells.
Region mark_corners(FieldView<const float> coverage, Field<float>& nodes) {
    Region box;
    const Shape cells = coverage.shape();
    const int flat = nodes.shape().y == 1 ? 0 : 1;
    for (int i = 0; i < cells.x; ++i) {
        for (int j = 0; j < cells.y; ++j) {
            for (int k = 0; k < cells.z; ++k) {
                if (!(coverage(i, j, k) > 0)) continue;
                box.hold({i, j, k}, {i + 1, j + flat, k + 1});
                for (int n = 0; n < 8; ++n) {
                    nodes(i + (n & 1), j + ((n >> 1) & flat), k + (n >> 2)) = 1.0F;
                }
            }
        }
    }
    return box;
}

/// The nodes with a greater value.
Region region_above(const Field<float>& nodes, float least) {
    Region box;
    const Shape shape = nodes.shape();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                if (nodes(i, j, k) > least) box.hold({i, j, k}, {i, j, k});
            }
        }
    }
    return box;
}

/// An odd number of nodes along each axis, the same length along all.
SmoothingSize box_of(const Grid& grid, const Region& region) {
    double product = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        const auto a = static_cast<std::size_t>(axis);
        product *= (region.last[a] - region.first[a]) * grid.spacing[axis];
    }
    const double length = box_share * std::pow(product, 1.0 / grid.dimensions());
    // Five nodes at least, for three make an edge that looks like cells; but in tiny models three.
    const auto odd = [&](int axis) {
        if (grid.shape[axis] == 1) return 1;
        const double least = grid.shape[axis] < 16 ? 1 : 2;
        const double half = std::round(length / grid.spacing[axis] / 2);
        return 2 * static_cast<int>(std::clamp(half, least, 1e6)) + 1;
    };
    return {odd(0), odd(1), odd(2)};
}

}  // namespace

Field<float> fade_of_coverage(const Model& model, FieldView<const float> coverage) {
    const Grid& grid = model.grid();
    require_shape(coverage.shape(), grid.cell_shape(), "coverage");
    Field<float> fade(grid.shape, 0.0F);
    const Region crossed = mark_corners(coverage, fade);
    if (!crossed.any) return fade;
    const Field<std::uint8_t> rock = rock_of(model);
    SmoothingOptions options;
    options.passes = 3;
    smooth_vertices(fade, box_of(grid, crossed), options, rock);
    for (std::size_t n = 0; n < fade.size(); ++n) {
        fade[n] = rock[n] != 0 ? static_cast<float>(smooth_step(fade[n] / plain_coverage)) : 0.0F;
    }
    return fade;
}

Field<float> at_nodes(const Grid& grid, FieldView<const float> cells) {
    require_shape(cells.shape(), grid.cell_shape(), "the field");
    Field<float> nodes(grid.shape);
    // The cells round a node along one axis: the one before it and its own, where they are there.
    const auto first = [](int node) { return std::max(node - 1, 0); };
    const auto last = [&](int node, int axis) { return std::min(node, cells.shape()[axis] - 1); };
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                double sum = 0;
                int count = 0;
                for (int a = first(i); a <= last(i, 0); ++a) {
                    for (int b = first(j); b <= last(j, 1); ++b) {
                        for (int c = first(k); c <= last(k, 2); ++c) {
                            sum += double{cells(a, b, c)};
                            ++count;
                        }
                    }
                }
                nodes(i, j, k) = static_cast<float>(sum / count);
            }
        }
    }
    return nodes;
}

Field<float> fade_of_resolution(const Model& model, FieldView<const float> resolution) {
    if (model.cells() != nullptr && resolution.shape() == model.grid().cell_shape()) {
        return fade_of_resolution(model, at_nodes(model.grid(), resolution));
    }
    require_shape(resolution.shape(), model.grid().shape, "resolution");
    Field<float> fade(resolution.shape(), 0.0F);
    const Field<std::uint8_t> rock = rock_of(model);
    for (std::size_t n = 0; n < fade.size(); ++n) {
        if (rock[n] != 0 && resolution[n] > 0) fade[n] = resolution[n];
    }
    const float most = *std::max_element(fade.begin(), fade.end());
    if (!(most > 0)) return fade;
    SmoothingOptions options;
    options.passes = 3;
    smooth_vertices(fade, box_of(model.grid(), region_above(fade, resolved_part * most)), options,
                    rock);
    const float least = 0.01F * *std::max_element(fade.begin(), fade.end());
    std::vector<float> resolved;
    std::copy_if(fade.begin(), fade.end(), std::back_inserter(resolved),
                 [&](float value) { return value > least; });
    const auto place = resolved.begin() + static_cast<std::ptrdiff_t>(resolved.size() * 9 / 10);
    std::nth_element(resolved.begin(), place, resolved.end());
    const double plain = plain_resolution * static_cast<double>(*place);
    for (float& value : fade) value = static_cast<float>(smooth_step(value / plain));
    return fade;
}

}  // namespace fermat
