#include "points.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "core/error.hpp"

namespace fermat::python {

namespace nb = nanobind;

std::vector<Vec3> points_from(const Points& points, double flat_y) {
    const std::size_t columns = points.shape(1);
    if (columns != 2 && columns != 3) {
        throw InputError(
            fmt::format("points have {} numbers (must have 3, (x, y, z), or 2, (x, z))", columns));
    }
    std::vector<Vec3> places;
    places.reserve(points.shape(0));
    const double* row = points.data();
    for (std::size_t n = 0; n < points.shape(0); ++n, row += columns) {
        places.push_back(columns == 2 ? Vec3{row[0], flat_y, row[1]}
                                      : Vec3{row[0], row[1], row[2]});
    }
    return places;
}

std::vector<PointSource> sources_from(const Points& points, const Numbers& start_times,
                                      const Grid& grid) {
    if (start_times.shape(0) != points.shape(0)) {
        throw InputError(fmt::format("there are {} start times for {} sources (must be one each)",
                                     start_times.shape(0), points.shape(0)));
    }
    std::vector<PointSource> sources;
    sources.reserve(points.shape(0));
    for (const Vec3 place : points_from(points, grid.origin.y)) {
        sources.push_back({place, start_times.data()[sources.size()]});
    }
    return sources;
}

nb::ndarray<nb::numpy, const double> columns_of(std::span<const Vec3> points, bool is_2d,
                                                nb::handle owner) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    using Array = nb::ndarray<nb::numpy, const double>;
    const double* data = points.empty() ? nullptr : &points.front().x;
    return is_2d ? Array(data, {points.size(), 2}, owner, {3, 2})
                 : Array(data, {points.size(), 3}, owner, {3, 1});
}

DoubleArray rows_of(std::span<const Vec3> points, bool is_2d) {
    const std::size_t columns = is_2d ? 2 : 3;
    auto* kept = new std::vector<double>();
    for (const Vec3& p : points) {
        kept->push_back(p.x);
        if (!is_2d) kept->push_back(p.y);
        kept->push_back(p.z);
    }
    const nb::capsule owner(kept,
                            [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return DoubleArray(kept->data(), {points.size(), columns}, owner);
}

}  // namespace fermat::python
