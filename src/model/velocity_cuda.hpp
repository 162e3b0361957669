#pragma once

#include "core/field.hpp"

namespace fermat {

/// Throws InputError unless the memory lies on the current CUDA device and all work on it, of
/// whatever stream, is done.
void require_on_device(const float* memory);

/// Copies the box of `values` that begins at node `first` and has the shape of `box`.
void fetch_box(FieldView<const float, Space::device> values, Index3 first, FieldView<float> box);

}  // namespace fermat
