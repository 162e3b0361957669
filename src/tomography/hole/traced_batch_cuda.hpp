#pragma once

// For .cu files alone: sources that a device solves at once, and what comes of them.

#include <cstdint>
#include <vector>

#include "core/bytes.hpp"
#include "rays/rays_cuda.hpp"
#include "tomography/hole/backprojection.hpp"
#include "tomography/hole/cell_sums_cuda.hpp"

namespace fermat {

/// Some sources in their order; those in air need no field.
struct SourceBatch {
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> alive;
    std::size_t picks = 0;
};

/// All sources that have picks, `most` of them alive in each batch.
std::vector<SourceBatch> batches_of(const Model& model, const Survey& picks,
                                    const std::vector<std::vector<std::int32_t>>& lists,
                                    std::size_t most);

/// The rays of a batch's sources that are alive, in the order of their picks.
struct TracedBatch {
    std::vector<RayInfo> rays;
    DeviceRows rows;
    double field_seconds = 0;
    double ray_seconds = 0;
};

/// Books the rays of a batch; what each of those traced spreads, of weight < 0 where it does not.
std::vector<RayProjection> book(PickLedger& ledger, const SourceBatch& batch,
                                const std::vector<std::vector<std::int32_t>>& lists,
                                const TracedBatch& traced);

/// On its way from a rank to rank 0; lengths in cells go along where they count.
Bytes pack(const TracedBatch& traced, RayShare share);
TracedBatch unpack(const Bytes& bytes, UploadedRows& rows);

}  // namespace fermat
