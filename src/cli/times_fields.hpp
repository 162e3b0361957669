#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "eikonal/time_field.hpp"
#include "eikonal/time_gradient.hpp"
#include "io/vtkhdf_image.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// A front of --front: times on the model's nodes, from the point array `time` (or the only one) of
/// a .h5 on the model's grid, or from a .npy of its shape.
Field<double> read_front(const std::filesystem::path& file, const Model& model);

/// "gradient_x" beside "time", "gradient_003_x" beside "time_003".
std::string gradient_array_name(const std::string& time_array, int axis);

inline Field<float> to_single(Field<float>&& field) { return std::move(field); }
inline Field<float> to_single(const Field<double>& field) {
    Field<float> single(field.shape());
    std::transform(field.begin(), field.end(), single.begin(),
                   [](double value) { return static_cast<float>(value); });
    return single;
}

/// Writes the components of a gradient beside the times of that name; one that is empty is left
/// out.
template <class Real>
void write_gradient(ImageWriter& image, const std::string& time_array,
                    std::array<Field<Real>, 3>&& components) {
    for (int axis = 0; axis < 3; ++axis) {
        Field<Real>& component = components[static_cast<std::size_t>(axis)];
        if (component.empty()) continue;
        image.add_point_array(gradient_array_name(time_array, axis),
                              to_single(std::move(component)));
    }
}

/// Writes a field's times and, if asked for, its gradient.
template <class Real>
void write_field(ImageWriter& image, const std::string& name, BasicTimeField<Real>&& field,
                 bool gradient) {
    if (gradient) write_gradient(image, name, time_gradient(field));
    image.add_point_array(name, to_single(to_times(std::move(field))));
}

}  // namespace fermat::cli
