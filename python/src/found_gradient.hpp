#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "eikonal/adjoint/adjoint.hpp"

namespace fermat::python {

/// What an adjoint found, as arrays that own their numbers.
struct FoundGradient {
    nanobind::object slowness;
    nanobind::object sources;  ///< None where the wave starts from a front
    nanobind::object start_times;
    nanobind::object receivers;
    std::int64_t unsettled = 0;
    nanobind::dict anisotropy;
    nanobind::list notes;
};

/// All but the anisotropy and the notes.
FoundGradient found_gradient(AdjointGradient found, bool is_2d);

}  // namespace fermat::python
