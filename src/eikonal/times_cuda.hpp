#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/monitor.hpp"
#include "eikonal/time_field.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// Time fields in memory of the CUDA device, one behind another.
struct CudaTimes {
    std::shared_ptr<float> memory;
    std::size_t fields = 0;
    Shape shape;
};

enum class Fields {
    each,      ///< one a source
    together,  ///< one for all of them: the earliest arrival
};

/// First arrivals of point sources by `fim`, from the device's memory to the device's memory: of
/// the model, the host sees a few nodes round each source. Infinite where no wave arrives. As many
/// sources are solved at once as fill the device.
CudaTimes first_arrivals(const CudaModel& model, std::span<const PointSource> sources, int order,
                         Fields fields, Monitor& monitor = silent_monitor());

}  // namespace fermat
