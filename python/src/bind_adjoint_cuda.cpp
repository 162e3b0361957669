#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/device_copy.hpp"
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

using Address = std::uintptr_t;

const float* read_at(Address address) { return reinterpret_cast<const float*>(address); }
float* write_at(Address address) { return reinterpret_cast<float*>(address); }

Grid grid_of(const std::vector<int>& sizes, const AxisNumbers& spacing, const AxisNumbers& origin) {
    if (sizes.size() != 2 && sizes.size() != 3) {
        throw InputError(
            fmt::format("velocity has {} dimensions (must have 2 or 3)", sizes.size()));
    }
    const bool is_2d = sizes.size() == 2;
    const Shape shape = is_2d ? Shape{sizes[0], 1, sizes[1]} : Shape{sizes[0], sizes[1], sizes[2]};
    return {shape, axes_from(origin, is_2d, 0, "origin"), axes_from(spacing, is_2d, 1, "spacing")};
}

/// The device of an address. Throws InputError if CUDA is not in this build.
int place_of(Address address) {
    if (build::cuda == "no") refuse_device_array("velocity");
    return device_of(read_at(address));
}

CudaModel::Given given_by(const std::string& name) {
    if (name == "velocity") return CudaModel::Given::velocity;
    if (name == "slowness") return CudaModel::Given::slowness;
    throw InputError(fmt::format("given is '{}' (must be 'velocity' or 'slowness')", name));
}

/// Differentiable times of a medium on a CUDA device: addresses in and out, on the stream of the
/// caller. The host sees positions and start times, and their derivatives. Whoever calls keeps the
/// memory, and the medium as long as this object; what is written is there for the stream.
class TimesOnCuda {
  public:
    TimesOnCuda(Address medium, const std::vector<int>& shape, const AxisNumbers& spacing,
                const AxisNumbers& origin, const Points& sources, const Numbers& start_times,
                const Points& receivers, int order, StreamHandle stream, const std::string& given)
        : place_{place_of(medium), stream},
          model_(
              made_on(place_, grid_of(shape, spacing, origin), read_at(medium), given_by(given))),
          sources_(sources_from(sources, start_times, model_->grid())),
          receivers_(points_from(receivers, model_->grid().origin.y)),
          order_(order) {}
    TimesOnCuda(const TimesOnCuda&) = delete;
    TimesOnCuda& operator=(const TimesOnCuda&) = delete;
    ~TimesOnCuda() {
        try {
            const StreamScope scope(place_.device, place_.stream);
            adjoint_.reset();
            model_.reset();
        } catch (const std::exception&) {
            // The driver has ended before Python, and all memory with it.
        }
    }

    /// Writes times at nodes (n, *shape) or at receivers (n, m).
    void solve(Address out, bool at_nodes, bool keep, StreamHandle stream) {
        const Shape shape = model_->grid().shape;
        const std::size_t width = at_nodes ? shape.count() : receivers_.size();
        on_stream(stream, [&](Monitor& monitor) {
            make_adjoint();
            for_each_batch(monitor, [&](std::size_t first, std::size_t count) {
                adjoint_->solve(first, count);
                float* const to = write_at(out) + first * width;
                if (!at_nodes) {
                    adjoint_->receiver_times(to);
                    return;
                }
                for (std::size_t n = 0; n < count; ++n) {
                    adjoint_->write_times(n, {to + n * width, shape});
                }
            });
            solved_ = keep && sources_.size() <= adjoint_->batch();
            if (!solved_) adjoint_.reset();
        });
    }

