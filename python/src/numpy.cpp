#include "numpy.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr const char* type_wanted = "must be a NumPy array of float32 or float64";
using AnyArray = nb::ndarray<nb::ro>;

std::string words(nb::handle object) { return nb::str(object).c_str(); }

std::string type_of(nb::handle object) { return words(object.type().attr("__name__")); }

/// A value that becomes 0 or infinite as a float would otherwise count as air or as the user's
/// mistake.
float narrowed(double value, const char* what) {
    const float narrow = static_cast<float>(value);
    if ((narrow == 0 && value != 0) || (std::isinf(narrow) && std::isfinite(value))) {
        throw InputError(fmt::format(
            "{} of {:g} does not fit a float (use units that keep it between {:.0e} "
            "and {:.0e})",
            what, value, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()));
    }
    return narrow;
}

template <class T>
Field<float> copied(const AnyArray& array, Shape shape, const char* what) {
    const auto* data = static_cast<const T*>(array.data());
    const bool flat = array.ndim() == 2;
    const std::int64_t step_x = array.stride(0);
    const std::int64_t step_y = flat ? 0 : array.stride(1);
    const std::int64_t step_z = array.stride(flat ? 1 : 2);
    Field<float> field(shape);
    float* out = field.data();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            const T* row = data + i * step_x + j * step_y;
            for (int k = 0; k < shape.z; ++k) {
                if constexpr (std::is_same_v<T, float>) {
                    *out++ = row[k * step_z];
                } else {
                    *out++ = narrowed(row[k * step_z], what);
                }
            }
        }
    }
    return field;
}

template <class Array, class T>
Array wrapped(T* data, Shape shape, bool is_2d, nb::handle owner) {
    const auto nx = static_cast<std::size_t>(shape.x);
    const auto ny = static_cast<std::size_t>(shape.y);
    const auto nz = static_cast<std::size_t>(shape.z);
    return is_2d ? Array(data, {nx, nz}, owner) : Array(data, {nx, ny, nz}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> handed_over(Field<T> field, bool is_2d) {
    const Shape shape = field.shape();
    T* data = field.release().release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return wrapped<nb::ndarray<nb::numpy, T>>(data, shape, is_2d, owner);
}

bool in_c_order(const AnyArray& array, Shape shape) {
    const bool flat = array.ndim() == 2;
    const std::int64_t row = shape.z;
    return array.stride(flat ? 1 : 2) == 1 && (flat || array.stride(1) == row) &&
           array.stride(0) == row * shape.y &&
           reinterpret_cast<std::uintptr_t>(array.data()) % alignof(float) == 0;
}

/// Whether the memory can be written only through the array itself.
bool has_memory_to_itself(nb::handle object) {
    if (!nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray"))) return false;
    const nb::object flags = object.attr("flags");
    const auto is = [&](const char* flag) { return nb::cast<bool>(nb::object(flags.attr(flag))); };
    return !is("writeable") || is("owndata");
}

}  // namespace

Shape shape_of(const AnyArray& array, const char* what) {
    if (array.ndim() != 2 && array.ndim() != 3) {
        throw InputError(
            fmt::format("{} has {} dimensions (must have 3, (nx, ny, nz), or 2, (nx, nz))", what,
                        array.ndim()));
    }
    std::array<int, 3> nodes{};
    for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
        if (array.shape(axis) > std::numeric_limits<int>::max()) {
            throw InputError(fmt::format("{} has {} values along axis {} (must be below 2^31)",
                                         what, array.shape(axis), axis));
        }
        nodes[axis] = static_cast<int>(array.shape(axis));
    }
    return array.ndim() == 2 ? Shape{nodes[0], 1, nodes[1]} : Shape{nodes[0], nodes[1], nodes[2]};
}

HostValues values_from_array(nb::handle object, const char* what) {
    if (!nb::hasattr(object, "dtype")) {
        throw InputError(fmt::format("{} is a {} ({})", what, type_of(object), type_wanted));
    }
    AnyArray array;
    if (!nb::try_cast(object, array, false) || array.device_type() != nb::device::cpu::value ||
        (array.dtype() != nb::dtype<float>() && array.dtype() != nb::dtype<double>())) {
        throw InputError(
            fmt::format("{} has dtype {} ({})", what, words(object.attr("dtype")), type_wanted));
    }
    const Shape shape = shape_of(array, what);
    const bool single = array.dtype() == nb::dtype<float>();
    if (single && in_c_order(array, shape) && has_memory_to_itself(object)) {
        const auto* data = static_cast<const float*>(array.data());
        const std::shared_ptr<const void> owner(new AnyArray(std::move(array)), [](AnyArray* p) {
            const nb::gil_scoped_acquire gil;
            delete p;
        });
        return {{data, shape}, owner, nb::borrow(object)};
    }
    const auto kept = std::make_shared<const Field<float>>(
        single ? copied<float>(array, shape, what) : copied<double>(array, shape, what));
    return {kept->view(), kept, nb::object()};
}

void make_read_only(nb::handle array) { array.attr("setflags")("write"_a = false); }

ReadOnlyArray view_of(FieldView<const float> field, bool is_2d, nb::handle owner) {
    return wrapped<ReadOnlyArray>(field.data(), field.shape(), is_2d, owner);
}

OwnedArray array_of(Field<float> field, bool is_2d) { return handed_over(std::move(field), is_2d); }

OwnedArray array_of(Field<float> field) {
    const bool is_2d = field.shape().y == 1;
    return handed_over(std::move(field), is_2d);
}

nb::ndarray<nb::numpy, double> array_of(Field<double> field) {
    const bool is_2d = field.shape().y == 1;
    return handed_over(std::move(field), is_2d);
}

Shape shape_from(const AxisCounts& counts) {
    if (counts.size() == 2) return {counts[0], 1, counts[1]};
    if (counts.size() == 3) return {counts[0], counts[1], counts[2]};
    throw InputError(
        fmt::format("shape has {} numbers (must have 3, (nx, ny, nz) nodes, or 2, "
                    "(nx, nz))",
                    counts.size()));
}

Vec3 axes_from(const AxisNumbers& numbers, bool is_2d, double flat_y, const char* what) {
    if (const double* all = std::get_if<double>(&numbers)) {
        return {*all, is_2d ? flat_y : *all, *all};
    }
    const auto& each = std::get<std::vector<double>>(numbers);
    if (each.size() != (is_2d ? 2 : 3)) {
        throw InputError(
            fmt::format("{} has {} numbers (must have {})", what, each.size(),
                        is_2d ? "2, (x, z), for a 2-D model" : "3, (x, y, z), for a 3-D model"));
    }
    return is_2d ? Vec3{each[0], flat_y, each[1]} : Vec3{each[0], each[1], each[2]};
}

nb::tuple tuple_of(Vec3 values, bool is_2d) {
    return is_2d ? nb::make_tuple(values.x, values.z)
                 : nb::make_tuple(values.x, values.y, values.z);
}

nb::tuple tuple_of(Shape shape) {
    return shape.y == 1 ? nb::make_tuple(shape.x, shape.z)
                        : nb::make_tuple(shape.x, shape.y, shape.z);
}

}  // namespace fermat::python
