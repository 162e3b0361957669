#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/monitor.hpp"
#include "eikonal/time_field.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// Time fields in memory of the CUDA device, one after another.
struct CudaTimes {
    std::shared_ptr<float> memory;
    std::size_t fields = 0;
    Shape shape;
};

enum class Fields {
    each,      ///< one field per source
    together,  ///< one field for all sources: the earliest arrival
};

/// First arrivals of point sources by `fim`. The model and the times stay in memory of the device;
/// the host reads only a few nodes of the model round each source. Times are infinite where no wave
/// arrives. Sources are solved in batches that fill the device.
CudaTimes first_arrivals(const CudaModel& model, std::span<const PointSource> sources, int order,
                         Fields fields, Monitor& monitor = silent_monitor());

}  // namespace fermat
