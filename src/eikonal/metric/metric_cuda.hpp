#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "eikonal/metric/node_frames.hpp"
#include "eikonal/metric/node_numbers.hpp"

namespace fermat {

/// T0 of a source as a device needs it: its place, T0^2 round it, and the steps of the grid.
struct MetricShotFactor {
    Vec3 place;
    FactorSquare square;
    Vec3 steps;
    bool is_2d = false;
};

/// Solves models with a metric on a CUDA device, several sources at once. It keeps the tensors
/// there.
class CudaMetric {
  public:
    /// One source, and where its tau goes: infinite where no wave arrives.
    struct Shot {
        /// Without tau of nodes, the device makes the source's numbers from `factor`.
        const NodeNumbers& numbers;
        FieldView<float> tau;
        MetricShotFactor factor;
    };

    /// `frames` are those of the nodes, of which the device makes the numbers of sources; null
    /// where the host does. `most_shots`: how many sources a solve will have at most. Throws
    /// InputError if this build has no CUDA or the machine has no device, and ComputeError if the
    /// device has no memory for the model.
    CudaMetric(const NodeNumbers& numbers, const NodeFrames* frames, int order,
               std::size_t most_shots);
    CudaMetric(CudaMetric&&) noexcept;
    ~CudaMetric();

    /// How many sources fit.
    std::size_t batch() const;
    void replace_tensors(const NodeNumbers& numbers);
    /// Returns the device's time in seconds, transfers excluded.
    double solve(std::span<const Shot> shots);
    /// Shots of the last solve whose times change by more than `most` of themselves when all are
    /// visited once more, because second order swings between two solutions. `tau` stays.
    std::vector<std::size_t> unsettled(std::span<const Shot> shots, float most);
    /// Corrects the last solution, of one source, for replaced tensors and f^2. Returns the largest
    /// relative change of a value.
    float settle_again(const Shot& shot);

    /// The cost of the last solve: visits per tile, and passes over the lists, of all waves.
    struct Work {
        double visits_per_tile = 0;
        int passes = 0;
        double seconds = 0;
    };
    Work work() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
