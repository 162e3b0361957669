#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/device.hpp"
#include "core/launch_cuda.hpp"
#include "core/memory_cuda.hpp"
#include "core/page_locked_cuda.hpp"
#include "phases/leg_media.hpp"
#include "phases/phases_cuda.hpp"

namespace fermat {
namespace {

constexpr int threads = 64;
/// Pairs per launch: their points take 0.2 GB of the device, or twice that where there are many.
constexpr std::size_t most_pairs = 65536;

template <int most_points, class Starts, class LayerT, class SurfaceT>
__global__ void __launch_bounds__(threads)
    find_kernel(PathMedium<LayerT, SurfaceT> medium, PathRules rules, Starts starts,
                const DevicePair* pairs, std::size_t count, DeviceRay* rays, Vec3* points) {
    const std::size_t n = thread_number();
    if (n >= count) return;
    rays[n] = find_earliest<most_points>(medium, rules, starts, pairs[n], points + n * most_points);
}

/// Layers, surfaces and rules of legs, with pointers to memory of the device.
template <class LayerT, class SurfaceT>
struct DeviceLegs {
    CudaArray<LayerT> layers;
    CudaArray<SurfaceT> surfaces;
};

}  // namespace

struct CudaPaths::State {
    std::vector<CudaArray<float>> velocities;
    std::vector<CudaArray<double>> depths;
    std::variant<DeviceLegs<PlainLayer, PlainSurface>, DeviceLegs<SphericalLayer, SphericalSurface>>
        legs;
    CudaArray<LegRules> rules_of_legs;
    CudaArray<Vec3> places;
    PathRules rules;
    ChordSum sum;
    bool finds_starts = false;
    int joints = 0;
    std::size_t points = few_points;  ///< for which a path has room
    bool flat = false;                ///< as in PathMedium
    Vec3 across;

    std::map<const void*, const void*> sent;

    const float* on_device(const float* values, std::size_t count) {
        auto [entry, is_new] = sent.try_emplace(values);
        if (is_new) {
            velocities.emplace_back(count);
            velocities.back().upload({values, count});
            entry->second = velocities.back().data();
        }
        return static_cast<const float*>(entry->second);
    }
    void send(InterfaceView& view) {
        if (view.depth == nullptr) return;
        auto [entry, is_new] = sent.try_emplace(view.depth);
        if (is_new) {
            const auto count = static_cast<std::size_t>(view.lattice.count());
            depths.emplace_back(count);
            depths.back().upload({view.depth, count});
            entry->second = depths.back().data();
        }
        view.depth = static_cast<const double*>(entry->second);
    }

