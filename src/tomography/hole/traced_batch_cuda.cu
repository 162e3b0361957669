#include "tomography/hole/traced_batch_cuda.hpp"

#include <limits>

namespace fermat {
namespace {

template <class T>
std::vector<T> fetch(const T* device, std::size_t count) {
    std::vector<T> values(count);
    check_cuda(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost),
               "fetching the cells of rays");
    return values;
}

}  // namespace

std::vector<SourceBatch> batches_of(const Model& model, const Survey& picks,
                                    const std::vector<std::vector<std::int32_t>>& lists,
                                    std::size_t most) {
    std::vector<SourceBatch> batches;
    for (std::size_t s = 0; s < lists.size(); ++s) {
        if (lists[s].empty()) continue;
        const bool alive = !in_air(model, model.grid().clamp(picks.events[s].position));
        if (batches.empty() || (alive && batches.back().alive.size() == most)) {
            batches.emplace_back();
        }
        SourceBatch& batch = batches.back();
        batch.sources.push_back(static_cast<std::int32_t>(s));
        if (alive) batch.alive.push_back(static_cast<std::int32_t>(s));
        batch.picks += lists[s].size();
    }
    return batches;
}

std::vector<RayProjection> book(PickLedger& ledger, const SourceBatch& batch,
                                const std::vector<std::vector<std::int32_t>>& lists,
                                const TracedBatch& traced) {
    std::vector<RayProjection> projections;
    projections.reserve(traced.rays.size());
    std::size_t next = 0;
    for (const std::int32_t source : batch.sources) {
        const bool alive = next < batch.alive.size() && batch.alive[next] == source;
        if (alive) ++next;
        for (const std::int32_t n : lists[static_cast<std::size_t>(source)]) {
            const auto pick = static_cast<std::size_t>(n);
            if (!alive) {
                constexpr double never = std::numeric_limits<double>::infinity();
                ledger.book(pick, never, 0, RayStatus::source_in_air);
                continue;
            }
            const RayInfo& ray = traced.rays[projections.size()];
            const auto spread = ledger.book(pick, ray.field_time, ray.length, ray.status);
            projections.push_back(spread.value_or(RayProjection{0, -1}));
        }
    }
    return projections;
}

Bytes pack(const TracedBatch& traced, RayShare share) {
    ByteWriter out;
    out.add(traced.rays);
    out.add(traced.field_seconds);
    out.add(traced.ray_seconds);
    const DeviceRows& rows = traced.rows;
    const bool by_length = share == RayShare::length;
    out.add(fetch(rows.row_start, rows.rays > 0 ? rows.rays + 1 : 0));
    out.add(fetch(rows.cell, rows.entries));
    out.add(fetch(rows.length, by_length ? rows.entries : 0));
    return out.take();
}

TracedBatch unpack(const Bytes& bytes, UploadedRows& rows) {
    ByteReader in(bytes);
    TracedBatch traced;
    traced.rays = in.take_vector<RayInfo>();
    traced.field_seconds = in.take<double>();
    traced.ray_seconds = in.take<double>();
    const auto row_start = in.take_vector<std::int64_t>();
    const auto cell = in.take_vector<std::uint32_t>();
    const auto length = in.take_vector<double>();
    if (!cell.empty()) traced.rows = rows.upload(row_start, cell, length);
    return traced;
}

}  // namespace fermat
