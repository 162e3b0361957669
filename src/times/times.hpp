#pragma once

// The one door to time fields: a solver of the eikonal equation or of the grid graph, by value.

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "core/execution.hpp"
#include "core/notes.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "graph/graph.hpp"
#include "model/model.hpp"
#include "survey/point_source.hpp"

namespace fermat {

/// A solver with its options.
using TimeMethod = std::variant<EikonalOptions, GraphOptions>;

/// First arrivals of one source, by any solver.
class ArrivalField {
  public:
    explicit ArrivalField(TimeField&& field) : solved_(std::move(field)) {}
    explicit ArrivalField(MetricField&& field) : solved_(std::move(field)) {}
    /// The graph must outlive it.
    ArrivalField(const Graph& graph, GraphField&& field)
        : solved_(OnGraph{&graph, std::move(field)}) {}

    /// Time at a point of the closed box, in the coordinates of the user; infinite where no wave
    /// arrives.
    double time_at(Vec3 point) const;
    /// Gradient of the time at a point: it points where the wave goes and is as long as the
    /// slowness there. Of a graph, along the last edge of the shortest path. On a sphere its
    /// components are those to the north, to the east and down. Zero at the source and where no
    /// wave arrives.
    Vec3 gradient_at(Vec3 point) const;
    /// Times on the nodes.
    Field<float> on_nodes(int threads = 1) const;
    void write_nodes(FieldView<float> times) const;
    /// The gradient on the nodes, as gradient_at; NaN at the source and where no wave arrives. In
    /// 2-D the component along y is empty. Throws InputError for a graph.
    std::array<Field<float>, 3> gradient_on_nodes(int threads = 1) const;
    /// The field of the eikonal equation, or null.
    TimeField* eikonal() { return std::get_if<TimeField>(&solved_); }

  private:
    struct OnGraph {
        const Graph* graph;
        GraphField field;
    };
    std::variant<TimeField, OnGraph, MetricField> solved_;
};

/// Makes the time fields of a model. What all sources share, such as the edges of a graph, is made
/// once. The model must outlive it.
class TimeSolver {
  public:
    TimeSolver(const Model& model, const TimeMethod& method, const Execution& execution = {});

    /// Solves every source by itself, parallel over sources, and hands each field to `consume` with
    /// the number of its source: in any order, from any thread, one call at a time per thread.
    /// Memory is one field per thread, whatever the number of sources.
    void for_each_field(std::span<const PointSource> sources, const Execution& execution,
                        const std::function<void(std::size_t, ArrivalField&&)>& consume) const;

    /// The earliest time of several sources at every node, each with its own start time.
    Field<float> first_arrivals(std::span<const PointSource> sources,
                                const Execution& execution) const;

    /// Times of all sources at all receivers, row-major [source][receiver]; infinite where no wave
    /// arrives. Solves from whichever side has fewer points (reciprocity).
    std::vector<double> receiver_times(std::span<const PointSource> sources,
                                       std::span<const Vec3> receivers,
                                       const Execution& execution) const;

    /// What is to be told of the times made so far.
    Notes notes() const;

  private:
    std::vector<double> receiver_times_by_fields(std::span<const PointSource> sources,
                                                 std::span<const Vec3> receivers,
                                                 const Execution& execution) const;

    const Model& model_;
    EikonalOptions eikonal_;
    std::unique_ptr<const MetricSolver> metric_;  ///< null unless the model has a metric
    std::unique_ptr<const Graph> graph_;          ///< null for a solver of the eikonal equation
};

}  // namespace fermat
