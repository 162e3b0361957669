#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "model/model_cuda.hpp"
#include "numpy.hpp"

namespace fermat::python {

/// An array on the device that DLPack passes on, such as one of CuPy or PyTorch.
using CudaFloats = nanobind::ndarray<const float, nanobind::c_contig>;

/// Velocity in an array on the device, which is not copied, and what was made from it.
struct ArrayOnCuda {
    nanobind::object array;  ///< as the user gave it
    CudaFloats values;
    CudaModel model;
    nanobind::object host;  ///< a Model, made on the first request
};

/// The values of an array on a CUDA device, which are not copied. `what` names it in messages.
/// Throws InputError where CUDA is not in this build, and unless it is float32 in C order.
CudaFloats floats_on_cuda(nanobind::handle array, const char* what);

/// Throws the InputError of a build without CUDA.
[[noreturn]] void refuse_device_array(const char* what);

bool lies_on_cuda(nanobind::handle array);

/// Throws InputError unless the array is float32 in C order.
nanobind::object cuda_model_from(nanobind::object velocity, const AxisNumbers& spacing,
                                 const AxisNumbers& origin);

/// Memory of a device by its address; bind_cuda calls it.
void bind_cuda_memory(nanobind::module_& module);

}  // namespace fermat::python