    /// Writes dJ/d(slowness of nodes), or by velocity; returns dJ by source positions (NaN if not
    /// by_position), start times and receiver positions, and AdjointGradient::unsettled.
    nb::tuple gradient(Address by, bool at_nodes, Address to, bool by_velocity, StreamHandle stream,
                       bool by_position) {
        const Shape shape = model_->grid().shape;
        const std::size_t width = at_nodes ? shape.count() : receivers_.size();
        AdjointGradient found;
        on_stream(stream, [&](Monitor& monitor) {
            make_adjoint();
            adjoint_->clear();
            adjoint_->want_positions(by_position);
            for_each_batch(monitor, [&](std::size_t first, std::size_t count) {
                if (!solved_) adjoint_->solve(first, count);
                const float* const from = read_at(by) + first * width;
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
            found = adjoint_->gradient(
                FieldView<float, Space::device>(write_at(to), shape),
                by_velocity ? CudaAdjoint::By::velocity : CudaAdjoint::By::slowness);
            adjoint_->release();
            if (!solved_) adjoint_.reset();
        });
        const bool flat = model_->grid().is_2d();
        return nb::make_tuple(rows_of(found.sources, flat),
                              array_from(std::move(found.start_times)),
                              rows_of(found.receivers, flat), found.unsettled);
    }

  private:
    struct Place {
        int device = 0;
        StreamHandle stream = 0;
    };

    static std::unique_ptr<CudaModel> made_on(Place place, const Grid& grid, const float* values,
                                              CudaModel::Given given) {
        const StreamScope scope(place.device, place.stream);
        return std::make_unique<CudaModel>(
            grid, FieldView<const float, Space::device>(values, grid.shape), given);
    }
    /// Memory is given back in the order of the stream that this object was made for; on another
    /// one, both wait for each other.
    template <class Work>
    void on_stream(StreamHandle stream, Work work) {
        PythonMonitor bridge{nb::none()};
        bridge.run([&](const Execution& execution) {
            const bool elsewhere = stream != place_.stream;
            if (elsewhere) {
                const StreamScope home(place_.device, place_.stream);
                wait_for_stream();
            }
            const StreamScope scope(place_.device, stream);
            work(execution.monitor);
            if (elsewhere) wait_for_stream();
        });
    }
    void make_adjoint() {
        if (adjoint_) return;
        solved_ = false;
        adjoint_ = std::make_unique<CudaAdjoint>(*model_, sources_, receivers_, order_);
    }
    template <class Visit>
    void for_each_batch(Monitor& monitor, Visit visit) {
        for (std::size_t first = 0; first < sources_.size(); first += adjoint_->batch()) {
            monitor.check();
            visit(first, std::min(adjoint_->batch(), sources_.size() - first));
        }
    }

    Place place_;
    std::unique_ptr<CudaModel> model_;
    std::vector<PointSource> sources_;
    std::vector<Vec3> receivers_;
    int order_;
    std::unique_ptr<CudaAdjoint> adjoint_;
    bool solved_ = false;  ///< the fields of all sources are there
};

}  // namespace

void bind_adjoint_cuda(nb::module_& module) {
    nb::class_<TimesOnCuda>(
        module, "TimesOnCuda",
        "Times of a survey on a CUDA device and their derivatives. Arrays there "
        "are given by their addresses: float32 in C order.")
        .def(nb::init<Address, const std::vector<int>&, const AxisNumbers&, const AxisNumbers&,
                      const Points&, const Numbers&, const Points&, int, StreamHandle,
                      const std::string&>(),
             "medium"_a, "shape"_a, "spacing"_a, "origin"_a, "sources"_a, "start_times"_a,
             "receivers"_a, "order"_a, "stream"_a, "given"_a = "velocity",
             nb::sig("def __init__(self, medium: int, shape: collections.abc.Sequence[int], "
                     "spacing: float | collections.abc.Sequence[float], origin: float | "
                     "collections.abc.Sequence[float], sources: "
                     "numpy.typing.NDArray[typing.Any], start_times: "
                     "numpy.typing.NDArray[typing.Any], receivers: "
                     "numpy.typing.NDArray[typing.Any], order: int, stream: int, given: str = "
                     "'velocity') -> None"))
        .def("solve", &TimesOnCuda::solve, "out"_a, "at_nodes"_a, "keep"_a, "stream"_a,
             nb::sig("def solve(self, out: int, at_nodes: bool, keep: bool, stream: int) -> None"),
             "Writes times at nodes or receivers; the fields stay for `gradient` if `keep`.")
        .def("gradient", &TimesOnCuda::gradient, "by"_a, "at_nodes"_a, "out"_a, "by_velocity"_a,
             "stream"_a, "by_position"_a = true,
             nb::sig("def gradient(self, by: int, at_nodes: bool, out: int, by_velocity: bool, "
                     "stream: int, by_position: bool = True) -> "
                     "tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "int]"),
             "Writes dJ by slowness or velocity; returns dJ by source positions (NaN unless "
             "by_position), start times and "
             "receiver positions, and AdjointGradient::unsettled.");
}

}  // namespace fermat::python
