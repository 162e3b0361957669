#pragma once

#include <span>

#include "eikonal/adjoint/receiver_hats.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// The hats of receivers in a model on the device, by the same rule beside air as in a model of the
/// host. If the model has air, the nodes round the receivers are fetched, with one wait.
ReceiverHats hats_in(const CudaModel& model, std::span<const Vec3> receivers);

/// The nodes that for_each_continued may ask for in the cell of a receiver.
NodeBox nodes_round(const Grid& grid, Vec3 receiver);

}  // namespace fermat
