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
#include "graph/options.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat {

class Graph;
struct GraphField;
struct MetricField;
class MetricSolver;

/// A solver with its options.
using TimeMethod = std::variant<EikonalOptions, GraphOptions>;

/// First arrivals of one source or front, by any solver. Points are in the coordinates of the user.
class ArrivalField {
  public:
    explicit ArrivalField(TimeField&& field);
    explicit ArrivalField(BasicTimeField<double>&& field);
    explicit ArrivalField(MetricField&& field);
    /// The graph must outlive it.
    ArrivalField(const Graph& graph, GraphField&& field);
    ArrivalField(ArrivalField&&) noexcept;
    ArrivalField& operator=(ArrivalField&&) noexcept;
    ~ArrivalField();

    /// Time at a point of the closed box; infinite where no wave arrives.
    double time_at(Vec3 point) const;
    /// Gradient of the time at a point: it points where the wave goes and is as long as the
    /// slowness there. Of a graph, along the last edge of the shortest path. On a sphere its
    /// components are those to the north, to the east and down. Zero at the source and where no
    /// wave arrives.
    Vec3 gradient_at(Vec3 point) const;
    /// Times on the nodes. `double` is for fields in double precision.
    template <class Real = float>
    Field<Real> on_nodes(int threads = 1) const;
    /// Times on the nodes, in the memory of the field where it can be.
    template <class Real = float>
    Field<Real> take_nodes(int threads = 1) &&;
    template <class Real>
    void write_nodes(FieldView<Real> times) const;
    /// The gradient on the nodes, as gradient_at; NaN at the source and where no wave arrives. In
    /// 2-D the component along y is empty. Throws InputError for a graph.
    template <class Real = float>
    std::array<Field<Real>, 3> gradient_on_nodes(int threads = 1) const;

    /// The field as its solver left it, for those who trace rays in it; null if another did.
    TimeField* eikonal();
    BasicTimeField<double>* exact();
    MetricField* metric();
    /// Where a graph's path leads, and what it counts; null if no graph was solved.
    struct OnGraph {
        const Graph* graph = nullptr;
        GraphField* field = nullptr;
    };
    OnGraph on_graph();

  private:
    /// Which of the fields it is: only files that know them all need their headers.
    struct Solved;
    std::unique_ptr<Solved> solved_;
};

/// Makes the time fields of a model. What all sources share, such as the edges of a graph, is made
/// once. The model must outlive it.
class TimeSolver {
  public:
    /// Throws InputError for a method, precision or device that does not know the model.
    TimeSolver(const Model& model, const TimeMethod& method, const Execution& execution = {},
               Precision precision = Precision::single);
    ~TimeSolver();

    /// The field of one source, on all threads.
    ArrivalField solve(const PointSource& source, const Execution& execution) const;
    /// The field of a front whose times nodes have (eikonal/front.hpp).
    ArrivalField solve_front(FieldView<const double> times, const Execution& execution,
                             Notes& notes) const;

    /// Solves every source by itself, parallel over sources, and hands each field to `consume` with
    /// the number of its source: in any order, from any thread, one call at a time per thread.
    /// Memory is one field per thread, whatever the number of sources. In double precision, sources
    /// are solved one after another, each on all threads.
    void for_each_field(std::span<const PointSource> sources, const Execution& execution,
                        const std::function<void(std::size_t, ArrivalField&&)>& consume) const;

    /// As for_each_field, for the events of a survey that have arrivals in `lists` and do not lie
    /// in air. Positions are moved into the closed box.
    void for_each_event(const Survey& survey, const ArrivalLists& lists, const Execution& execution,
                        const std::function<void(std::size_t, ArrivalField&&)>& consume) const;

    /// The earliest time of several sources at every node, each with its own start time. `double`
    /// is for solvers in double precision.
    template <class Real = float>
    Field<Real> first_arrivals(std::span<const PointSource> sources,
                               const Execution& execution) const;

    /// Times of all sources at all receivers, row-major [source][receiver]; infinite where no wave
    /// arrives. Solves from whichever side has fewer points (reciprocity), in double precision from
    /// the sources.
    std::vector<double> receiver_times(std::span<const PointSource> sources,
                                       std::span<const Vec3> receivers,
                                       const Execution& execution) const;

    /// What is to be told of the times made so far.
    Notes notes() const;
    void tell(Notes& notes) const;

  private:
    std::vector<double> receiver_times_by_fields(std::span<const PointSource> sources,
                                                 std::span<const Vec3> receivers,
                                                 const Execution& execution) const;

    const Model& model_;
    EikonalOptions eikonal_;
    Precision precision_;
    std::unique_ptr<const MetricSolver> metric_;  ///< null in plain models
    std::unique_ptr<const Graph> graph_;          ///< null for a solver of the eikonal equation
};

/// Times of the arrivals of a survey; infinite where no wave arrives, as to and from points in air.
/// Throws InputError for a point outside the model and for a phase that the medium does not have.
/// `told`, where given, gets what is to be told of them.
std::vector<double> arrival_times(const Medium& medium, const Survey& survey,
                                  const EikonalOptions& options, const Execution& execution,
                                  Notes* told = nullptr);

}  // namespace fermat
