#pragma once

#include <span>
#include <vector>

#include "model/model.hpp"

namespace fermat {

/// A range of rows, in nodes along z.
struct RowRange {
    double low = 0;
    double high = 0;
};

/// A ray as a line through layers between rows of jumps. Points are in nodes of the grid. Ray
/// points are free between the rows that bound their layer; where the ray changes layers, a point
/// stays on the row.
struct JumpPath {
    std::vector<Vec3> points;
    std::vector<RowRange> reach;  ///< per point: where it may go; low == high on a row
    std::vector<RowRange> layer;  ///< per segment, points.size() - 1 of them

    void add(Vec3 point, RowRange may_go, RowRange through) {
        points.push_back(point);
        reach.push_back(may_go);
        layer.push_back(through);
    }
};

/// What becomes of a ray that comes within a cell of a row of jumps from the slower side and goes
/// back there.
enum class Grazing {
    as_traced,  ///< it runs along the faster side where the traced ray goes there
    slides,     ///< it runs along the faster side: a head wave
};

/// The path of a traced ray, whose points are in nodes, with steps of about a cell. Its stretches
/// within a cell of a row of jumps are straightened: they lead along the row, on its faster side.
JumpPath jump_path(const Model& model, std::span<const Vec3> traced, Grazing grazing);

/// The same line with points about a cell apart.
JumpPath evenly_spaced(const JumpPath& path);

}  // namespace fermat
