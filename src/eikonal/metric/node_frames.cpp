#include "eikonal/metric/node_frames.hpp"

#include <atomic>

#include "core/parallel.hpp"

namespace fermat {
namespace {

Vec3 column_of(const Mat3& m, int c) { return {m(0, c), m(1, c), m(2, c)}; }

NodeFrame frame_at(const Place& place, Index3 n) {
    const Mat3 jacobian = place.mapping().node_jacobian(place.grid(), n);
    return {place.mapping().place(place.grid().position(n)),
            {column_of(jacobian, 0), column_of(jacobian, 1), column_of(jacobian, 2)}};
}

bool alike(const NodeFrame& a, const NodeFrame& b, double size) {
    constexpr double tolerance = 1e-11;
    bool same = distance(a.place, b.place) <= tolerance * size;
    for (int axis = 0; axis < 3; ++axis) {
        same = same && distance(a.along[axis], b.along[axis]) <=
                           1e-9 * (norm(a.along[axis]) + norm(b.along[axis]));
    }
    return same;
}

}  // namespace

std::optional<NodeFrames> node_frames(const Place& place, int threads) {
    const Grid& grid = place.grid();
    const Shape shape = grid.shape;
    const int last = shape.z - 1;
    NodeFrames out;
    const NodeFrame first = frame_at(place, {0, 0, 0});
    const Vec3 down = frame_at(place, {0, 0, last}).place - first.place;
    const double per = 1 / dot(down, down);
    for (int k = 0; k <= last; ++k) {
        const NodeFrame here = frame_at(place, {0, 0, k});
        out.rows.push_back(
            {per * dot(here.place - first.place, down), per * dot(here.along[2], down)});
    }
    out.columns.resize(static_cast<std::size_t>(shape.x) * static_cast<std::size_t>(shape.y));
    std::atomic<bool> separable = true;
    parallel_for(shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        for (int j = 0; j < shape.y; ++j) {
            const NodeFrame top = frame_at(place, {i, j, 0});
            const NodeFrame bottom = frame_at(place, {i, j, last});
            NodeColumn& column =
                out.columns[static_cast<std::size_t>(i) * static_cast<std::size_t>(shape.y) +
                            static_cast<std::size_t>(j)];
            column = {top.place,    bottom.place - top.place,
                      top.along[0], bottom.along[0] - top.along[0],
                      top.along[1], bottom.along[1] - top.along[1]};
            const double size = norm(top.place) + norm(bottom.place);
            for (const int k : {0, last / 3, last / 2, last}) {
                if (!alike(frame_of(column, out.rows[static_cast<std::size_t>(k)]),
                           frame_at(place, {i, j, k}), size)) {
                    separable = false;
                }
            }
        }
    });
    if (!separable) return std::nullopt;
    return out;
}

}  // namespace fermat
