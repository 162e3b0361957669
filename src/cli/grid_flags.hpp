#pragma once

#include "cli/flags.hpp"
#include "model/placement.hpp"

namespace fermat::cli {

/// The grid of a model to make.
struct GridFlags {
    Shape shape;
    AxisNumbers spacing{"--spacing", "1", {1.0}};
    AxisNumbers origin{"--origin", "0", {0.0}};
    bool cells = false;

    Placement placement() const { return cells ? Placement::cells : Placement::nodes; }
    Grid grid() const {
        const bool is_2d = shape.y == 1;
        return {shape, to_axes(origin, is_2d, 0), to_axes(spacing, is_2d, 1)};
    }
};

inline void add_grid(CLI::App& app, GridFlags& flags) {
    add_value(app, "--shape", "NX,NY,NZ", flags.shape, "nodes along each axis; NX,NZ in 2-D",
              parse_shape)
        ->required();
    add_value(app, "--spacing", "H", flags.spacing, "distance of nodes; or HX,HY,HZ; HX,HZ in 2-D",
              parse_axes)
        ->default_str("1");
    add_value(app, "--origin", "X,Y,Z", flags.origin, "first node; X,Z in 2-D; z is depth",
              parse_axes)
        ->default_str("0");
    app.add_flag("--cells", flags.cells,
                 "velocity in the cells between the nodes: interfaces on cells' faces are sharp");
}

}  // namespace fermat::cli
