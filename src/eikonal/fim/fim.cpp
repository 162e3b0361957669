#include "eikonal/fim/fim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "core/streaming.hpp"
#include "eikonal/fim/block.hpp"
#include "eikonal/fim/block_stale.hpp"
#include "eikonal/fim/block_sweep.hpp"
#include "eikonal/fim/block_transfer.hpp"
#include "eikonal/front.hpp"
#include "eikonal/resolution.hpp"

namespace fermat {
namespace {

/// Solves active blocks, one parity at a time, until none is left. Blocks that must be visited
/// again wait until no active block is earlier by more than the time to cross a block (fim_waits).
template <class Real, int Dim, int Order>
class FimSchedule {
  public:
    /// Solves that take long call look(visits, most) from time to time.
    using Look = std::function<void(double, double)>;

    FimSchedule(const FimProblem<Real>& problem, int threads, const Look& look)
        : problem_(problem),
          look_(look),
          largest_{Block::depth, Block::width, longest_run(problem.shape[2])},
          grid_(problem.shape, largest_, problem.source_node(),
                {Dim == 3 && problem.shape[0] > Block::depth,
                 Dim == 3 && problem.shape[1] > Block::depth, false}),
          threads_(std::clamp(grid_.count() / least_blocks, 1, threads)),
          states_(static_cast<std::size_t>(grid_.count())) {
        for (std::size_t n = 0; n < orders.size(); ++n) {
            const AxisOrder order = orders[n];
            for (const auto& node : problem.starts) starts_[n].push_back(reordered(node, order));
            FimProblem<Real>& view = views_[n];
            view = problem;
            view.shape = reordered(problem.shape, order);
            view.stride = reordered(problem.stride, order);
            view.factor = reordered(problem.factor, order);
            view.starts = starts_[n];
        }
        for (int t = 0; t < threads_; ++t) workers_.push_back(std::make_unique<Block>());
        for (int axis = 0; axis < 3; ++axis) {
            crossing_ = std::max(crossing_,
                                 static_cast<float>(largest_[axis] * problem.factor.spacing[axis]));
        }
    }

    /// Solves from the start nodes.
    FimWork run(Monitor& monitor) {
        activate_starts();
        if (problem_.starts.empty()) activate_front();
        return settle(monitor);
    }

    /// Solves from a solution of lower order, which tau contains.
    FimWork improve(Monitor& monitor) {
        for (int block = 0; block < grid_.count(); ++block) {
            state(block).visits = 1;
            activate(block, unsettled, 0);
        }
        return settle(monitor);
    }

  private:
    using Block = FimBlock<Real, Dim, Order>;

    FimWork settle(Monitor& monitor) {
        // In the most difficult media, each block is visited about a dozen times.
        constexpr std::int64_t long_visits = 64;
        constexpr std::int64_t most_visits = 100 * long_visits;
        std::int64_t next_look = long_visits * grid_.count();
        FimWork work;
        for (int colour = 0; !active_[0].empty() || !active_[1].empty(); colour ^= 1) {
            monitor.check();
            take_batch(colour);
            outcomes_.resize(batch_.size());
            parallel_for(static_cast<std::int64_t>(batch_.size()), threads_, [&](std::int64_t i) {
                outcomes_[static_cast<std::size_t>(i)] = visit(batch_[static_cast<std::size_t>(i)]);
            });
            work.visits += static_cast<std::int64_t>(batch_.size());
            if (work.visits > next_look) {
                look_(static_cast<double>(work.visits),
                      static_cast<double>(most_visits * grid_.count()));
                next_look *= 2;
            }
            for (std::size_t i = 0; i < batch_.size(); ++i) {
                work.sweeps += outcomes_[i].sweeps;
                follow(batch_[i], outcomes_[i]);
            }
        }
        return work;
    }

    struct State {
        float key =
            std::numeric_limits<float>::infinity();  ///< earliest arrival that it has not seen
        std::uint8_t causes = no_cause;              ///< of the next visit
        std::uint8_t visits = 0;
    };

    State& state(int block) { return states_[static_cast<std::size_t>(block)]; }

    void activate(int block, unsigned cause, float key) {
        State& s = state(block);
        if (s.causes == no_cause) {
            active_[static_cast<std::size_t>(grid_.parity(block))].push_back(block);
        }
        s.causes |= static_cast<std::uint8_t>(cause);
        s.key = std::min(s.key, key);
    }

    /// Activates blocks that contain a start node or read one across a face.
    void activate_starts() {
        for (const auto& node : problem_.starts) {
            for_each_reader(node, Order, problem_.shape, [&](const auto& near) {
                activate(grid_.block_of(near), near_start, 0);
            });
        }
    }

