#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "core/grid.hpp"
#include "eikonal/time_field.hpp"

namespace fermat::python {

/// Positions as the Python package passes them: (n, 2) as (x, z), or (n, 3).
using Points =
    nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Numbers =
    nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using DoubleArray = nanobind::ndarray<nanobind::numpy, double>;

/// Makes points; those given as (x, z) get y = `flat_y`.
std::vector<Vec3> points_from(const Points& points, double flat_y);

/// One start time per point.
std::vector<PointSource> sources_from(const Points& points, const Numbers& start_times,
                                      const Grid& grid);

/// Passes the memory of a vector on to NumPy.
template <class T>
nanobind::ndarray<nanobind::numpy, T> array_from(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(kept,
                                  [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::ndarray<nanobind::numpy, T>(kept->data(), {kept->size()}, owner);
}

/// A NumPy view of points, without a copy. In 2-D it leaves out y.
nanobind::ndarray<nanobind::numpy, const double> columns_of(std::span<const Vec3> points,
                                                            bool is_2d, nanobind::handle owner);

/// A new NumPy array (n, 3) or, in 2-D, (n, 2).
DoubleArray rows_of(std::span<const Vec3> points, bool is_2d);

}  // namespace fermat::python
