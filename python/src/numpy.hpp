#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <variant>
#include <vector>

#include "core/field.hpp"

namespace fermat::python {

/// A float field of (nx, ny, nz), or (nx, nz) in 2-D, as Python sees it.
using ReadOnlyArray = nanobind::ndarray<nanobind::numpy, const float>;
using OwnedArray = nanobind::ndarray<nanobind::numpy, float>;

/// One number for all axes, or one per axis.
using AxisNumbers = std::variant<double, std::vector<double>>;
using AxisCounts = std::vector<int>;

/// Shape of an array: (nx, ny, nz), or (nx, 1, nz) for (nx, nz). `what` names the array in
/// messages.
Shape shape_of(const nanobind::ndarray<nanobind::ro>& array, const char* what);

/// Values, the owner of their memory, and the user's array if that is the owner: the array is made
/// read-only once its values are accepted.
struct HostValues {
    FieldView<const float> values;
    std::shared_ptr<const void> owner;
    nanobind::object shared;
};

/// Takes an array of float32 or float64 in any layout. A NumPy array of float32 in C order is not
/// copied if it is read-only or the only owner of its memory.
HostValues values_from_array(nanobind::handle array, const char* what);
void make_read_only(nanobind::handle array);

/// A view of the field's memory, which `owner` keeps alive. Fields of 2-D models have no y axis.
ReadOnlyArray view_of(FieldView<const float> field, bool is_2d, nanobind::handle owner);

/// Passes the memory of the field on to NumPy.
OwnedArray array_of(Field<float> field);
OwnedArray array_of(Field<float> field, bool is_2d);
nanobind::ndarray<nanobind::numpy, double> array_of(Field<double> field);

/// A Shape from (nx, nz) or (nx, ny, nz).
Shape shape_from(const AxisCounts& counts);

/// x, y, z from the numbers of the user; `flat_y` is the value of y in 2-D.
Vec3 axes_from(const AxisNumbers& numbers, bool is_2d, double flat_y, const char* what);

/// (x, z) in 2-D, (x, y, z) in 3-D.
nanobind::tuple tuple_of(Vec3 values, bool is_2d);
nanobind::tuple tuple_of(Shape shape);

}  // namespace fermat::python
