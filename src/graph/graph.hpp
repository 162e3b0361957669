#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "core/field.hpp"
#include "core/notes.hpp"
#include "graph/graph_view.hpp"
#include "graph/options.hpp"
#include "graph/star_table.hpp"
#include "model/model.hpp"
#include "survey/point_source.hpp"

namespace fermat {

/// A straight connection between a point and a node.
struct Link {
    std::size_t place = 0;  ///< index of the node in the memory of the graph
    float time = 0;
};

/// Shortest times from one source. Arrays have the shape of the graph's memory and `slack` values
/// after it.
struct GraphField {
    Vec3 source;
    Vec3 source_index;  ///< its position as fractional node indices
    double start_time = 0;
    std::vector<float> times;  ///< without the start time; infinite where no path leads
    std::vector<std::uint16_t> predecessor;
    std::int64_t relaxations = 0;  ///< number of edges relaxed
    std::int64_t passes = 0;       ///< of Bellman and Ford's method
};

class CudaGraph;
class GlGraph;
class CudaJacobi;
class GlJacobi;

/// The graph of a model: star, slowness and, if they are stored, the times of all edges. It is
/// built once and serves any number of sources, also from several threads at once.
class Graph {
  public:
    Graph(const Model& model, const GraphOptions& options, const Execution& execution = {});

    const Grid& grid() const { return grid_; }
    /// With the radius and the visits that were chosen.
    const GraphOptions& options() const { return options_; }
    const StarTable& star() const { return star_; }
    const GraphView& view() const { return view_; }
    /// Whether the times of all edges are stored on the CPU.
    bool stores_weights() const { return view_.stored != nullptr; }
    /// Adds what was chosen for the user and costs time.
    void tell(Notes& notes) const;
    /// This graph on the CUDA device of the calling thread, if bellman_ford runs there; else null.
    CudaGraph* cuda() const;
    /// The same for OpenGL.
    GlGraph* opengl() const { return opengl_.get(); }
    /// The same for Relaxation::jacobi.
    CudaJacobi* cuda_jacobi() const;
    GlJacobi* opengl_jacobi() const { return opengl_jacobi_.get(); }
    /// Element n is a lower bound of the slowness along any edge of nodes 8 n to 8 n + 7 of the
    /// memory.
    std::span<const float> least_slowness() const { return least_slowness_; }

    /// The links from a point to the nodes round it, as far as the star reaches. If the point is a
    /// node, the only link has length 0. Empty in air.
    std::vector<Link> links(Vec3 point) const;

  private:
    /// One per CUDA device in use, by its number.
    template <class OnDevice>
    using PerDevice = std::vector<std::pair<int, std::shared_ptr<OnDevice>>>;
    template <class OnDevice>
    static OnDevice* of_this_device(const PerDevice<OnDevice>& all);
    template <class OnDevice, class Make>
    static PerDevice<OnDevice> on_devices_in_use(Make make);
    void put_on_cuda();

    Grid grid_;
    GraphOptions options_;
    StarTable star_;
    std::vector<float> slowness_;
    std::vector<float> least_slowness_;
    std::unique_ptr<float[]> stored_;
    GraphView view_;
    PerDevice<CudaGraph> cuda_;
    std::shared_ptr<GlGraph> opengl_;
    PerDevice<CudaJacobi> cuda_jacobi_;
    std::shared_ptr<GlJacobi> opengl_jacobi_;
    std::string not_stored_;  ///< why the times of edges are not, where the user left it open
};

/// Calls use(device) with what holds the graph on a device, and returns whether one does. Files
/// that call it include the headers of all four.
template <class Use>
bool with_device(const Graph& graph, Use use) {
    const auto held_by = [&](auto* device) {
        if (device != nullptr) use(*device);
        return device != nullptr;
    };
    return held_by(graph.cuda()) || held_by(graph.opengl()) || held_by(graph.cuda_jacobi()) ||
           held_by(graph.opengl_jacobi());
}

/// Shortest times of one source at every node. A graph that lies on a device is solved there.
GraphField solve(const Graph& graph, const PointSource& source, const Execution& execution = {});

/// Solves one field per source, in parallel over sources, and calls consume(number of the source,
/// field). The calls come in any order and from any thread, one at a time per thread. Besides the
/// graph, memory holds one field per thread, whatever the number of sources. A device solves
/// sources in batches.
void for_each_field(const Graph& graph, std::span<const PointSource> sources,
                    const Execution& execution,
                    const std::function<void(std::size_t, GraphField&&)>& consume);

/// First arrivals of several sources in one field, each with its own start time.
Field<float> first_arrivals(const Graph& graph, std::span<const PointSource> sources,
                            const Execution& execution = {});

/// Times on the nodes, including the start time.
Field<float> node_times(const Graph& graph, const GraphField& field);

/// The shortest path from a point to the source.
struct GraphPath {
    double time = 0;  ///< including the start time; infinite if no path leads there
    std::vector<Vec3>
        points;  ///< from the point to the source; only the point if no path leads there
};
GraphPath graph_path(const Graph& graph, const GraphField& field, Vec3 point);

/// The time of graph_path, without its points.
double time_at(const Graph& graph, const GraphField& field, Vec3 point);

}  // namespace fermat
