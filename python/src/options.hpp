#pragma once

#include <string>

#include "core/choice.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "eikonal/eikonal.hpp"

namespace fermat::python {

enum class Device { automatic, cpu, cuda };

}  // namespace fermat::python

namespace fermat {

template <>
inline constexpr auto choices<python::Device> =
    choice_table<python::Device>("device", {{"auto", python::Device::automatic},
                                            {"cpu", python::Device::cpu},
                                            {"cuda", python::Device::cuda}});

namespace python {

/// Throws unless this build computes there.
inline void require_device(const std::string& name) {
    if (parse_choice<Device>(name) != Device::cuda) return;
    throw ComputeError(build::cuda == "no"
                           ? "CUDA is not in this build (configure with -DFERMAT_CUDA=ON)"
                           : "this computation has no CUDA version (use device='cpu')");
}

inline EikonalOptions eikonal_options(const std::string& solver, int order, int threads,
                                      const std::string& device) {
    require_device(device);
    const EikonalOptions options{parse_choice<Solver>(solver), order, threads};
    validate(options);
    return options;
}

}  // namespace python
}  // namespace fermat
