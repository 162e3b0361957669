#pragma once

#include "core/field.hpp"

namespace fermat {

/// Throws InputError unless the memory is on the current CUDA device. On the default stream, waits
/// until all work on the device is done, on any stream.
void require_on_device(const float* memory);

/// Copies the box of `values` that begins at node `first` and has the shape of `box`.
void fetch_box(FieldView<const float, Space::device> values, Index3 first, FieldView<float> box);

}  // namespace fermat
