#include <chrono>
#include <utility>

#include "core/parallel.hpp"
#include "tomography/hole/step.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds since the last call, or since it was made.
class Lap {
  public:
    double next() {
        const auto now = Clock::now();
        return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
    }

  private:
    Clock::time_point last_ = Clock::now();
};

/// Small models are smoothed and updated in less time than threads take to meet.
int update_threads(const Grid& grid, int requested) {
    constexpr std::size_t small = 50000;
    const int threads = resolve_threads(requested);
    return grid.node_count() < small ? 1 : threads;
}

class HostHoleStep : public HoleStep {
  public:
    HostHoleStep(const Grid& grid, const Survey& picks, const InversionOptions& options,
                 int threads)
        : picks_(picks), options_(options), threads_(update_threads(grid, threads)) {}

    PassReport predict(const Model& model, const BackprojectionOptions& options,
                       const Execution& execution) override {
        Backprojection pass = backproject(model, picks_, options, execution);
        sums_ = std::move(pass.sums);
        return std::move(pass.report);
    }

    ModelUpdate step(const Model& model, const Stage& stage, Monitor& monitor,
                     KeptIteration* kept) override {
        const Execution execution{.threads = threads_, .device = Device::cpu, .monitor = monitor};
        Lap lap;
        smooth_cells(sums_.perturbation, sums_.weight, stage.cell,
                     {options_.smoother, stage.cell_passes}, execution);
        const double cell_smoothing = lap.next();
        Field<double> nodes = cells_to_nodes(model.grid(), sums_.perturbation, stage.cell);
        if (kept != nullptr) {
            kept->cells = std::move(sums_.perturbation);
            kept->nodes = nodes.copy();
        }
        sums_ = {};
        const Field<std::uint8_t> mask = rock_mask(model);
        const double to_nodes = lap.next();
        smooth_vertices(nodes.view(), stage.vertex, {options_.smoother, stage.vertex_passes}, mask,
                        execution);
        const double vertex_smoothing = lap.next();
        if (kept != nullptr) kept->smooth_nodes = nodes.copy();
        Update made = apply_perturbation(model, nodes, options_.update, threads_);
        return {std::move(made.model), made.max_change, cell_smoothing, vertex_smoothing,
                to_nodes + lap.next()};
    }

    CellSums sums() override {
        return {sums_.perturbation.copy(), sums_.weight.copy(), sums_.count.copy()};
    }
    Field<float> coverage() override { return std::move(sums_.count); }

  private:
    const Survey& picks_;
    const InversionOptions& options_;
    int threads_;  ///< of smoothing and update
    CellSums sums_;
};

}  // namespace

std::unique_ptr<HoleStep> make_host_step(const Grid& grid, const Survey& picks,
                                         const InversionOptions& options, int threads) {
    return std::make_unique<HostHoleStep>(grid, picks, options, threads);
}

}  // namespace fermat