    /// Activates blocks that contain nodes of a front or read one across a face. Such a block is
    /// computed as a whole.
    void activate_front() {
        constexpr unsigned whole = unsigned{near_start} | unsigned{unsettled};
        for (int block = 0; block < grid_.count(); ++block) {
            const BlockExtent extent = grid_.extent(block);
            unsigned faces = 0;
            bool held = false;
            for (int o = extent.begin[0]; o < extent.end[0]; ++o) {
                for (int l = extent.begin[1]; l < extent.end[1]; ++l) {
                    for (int r = extent.begin[2]; r < extent.end[2]; ++r) {
                        if (!(problem_.tau[problem_.offset(o, l, r)] < reached_limit<Real>))
                            continue;
                        held = true;
                        faces |= faces_beside(extent, {o, l, r});
                    }
                }
            }
            if (held) activate(block, whole, 0);
            for (int face = 0; face < 6; ++face) {
                if (!(faces >> face & 1U)) continue;
                const int stride = grid_.stride(face / 2);
                activate(face % 2 ? block + stride : block - stride, whole, 0);
            }
        }
    }
    /// The faces through which equations of other blocks read a node.
    unsigned faces_beside(const BlockExtent& extent, std::array<int, 3> node) const {
        unsigned faces = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (extent.begin[axis] > 0 && node[axis] - extent.begin[axis] < Order) {
                faces |= through_face(axis, 0);
            }
            if (extent.end[axis] < problem_.shape[axis] && extent.end[axis] - node[axis] <= Order) {
                faces |= through_face(axis, 1);
            }
        }
        return faces;
    }

    void take_batch(int colour) {
        float first = std::numeric_limits<float>::infinity();
        for (const auto& list : active_) {
            for (const int block : list) first = std::min(first, state(block).key);
        }
        auto& list = active_[static_cast<std::size_t>(colour)];
        const auto later = std::partition(list.begin(), list.end(), [&](int block) {
            return !fim_waits(state(block).visits, state(block).key, first, crossing_);
        });
        batch_.assign(list.begin(), later);
        list.erase(list.begin(), later);
        std::sort(batch_.begin(), batch_.end());
    }

    VisitOutcome visit(int block) {
        State& s = state(block);
        const Accept accept = fim_only_falls(Order, s.visits) ? Accept::earlier : Accept::any;
        const unsigned causes = s.causes | (s.visits == 0 ? unsigned{first_visit} : 0U);
        s.causes = no_cause;
        s.key = std::numeric_limits<float>::infinity();
        s.visits = static_cast<std::uint8_t>(std::min(s.visits + 1, 255));
        Block& worker = *workers_[static_cast<std::size_t>(thread_index())];
        return visit(worker, grid_.extent(block), causes, accept);
    }

    /// Chooses as outer axis the one along which the block contains both sides of the source, if
    /// there is one: its planes can be swept from the source outwards.
    VisitOutcome visit(Block& worker, const BlockExtent& extent, unsigned causes, Accept accept) {
        std::size_t n = 0;
        if constexpr (Dim == 3) {
            if (!outward(extent, causes, 0) && outward(extent, causes, 1)) n = 1;
        }
        const AxisOrder order = orders[n];
        const BlockExtent turned{reordered(extent.begin, order), reordered(extent.end, order)};
        std::array<int, 3> from;
        unsigned turned_causes = causes & ~all_faces;
        for (int role = 0; role < 3; ++role) {
            from[role] = entry(extent, causes, order[role]);
            for (int side = 0; side < 2; ++side) {
                if (causes & through_face(order[role], side)) {
                    turned_causes |= through_face(role, side);
                }
            }
        }
        if (Dim == 3 && outward(extent, causes, order[0])) from[0] = 0;
        const VisitOutcome seen = worker.visit(views_[n], turned, from, turned_causes, accept);
        VisitOutcome outcome = seen;
        for (int role = 0; role < 3; ++role) {
            for (int side = 0; side < 2; ++side) {
                outcome.earliest[static_cast<std::size_t>(2 * order[role] + side)] =
                    seen.earliest[static_cast<std::size_t>(2 * role + side)];
            }
        }
        return outcome;
    }

    bool astride(const BlockExtent& extent, int axis) const {
        return problem_.coordinate(axis, extent.begin[axis]) < 0 &&
               problem_.coordinate(axis, extent.end[axis] - 1) >= 0;
    }
    /// Whether the wave spreads from inside the block along an axis, which may be the outer one.
    bool outward(const BlockExtent& extent, unsigned causes, int axis) const {
        const bool low = causes & through_face(axis, 0);
        const bool high = causes & through_face(axis, 1);
        return low == high && extent.size(axis) <= Block::depth && astride(extent, axis);
    }
    /// Guesses where the wave comes from along each axis: through the face that activated the
    /// block; if that does not decide, from the side of the source. In a block with the source
    /// inside, the larger part is swept first.
    int entry(const BlockExtent& extent, unsigned causes, int axis) const {
        const bool low = causes & through_face(axis, 0);
        const bool high = causes & through_face(axis, 1);
        const double first = problem_.coordinate(axis, extent.begin[axis]);
        const double last = problem_.coordinate(axis, extent.end[axis] - 1);
        return (low != high ? low : first + last >= 0) ? 1 : -1;
    }

