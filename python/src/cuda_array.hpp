#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "model/model_cuda.hpp"
#include "numpy.hpp"

namespace fermat::python {

/// An array on the device as DLPack hands it over: CuPy's, PyTorch's.
using CudaFloats = nanobind::ndarray<const float, nanobind::c_contig>;

/// Velocity in an array that stays where it is, and what was made of it.
struct ArrayOnCuda {
    nanobind::object array;  ///< as the user gave it
    CudaFloats values;
    CudaModel model;
    nanobind::object host;  ///< a Model, once it was asked for
};

bool lies_on_cuda(nanobind::handle array);

/// Throws InputError unless it is float32 in C order.
nanobind::object cuda_model_from(nanobind::object velocity, const AxisNumbers& spacing,
                                 const AxisNumbers& origin);

}  // namespace fermat::python
