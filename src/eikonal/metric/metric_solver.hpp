#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/notes.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/metric/metric_field.hpp"

namespace fermat {

class NodeMedium;
struct NodeNumbers;
struct SourceNumbers;

/// First arrivals of a model with a metric. Its tensors are made once for all sources. Positions
/// are in the coordinates of users (latitudes, true depths), except those of MetricField. Times of
/// second order may swing between two solutions where the ground is steep or the model rough: such
/// a source is solved to first order, which its field and tell() say.
class MetricSolver {
  public:
    /// Throws InputError for options that do not know a metric, such as another solver than `fim`.
    MetricSolver(const Model& model, const EikonalOptions& options, const Execution& execution);

    MetricField solve(const PointSource& source, const Execution& execution) const;
    /// Solves every source by itself, in parallel over sources; as for_each_field of eikonal.hpp.
    void for_each_field(std::span<const PointSource> sources, const Execution& execution,
                        const std::function<void(std::size_t, MetricField&&)>& consume) const;
    /// Adds what is to be told of the sources solved so far: how many of them are of first order,
    /// everywhere or beside jumps, because the second did not settle. And that a large 3-D ground
    /// is slow.
    void tell(Notes& notes) const;
    const Model& model() const { return model_; }
    /// The CUDA device's seconds for the last source or batch, transfers excluded; 0 on the CPU.
    double device_seconds() const;

  private:
    struct OnCuda;
    struct Prepared;
    Prepared prepare(Vec3 source, double start_time, const Execution& execution) const;
    /// The field of a source whose tau is known.
    MetricField finished(MetricField&& field) const;
    /// With the times of the nearest layers for T0; nothing if times do not settle.
    std::optional<MetricField> solve_by_layers(Vec3 source, double start_time,
                                               const Execution& execution) const;
    MetricField solve_from(Vec3 source, double start_time, const Execution& execution) const;
    void for_each_batch(std::span<const PointSource> sources, const Execution& execution,
                        const std::function<void(std::size_t, MetricField&&)>& consume) const;
    /// The field of a part of the model with shorter steps.
    MetricField finer_field(const Model& model, Vec3 source, int halvings,
                            const Execution& execution) const;
    /// Where rows of jumps are near the source, takes the times of nodes round it, and of points
    /// between them, from rays where the medium is layered there, else from a finer grid. Returns
    /// how far from the source they lie, in nodes; 0 without any.
    int start_finer(MetricField& field, SourceNumbers& of, const Execution& execution) const;
    /// Sources that do not settle on the device are solved on the CPU, which knows what to do.
    void solve_on_cuda(std::span<Prepared> sources, const Execution& execution) const;
    /// Solves to the wanted order, or to first order if the second does not settle.
    void solve_on_cpu(Prepared& source, int threads, Monitor& monitor) const;
    /// What a message advises to smooth.
    std::string what_is_rough() const;

    Model model_;
    EikonalOptions options_;
    std::shared_ptr<const NodeMedium> medium_;
    std::optional<LayeredSphere> layers_;  ///< nearest to the model, if times are taken to them
    std::shared_ptr<OnCuda> cuda_;         ///< null on the CPU
    bool marches_ = false;                 ///< through the cells of the grid, from the first
    int halvings_ = 0;  ///< of the steps of the user's grid, round a source beside jumps
    /// Sources so far that are of first order.
    struct Counts {
        std::atomic<int> everywhere{0};
        std::atomic<int> beside_jumps{0};
    };
    std::shared_ptr<Counts> first_order_ = std::make_shared<Counts>();
};

}  // namespace fermat