    void follow(int block, const VisitOutcome& outcome) {
        float first = std::numeric_limits<float>::infinity();
        for (int face = 0; face < 6; ++face) {
            const float key = outcome.earliest[static_cast<std::size_t>(face)];
            if (!std::isfinite(key)) continue;
            const int stride = grid_.stride(face / 2);
            activate(face % 2 ? block + stride : block - stride, 1U << (face ^ 1), key);
            first = std::min(first, key);
        }
        if (!outcome.settled) activate(block, unsettled, fim_unsettled_key(first));
    }

    /// Long runs leave fewer lanes of the skewed storage idle. In a small cube, though, long runs
    /// give too few blocks for each to be visited after those it depends on.
    static int longest_run(int nodes) {
        return Dim == 3 && nodes < 2 * Block::length ? 32 : Block::length;
    }

    static constexpr unsigned all_faces = (1U << 6) - 1;
    /// The axes as they are in memory, and with y as the outer axis.
    static constexpr std::array<AxisOrder, 2> orders{{{0, 1, 2}, {1, 0, 2}}};
    static_assert(Dim == 2 || Block::depth == Block::width, "x and y may change places");

    FimProblem<Real> problem_;
    Look look_;
    std::array<FimProblem<Real>, 2> views_;  ///< the problem, for each order of axes
    std::array<std::vector<std::array<int, 3>>, 2> starts_;
    std::array<int, 3> largest_;  ///< extents of a block
    BlockGrid grid_;
    /// Blocks per thread from which another thread gains more than it costs to wait for it.
    static constexpr int least_blocks = 4;
    int threads_;
    std::vector<State> states_;
    std::vector<std::unique_ptr<Block>> workers_;
    std::array<std::vector<int>, 2> active_;
    std::vector<int> batch_;
    std::vector<VisitOutcome> outcomes_;
    float crossing_ = 0;
};

}  // namespace

template <class Real>
FimWork fim_solve(const Model& model, const FactoredSource& source, int order, int threads,
                  FieldView<Real> tau, Monitor& monitor, FieldView<const double> exact) {
    const Grid& grid = model.grid();
    const auto as_block_axes = [&](auto x, auto y, auto z, auto absent) {
        return fim_axes(grid, x, y, z, absent);
    };
    parallel_ranges(static_cast<std::int64_t>(tau.size()), streaming_threads(tau.size(), threads),
                    [&](std::int64_t begin, std::int64_t end) {
                        std::fill(tau.data() + begin, tau.data() + end, unreached<Real>);
                    });
    std::vector<std::array<int, 3>> starts;
    const Field<float> held = source.is_front() ? held_velocity(model, source) : Field<float>();
    for (const StartNode& start : source.starts) {
        tau(start.node) = static_cast<Real>(start.tau);
        if (source.is_front()) continue;
        starts.push_back(as_block_axes(start.node.x, start.node.y, start.node.z, 0));
    }
    FimProblem<Real> problem;
    problem.shape = as_block_axes(grid.shape.x, grid.shape.y, grid.shape.z, 1);
    const std::ptrdiff_t line = problem.shape[2];
    problem.stride = {problem.shape[1] * line, line, 1};
    problem.factor = reordered(node_factor(grid, source), fim_axis_order(grid));
    problem.until = source.until / (source.slowness * smallest_spacing(grid));
    problem.source_slowness = source.slowness;
    problem.slowness_unit = power_of_two_near(source.slowness);
    problem.velocity = held.empty() ? model.velocity().data() : held.data();
    problem.exact_slowness = exact.data();
    problem.tau = tau.data();
    problem.starts = starts;
    const auto look = [&](double visits, double most) {
        require_progress<Real>(model, source, tau, visits, most);
    };
    const auto run = [&]<int Dim, int Order>() {
        if (Order == 2 && has_long_cells(grid)) {
            FimWork work = FimSchedule<Real, Dim, 1>(problem, threads, look).run(monitor);
            const FimWork more =
                FimSchedule<Real, Dim, Order>(problem, threads, look).improve(monitor);
            return FimWork{work.visits + more.visits, work.sweeps + more.sweeps};
        }
        return FimSchedule<Real, Dim, Order>(problem, threads, look).run(monitor);
    };
    if (grid.is_2d()) {
        return order == 1 ? run.template operator()<2, 1>() : run.template operator()<2, 2>();
    }
    return order == 1 ? run.template operator()<3, 1>() : run.template operator()<3, 2>();
}

template FimWork fim_solve(const Model&, const FactoredSource&, int, int, FieldView<float>,
                           Monitor&, FieldView<const double>);
template FimWork fim_solve(const Model&, const FactoredSource&, int, int, FieldView<double>,
                           Monitor&, FieldView<const double>);

}  // namespace fermat
