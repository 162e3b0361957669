#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tomography/joint/event_blocks.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/layer_forward.hpp"
#include "tomography/layers/layer_unknowns.hpp"
#include "tomography/loop/normal_problem.hpp"

namespace fermat {

/// Velocities of layers and depths of interfaces as unknowns of the one loop; where events move,
/// their places and times after them, four numbers each, which are separated as in joint runs
/// (EventBlocks).
class LayerProblem : public NormalProblem {
  public:
    LayerProblem(const LayeredMedium& start, const PhasePicks& picks,
                 const LayerInversionOptions& options, const Execution& execution);

    std::size_t size() const override;
    const std::vector<double>& errors() const override { return errors_; }
    PassCost predict(std::span<const double> x) override;
    Trial trial_of(std::vector<double>&& x) const override;
    double adopt(const Trial& trial, bool resumed) override;
    void renew(std::vector<double>&& weights) override;
    double penalty(const Trial& trial, const Trial& other) const override;
    double roughness_of(std::span<const double> x) const override {
        return unknowns_.roughness_of(layers_of(x));
    }
    void reweight(std::span<const double>) override {}
    double first_weight() const override { return 1; }  // the prior is in its own deviations
    double freedom(const std::vector<PickUse>& use) const override;
    void while_served(const std::function<void()>& work) override;
    std::vector<double> step(std::span<const double> x, std::span<const double> right,
                             double lambda, double damping) override;
    const Model& model() const override { return merged_; }
    void save(MethodState& state) const override;
    void take_up(const MethodState& state) override;
    void finish(std::span<const double> x, InversionResult& result) override;

    const LayeredMedium& medium() const { return medium_; }
    std::vector<std::string> statuses() const;
    /// What the picks say of the unknowns, with the prior weighed by `lambda`. On rank 0.
    std::vector<LayerDeviation> deviations(std::span<const double> x, double lambda);
    std::vector<double> depth_residual(std::span<const double> x) const;
    /// What became of events that may move; empty where none does. On rank 0.
    std::vector<JointEvent> events(std::span<const double> x, std::span<const double> residual,
                                   std::span<const PickUse> use);

  private:
    using Vector = std::vector<double>;
    struct Datum {
        int interface = 0;
        Vec3 at;
        double error = 0;
        LayerRow row;  ///< over the error
    };
    LayerUnknowns unknowns_of() const;
    std::span<const double> layers_of(std::span<const double> x) const {
        return x.first(unknowns_.size());
    }
    std::span<const double> shifts_of(std::span<const double> x) const {
        return x.subspan(unknowns_.size());
    }
    std::vector<Vec3> sources_of(std::span<const double> x) const;
    void renew_events(std::span<const double> x, double damping);
    /// A^T Q A of picks and measured depths.
    Vector normal_matrix() const;
    void hold_below_surface(std::span<double> shift);

    const LayeredMedium& start_;
    const PhasePicks& picks_;
    const LayerInversionOptions& options_;
    Execution execution_;
    int threads_;
    Vector errors_;
    LayerForward forward_;
    LayerUnknowns unknowns_;
    EventBlocks events_;
    std::vector<Datum> depths_;
    LayeredMedium medium_;
    Model merged_;
    std::optional<LayeredMedium> tried_medium_;
    std::vector<PredictedPick> tried_;
    std::vector<BranchStatus> statuses_;  ///< of the present medium
    std::vector<LayerRow> rows_;          ///< of the present medium, weighted
    std::vector<Vec3> slopes_;            ///< by the places of events
    Vector weights_;
    std::vector<bool> bounded_;
    bool is_start_ = true;
};

}  // namespace fermat