    template <class LayerT, class SurfaceT>
    void send_legs(const LayeredMedium& medium, const Legs& of, std::span<const LayerKind> kinds) {
        std::vector<LayerT> layers;
        std::vector<SurfaceT> surfaces;
        std::vector<LegRules> leg_rules;
        for (std::size_t k = 0; k < of.size(); ++k) {
            layers.push_back(layer_of<LayerT>(medium, of[k], kinds[k], 0));
            LayerT& layer = layers.back();
            // A uniform layer is never sampled.
            layer.velocity =
                layer.uniform > 0 ? nullptr : on_device(layer.velocity, medium.grid().node_count());
            send(layer.guard.top);
            send(layer.guard.bottom);
            if (of[k].to >= 0) {
                surfaces.push_back(surface_of<SurfaceT>(medium, of[k].to));
                send(surfaces.back().view);
            }
            leg_rules.push_back(rules_of(medium, of[k]));
            send(leg_rules.back().top);
            send(leg_rules.back().bottom);
        }
        DeviceLegs<LayerT, SurfaceT> there{CudaArray<LayerT>(layers.size()),
                                           CudaArray<SurfaceT>(surfaces.size())};
        there.layers.upload(layers);
        there.surfaces.upload(surfaces);
        rules_of_legs = CudaArray<LegRules>(leg_rules.size());
        rules_of_legs.upload(leg_rules);
        // What was sent lives in vectors of this function.
        check_cuda(cudaStreamSynchronize(cuda_stream()), "sending layers");
        rules.legs = rules_of_legs.data();
        legs = std::move(there);
    }
};

CudaPaths::CudaPaths(const LayeredMedium& medium, const Legs& legs,
                     std::span<const LayerKind> kinds, const StartLattice& lattice,
                     const PhaseOptions& options) {
    device_info(0);  // throws if there is no device
    state_ = std::make_unique<State>();
    State& state = *state_;
    const int count = static_cast<int>(legs.size());
    const int fewest = fewest_segments(kinds);
    if (count * std::max(fewest, 16) >= few_points) state.points = many_points;
    int most = 1;
    while (2 * most * count < static_cast<int>(state.points)) most *= 2;
    state.rules = {nullptr,           medium.grid(), smallest_cell(medium),
                   options.tolerance, fewest,        std::min(most, options.most_segments)};
    PathMedium<PlainLayer, PlainSurface> plane;
    set_plane(medium, plane);
    state.flat = plane.flat;
    state.across = plane.across;
    if (form_of(medium) == LayerForm::spherical) {
        state.send_legs<SphericalLayer, SphericalSurface>(medium, legs, kinds);
    } else {
        state.send_legs<PlainLayer, PlainSurface>(medium, legs, kinds);
    }
    state.joints = lattice.joint_count();
    state.finds_starts = finds_starts(lattice);
    if (!state.finds_starts) return;
    const std::vector<Vec3>& places = lattice.pivot_places();
    state.places = CudaArray<Vec3>(places.size());
    state.places.upload(places);
    check_cuda(cudaStreamSynchronize(cuda_stream()), "sending starts");
    state.sum = {lattice.lattice(),
                 state.places.data(),
                 {lattice.slowness_of_legs().front(), lattice.slowness_of_legs().back()}};
}
CudaPaths::CudaPaths(CudaPaths&&) noexcept = default;
CudaPaths::~CudaPaths() = default;

bool CudaPaths::finds_starts(const StartLattice& lattice) {
    return lattice.joint_count() == 1 && lattice.slowness_of_legs().size() == 2;
}

void CudaPaths::find(std::size_t count,
                     const std::function<void(std::size_t, std::size_t, DeviceBatch&)>& prepare,
                     const std::function<void(const Batch&)>& consume) const {
    if (count == 0) return;
    const State& state = *state_;
    const std::size_t each = std::min(count, most_pairs);
    CudaArray<DevicePair> device_pairs(each);
    CudaArray<DeviceRay> device_rays(each);
    CudaArray<Vec3> device_paths(each * state.points);
    const PageLocked<DeviceRay> rays(each);
    std::optional<PageLocked<Vec3>> points;  // as many as rays have turned out to need
    CudaArray<double> joints;
    CudaArray<double> times;
    const auto launch = [&](const DeviceBatch& batch) {
        device_pairs.upload(batch.pairs);
        joints.reserve(batch.start_joints.size());
        joints.upload(batch.start_joints);
        times.reserve(batch.start_times.size());
        times.upload(batch.start_times);
        const std::size_t some = batch.pairs.size();
        std::visit(
            [&]<class LayerT, class SurfaceT>(const DeviceLegs<LayerT, SurfaceT>& legs) {
                PathMedium<LayerT, SurfaceT> medium;
                medium.layers = legs.layers.data();
                medium.surfaces = legs.surfaces.data();
                medium.legs = static_cast<int>(legs.layers.size());
                medium.flat = state.flat;
                medium.across = state.across;
                const auto run = [&](auto kernel, const auto& starts) {
                    kernel<<<blocks_for(some, threads), threads, 0, cuda_stream()>>>(
                        medium, state.rules, starts, device_pairs.data(), some, device_rays.data(),
                        device_paths.data());
                };
                const GivenStarts given{joints.data(), times.data(), state.joints};
                if (state.finds_starts) {
                    run(find_kernel<few_points, LatticeStarts, LayerT, SurfaceT>,
                        LatticeStarts{state.sum});
                } else if (state.points == few_points) {
                    run(find_kernel<few_points, GivenStarts, LayerT, SurfaceT>, given);
                } else {
                    run(find_kernel<many_points, GivenStarts, LayerT, SurfaceT>, given);
                }
            },
            state.legs);
        check_cuda(cudaGetLastError(), "tracing phases");
    };
    const auto legs = std::visit([](const auto& of) { return of.layers.size(); }, state.legs);
    // The host prepares the next batch and takes the last one while the device traces.
    DeviceBatch batch;
    prepare(0, each, batch);
    launch(batch);
    for (std::size_t first = 0; first < count; first += each) {
        const std::size_t some = std::min(each, count - first);
        const std::size_t next = first + some;
        DeviceBatch ahead;
        if (next < count) prepare(next, std::min(each, count - next), ahead);
        device_rays.download(rays.values().first(some));
        std::int32_t most = 0;
        for (const DeviceRay& ray : rays.values().first(some)) {
            most = std::max(most, ray.segments);
        }
        const std::size_t stride = static_cast<std::size_t>(most) * legs + 1;
        if (!points || points->values().size() < stride * some) points.emplace(stride * each);
        check_cuda(cudaMemcpy2DAsync(points->data(), stride * sizeof(Vec3), device_paths.data(),
                                     state.points * sizeof(Vec3), stride * sizeof(Vec3), some,
                                     cudaMemcpyDeviceToHost, cuda_stream()),
                   "fetching rays");
        check_cuda(cudaStreamSynchronize(cuda_stream()), "fetching rays");
        if (next < count) launch(ahead);
        const auto found = rays.values().first(some);
        consume({first, found, points->data(), stride});
        batch = std::move(ahead);
    }
}

}  // namespace fermat
