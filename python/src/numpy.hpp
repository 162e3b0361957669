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

/// One number for every axis, or one each.
using AxisNumbers = std::variant<double, std::vector<double>>;
using AxisCounts = std::vector<int>;

/// (nx, ny, nz), or (nx, nz) as (nx, 1, nz). `what` names it in messages.
Shape shape_of(const nanobind::ndarray<nanobind::ro>& array, const char* what);

/// Values, what keeps them, and the user's array where they are its own memory: to be made
/// read-only once they are accepted.
struct HostValues {
    FieldView<const float> values;
    std::shared_ptr<const void> owner;
    nanobind::object shared;
};

/// Of an array of float32 or float64 in any layout. A NumPy array of float32 in C order is not
/// copied where it is read-only or has its memory to itself.
HostValues values_from_array(nanobind::handle array, const char* what);
void make_read_only(nanobind::handle array);

/// The field's own memory, kept alive by `owner`; fields of 2-D models come without their y axis.
ReadOnlyArray view_of(FieldView<const float> field, bool is_2d, nanobind::handle owner);

/// Gives the field's memory to NumPy.
OwnedArray array_of(Field<float> field);
OwnedArray array_of(Field<float> field, bool is_2d);
nanobind::ndarray<nanobind::numpy, double> array_of(Field<double> field);

/// "(nx, nz)" or "(nx, ny, nz)" as a Shape.
Shape shape_from(const AxisCounts& counts);

/// x, y, z from what the user gave; `flat_y` is the value of y in 2-D.
Vec3 axes_from(const AxisNumbers& numbers, bool is_2d, double flat_y, const char* what);

/// (x, z) in 2-D, (x, y, z) in 3-D.
nanobind::tuple tuple_of(Vec3 values, bool is_2d);
nanobind::tuple tuple_of(Shape shape);

}  // namespace fermat::python
