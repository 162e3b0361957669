#pragma once

#include <memory>
#include <span>

#include "core/field.hpp"
#include "model/model_cuda.hpp"
#include "model/velocity_check.hpp"

namespace fermat {

/// Throws InputError unless the memory is on the current CUDA device.
void require_on_device(const float* memory);

/// On the default stream, waits until all work on the device is done, on any stream.
void wait_for_writers();

/// New memory on the current device, in the order of the stream in use.
std::shared_ptr<float> memory_in_stream(std::size_t count);

/// A medium on the device that is looked at.
struct LookedAt {
    FieldView<const float, Space::device> velocity;
    const float* slowness = nullptr;  ///< if given, velocity is made of it, in `made`
    float* made = nullptr;            ///< the memory of velocity
    bool check = false;
};

/// Makes velocities of slownesses, checks them and fetches boxes of them: with one wait.
MediumCheck look_at(const LookedAt& medium, std::span<const NodeBox> boxes,
                    std::span<Field<float>> values);

}  // namespace fermat
