#include <fmt/format.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "core/stream.hpp"
#include "core/version.hpp"
#include "cuda_array.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "monitor.hpp"
#include "points.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Writable = nb::ndarray<float, nb::c_contig>;

Grid grid_of(const CudaFloats& velocity, const AxisNumbers& spacing, const AxisNumbers& origin) {
    const Shape shape = shape_of(nb::ndarray<nb::ro>(velocity), "velocity");
    const bool is_2d = shape.y == 1;
    return {shape, axes_from(origin, is_2d, 0, "origin"), axes_from(spacing, is_2d, 1, "spacing")};
}

/// Differentiable times of a velocity on a CUDA device: arrays in, arrays out, on the stream of the
/// caller. The host sees positions and start times, and their derivatives.
class TimesOnCuda {
  public:
    TimesOnCuda(nb::object velocity, const AxisNumbers& spacing, const AxisNumbers& origin,
                const Points& sources, const Numbers& start_times, const Points& receivers,
                int order, StreamHandle stream)
        : values_(floats_on_cuda(velocity, "velocity")),
          place_{values_.device_id(), stream},
          model_(made_on(place_, grid_of(values_, spacing, origin), values_.data())),
          sources_(sources_from(sources, start_times, model_.grid())),
          receivers_(points_from(receivers, model_.grid().origin.y)),
          order_(order) {}
    TimesOnCuda(const TimesOnCuda&) = delete;
    TimesOnCuda& operator=(const TimesOnCuda&) = delete;
    ~TimesOnCuda() {
        try {
            const StreamScope scope(place_.device, place_.stream);
            adjoint_.reset();
        } catch (const std::exception&) {
            // The driver has ended before Python, and all memory with it.
        }
    }

    /// Writes times at nodes (n, *shape) or at receivers (n, m).
    void solve(const Writable& out, bool at_nodes, bool keep, StreamHandle stream) {
        const std::size_t width = at_nodes ? model_.grid().node_count() : receivers_.size();
        require_size(out.size(), width, "times");
        on_stream(stream, [&](Monitor& monitor) {
            make_adjoint();
            for_each_batch(monitor, [&](std::size_t first, std::size_t count) {
                adjoint_->solve(first, count);
                float* const to = out.data() + first * width;
                if (!at_nodes) {
                    adjoint_->receiver_times(to);
                    return;
                }
                for (std::size_t n = 0; n < count; ++n) {
                    adjoint_->write_times(n, {to + n * width, model_.grid().shape});
                }
            });
            solved_ = keep && sources_.size() <= adjoint_->batch();
            if (!solved_) adjoint_.reset();
        });
    }

    /// Writes dJ/d(slowness of nodes); returns dJ by source positions, start times and receiver
    /// positions, and AdjointGradient::unsettled.
    nb::tuple gradient(const CudaFloats& by, bool at_nodes, const Writable& by_slowness,
                       StreamHandle stream) {
        const Shape shape = model_.grid().shape;
        const std::size_t width = at_nodes ? shape.count() : receivers_.size();
        require_size(by.size(), width, "derivatives by times");
        if (by_slowness.size() != shape.count()) {
            throw InputError(
                fmt::format("there is room for {} derivatives (must be {}, one per "
                            "node)",
                            by_slowness.size(), shape.count()));
        }
        AdjointGradient found;
        on_stream(stream, [&](Monitor& monitor) {
            make_adjoint();
            adjoint_->clear();
            for_each_batch(monitor, [&](std::size_t first, std::size_t count) {
                if (!solved_) adjoint_->solve(first, count);
                const float* const from = by.data() + first * width;
                if (at_nodes) {
                    for (std::size_t n = 0; n < count; ++n) {
                        adjoint_->ask_nodes(
                            n, FieldView<const float, Space::device>(from + n * width, shape));
                    }
                } else {
                    adjoint_->ask_receivers(from);
                }
                adjoint_->substitute();
            });
            found = adjoint_->gradient(FieldView<float, Space::device>(by_slowness.data(), shape));
            adjoint_->release();
            if (!solved_) adjoint_.reset();
        });
        const bool flat = model_.grid().is_2d();
        return nb::make_tuple(rows_of(found.sources, flat),
                              array_from(std::move(found.start_times)),
                              rows_of(found.receivers, flat), found.unsettled);
    }

  private:
    struct Place {
        int device = 0;
        StreamHandle stream = 0;
    };

    static CudaModel made_on(Place place, const Grid& grid, const float* velocity) {
        const nb::gil_scoped_release release;
        const StreamScope scope(place.device, place.stream);
        return {grid, {velocity, grid.shape}};
    }
    void require_size(std::size_t size, std::size_t width, const char* what) const {
        if (size == sources_.size() * width) return;
        throw InputError(
            fmt::format("there are {} {} (must be {})", size, what, sources_.size() * width));
    }
    template <class Work>
    void on_stream(StreamHandle stream, Work work) {
        place_.stream = stream;
        PythonMonitor bridge{nb::none()};
        bridge.run([&](const Execution& execution) {
            const StreamScope scope(place_.device, stream);
            work(execution.monitor);
        });
    }
    void make_adjoint() {
        if (adjoint_) return;
        solved_ = false;
        adjoint_ = std::make_unique<CudaAdjoint>(model_, sources_, receivers_, order_);
    }
    template <class Visit>
    void for_each_batch(Monitor& monitor, Visit visit) {
        for (std::size_t first = 0; first < sources_.size(); first += adjoint_->batch()) {
            monitor.check();
            visit(first, std::min(adjoint_->batch(), sources_.size() - first));
        }
    }

    CudaFloats values_;
    Place place_;
    CudaModel model_;
    std::vector<PointSource> sources_;
    std::vector<Vec3> receivers_;
    int order_;
    std::unique_ptr<CudaAdjoint> adjoint_;
    bool solved_ = false;  ///< the fields of all sources are there
};

}  // namespace

void bind_adjoint_cuda(nb::module_& module) {
    nb::class_<TimesOnCuda>(module, "TimesOnCuda",
                            "Times of a survey on a CUDA device and their derivatives.")
        .def(nb::init<nb::object, const AxisNumbers&, const AxisNumbers&, const Points&,
                      const Numbers&, const Points&, int, StreamHandle>(),
             "velocity"_a, "spacing"_a, "origin"_a, "sources"_a, "start_times"_a, "receivers"_a,
             "order"_a, "stream"_a,
             nb::sig("def __init__(self, velocity: object, spacing: float | "
                     "collections.abc.Sequence[float], origin: float | "
                     "collections.abc.Sequence[float], sources: "
                     "numpy.typing.NDArray[typing.Any], start_times: "
                     "numpy.typing.NDArray[typing.Any], receivers: "
                     "numpy.typing.NDArray[typing.Any], order: int, stream: int) -> None"))
        .def("solve", &TimesOnCuda::solve, "out"_a, "at_nodes"_a, "keep"_a, "stream"_a,
             nb::sig("def solve(self, out: object, at_nodes: bool, keep: bool, stream: int) -> "
                     "None"),
             "Writes times at nodes or receivers; the fields stay for `gradient` if `keep`.")
        .def("gradient", &TimesOnCuda::gradient, "by"_a, "at_nodes"_a, "by_slowness"_a, "stream"_a,
             nb::sig("def gradient(self, by: object, at_nodes: bool, by_slowness: object, stream: "
                     "int) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "int]"),
             "Writes dJ by slowness; returns dJ by source positions, start times and receiver "
             "positions, and AdjointGradient::unsettled.");
}

}  // namespace fermat::python
