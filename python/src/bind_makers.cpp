#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "model/makers.hpp"
#include "numpy.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Free = nb::call_guard<nb::gil_scoped_release>;
using Pairs = std::vector<std::pair<double, double>>;

Grid grid_from(const AxisCounts& counts, const AxisNumbers& spacing, const AxisNumbers& origin) {
    const Shape shape = shape_from(counts);
    const bool is_2d = shape.y == 1;
    return {shape, axes_from(origin, is_2d, 0, "origin"), axes_from(spacing, is_2d, 1, "spacing")};
}

Placement placement_from(bool cells) { return cells ? Placement::cells : Placement::nodes; }

std::vector<DepthVelocity> entries_from(const Pairs& pairs) {
    std::vector<DepthVelocity> entries;
    entries.reserve(pairs.size());
    for (const auto& [depth, velocity] : pairs) entries.push_back({depth, velocity});
    return entries;
}

void bind_from_grid(nb::class_<Model>& type) {
    type.def_static(
        "constant",
        [](const AxisCounts& shape, double velocity, const AxisNumbers& spacing,
           const AxisNumbers& origin, bool cells) {
            return constant_model(grid_from(shape, spacing, origin), velocity,
                                  placement_from(cells));
        },
        "shape"_a, nb::kw_only(), "velocity"_a, "spacing"_a = 1.0, "origin"_a = 0.0,
        "cells"_a = false, Free(),
        "The same velocity everywhere. shape counts nodes: (nx, ny, nz), or (nx, nz) in 2-D.\n"
        "With cells=True, here as in the other makers, a cell gets the velocity at its centre.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> fm.Model.constant((11, 6), velocity=2, spacing=0.5)\n"
        "    Model(shape=(11, 6), spacing=(0.5, 0.5), origin=(0, 0), velocity 2 to 2)\n");
    type.def_static(
        "gradient",
        [](const AxisCounts& shape, double v0, double gradient, const AxisNumbers& spacing,
           const AxisNumbers& origin, bool cells) {
            return gradient_model(grid_from(shape, spacing, origin), v0, gradient,
                                  placement_from(cells));
        },
        "shape"_a, nb::kw_only(), "v0"_a, "gradient"_a, "spacing"_a = 1.0, "origin"_a = 0.0,
        "cells"_a = false, Free(),
        "Velocity v0 at the top of the grid, which grows by gradient per unit of depth (for "
        "example km/s and 1/s).\n\n"
        "    >>> import fermat as fm\n"
        "    >>> fm.Model.gradient((5, 4), v0=2, gradient=0.5).velocity[0]\n"
        "    array([2. , 2.5, 3. , 3.5], dtype=float32)\n"
        "    >>> fm.Model.gradient((5, 4), v0=2, gradient=0.5, origin=(0, -600)).velocity[0]\n"
        "    array([2. , 2.5, 3. , 3.5], dtype=float32)\n");
    type.def_static(
        "layers",
        [](const AxisCounts& shape, const Pairs& layers, const AxisNumbers& spacing,
           const AxisNumbers& origin, bool cells) {
            return layered_model(grid_from(shape, spacing, origin), entries_from(layers),
                                 placement_from(cells));
        },
        "shape"_a, nb::kw_only(), "layers"_a, "spacing"_a = 1.0, "origin"_a = 0.0,
        "cells"_a = false, Free(),
        "Layers as (depth of the top, velocity), downwards; the first one extends up to the "
        "top.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> fm.Model.layers((3, 5), layers=[(0, 2), (2, 5)]).velocity[0]\n"
        "    array([2., 2., 5., 5., 5.], dtype=float32)\n"
        "    >>> fm.Model.layers((3, 5), layers=[(0, 2), (2, 5)], cells=True).velocity[0]\n"
        "    array([2., 2., 5., 5.], dtype=float32)\n");
    type.def_static(
        "profile",
        [](const AxisCounts& shape, const Pairs& profile, const AxisNumbers& spacing,
           const AxisNumbers& origin, bool cells) {
            return profile_model(grid_from(shape, spacing, origin), entries_from(profile),
                                 placement_from(cells));
        },
        "shape"_a, nb::kw_only(), "profile"_a, "spacing"_a = 1.0, "origin"_a = 0.0,
        "cells"_a = false, Free(),
        "A 1-D profile of (depth, velocity), linear between its points and constant beyond them."
        "\n\n"
        "    >>> import fermat as fm\n"
        "    >>> fm.Model.profile((3, 5), profile=[(1, 2), (3, 4)]).velocity[0]\n"
        "    array([2., 2., 3., 4., 4.], dtype=float32)\n");
}

void bind_random(nb::class_<Model>& type) {
    type.def_static(
        "random",
        [](const AxisCounts& shape, double velocity, double amplitude, double correlation,
           std::uint64_t seed, const AxisNumbers& spacing, const AxisNumbers& origin, bool cells) {
            return random_smooth_model(grid_from(shape, spacing, origin),
                                       {velocity, amplitude, correlation, seed},
                                       placement_from(cells));
        },
        "shape"_a, nb::kw_only(), "velocity"_a, "amplitude"_a = 0.1, "correlation"_a, "seed"_a = 1,
        "spacing"_a = 1.0, "origin"_a = 0.0, "cells"_a = false, Free(),
        "A smooth random medium: velocity * (1 + a) with |a| <= amplitude and a Gaussian "
        "correlation of the length correlation. A seed gives the same medium on every "
        "machine.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> medium = fm.Model.random((60, 30), velocity=4, amplitude=0.2, correlation=5)\n"
        "    >>> bool(3.2 <= medium.velocity.min() < medium.velocity.max() <= 4.8)\n"
        "    True\n");
    type.def_static(
        "random_blocks",
        [](const AxisCounts& shape, double v_min, double v_max, const AxisCounts& block,
           std::uint64_t seed, const AxisNumbers& spacing, const AxisNumbers& origin, bool cells) {
            return random_blocks_model(grid_from(shape, spacing, origin),
                                       {v_min, v_max, shape_from(block), seed},
                                       placement_from(cells));
        },
        "shape"_a, nb::kw_only(), "v_min"_a, "v_max"_a, "block"_a, "seed"_a = 1, "spacing"_a = 1.0,
        "origin"_a = 0.0, "cells"_a = false, Free(),
        "Blocks of constant random velocity, uniform in [v_min, v_max]; block is their size in "
        "nodes, or cells.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> blocks = fm.Model.random_blocks((6, 4), v_min=1, v_max=5, block=(3, 2))\n"
        "    >>> len(set(blocks.velocity.ravel().tolist()))\n"
        "    4\n");
}

void bind_from_model(nb::class_<Model>& type) {
    type.def(
        "checkerboard",
        [](const Model& base, const AxisNumbers& size, double amplitude) {
            return checkerboard_model(base,
                                      {axes_from(size, base.grid().is_2d(), 1, "size"), amplitude});
        },
        nb::kw_only(), "size"_a, "amplitude"_a = 0.1, Free(),
        "This model with boxes of velocity * (1 + amplitude) and velocity * (1 - amplitude) in "
        "turn. size is a box's, as lengths; infinity along an axis means no alternation.\n\n"
        "    >>> import fermat as fm\n"
        "    >>> base = fm.Model.constant((4, 4), velocity=2, origin=0.5)\n"
        "    >>> base.checkerboard(size=2, amplitude=0.5).velocity\n"
        "    array([[3., 3., 1., 1.],\n"
        "           [3., 3., 1., 1.],\n"
        "           [1., 1., 3., 3.],\n"
        "           [1., 1., 3., 3.]], dtype=float32)\n");
}

}  // namespace

void bind_makers(nb::class_<Model>& type) {
    bind_from_grid(type);
    bind_random(type);
    bind_from_model(type);
}

}  // namespace fermat::python
