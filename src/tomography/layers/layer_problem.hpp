#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "phases/derivatives.hpp"
#include "phases/phases.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/layer_unknowns.hpp"
#include "tomography/loop/normal_problem.hpp"
#include "tomography/trust/dense_inverse.hpp"

namespace fermat {

/// Velocities of layers and depths of interfaces as unknowns of the one loop.
class LayerProblem : public NormalProblem {
  public:
    LayerProblem(const LayeredMedium& start, const PhasePicks& picks,
                 const LayerInversionOptions& options, const Execution& execution);

    std::size_t size() const override { return unknowns_.size(); }
    const std::vector<double>& errors() const override { return errors_; }
    PassCost predict(std::span<const double> x) override;
    Trial trial_of(std::vector<double>&& x) const override;
    double adopt(const Trial& trial, bool resumed) override;
    void renew(std::vector<double>&& weights) override;
    double penalty(const Trial&, const Trial&) const override { return 0; }
    double roughness_of(std::span<const double> x) const override {
        return unknowns_.roughness_of(x);
    }
    void reweight(std::span<const double>) override {}
    double first_weight() const override;
    void while_served(const std::function<void()>& work) override { work(); }
    std::vector<double> step(std::span<const double> x, std::span<const double> right,
                             double lambda, double damping) override;
    const Model& model() const override { return merged_; }
    void finish(std::span<const double> x, InversionResult& result) override;

    const LayeredMedium& medium() const { return medium_; }
    std::vector<std::string> statuses() const;
    /// What the picks say of the unknowns, with the prior weighed by `lambda`.
    std::vector<LayerDeviation> deviations(std::span<const double> x, double lambda) const;

  private:
    using Row = std::vector<std::pair<std::int32_t, double>>;
    struct Tried {
        LayeredMedium medium;
        std::vector<BranchRay> rays;
        std::vector<Row> rows;
    };
    LayerUnknowns unknowns_of() const;
    std::vector<double> normal_matrix() const;

    const LayeredMedium& start_;
    const PhasePicks& picks_;
    const LayerInversionOptions& options_;
    Execution execution_;
    int threads_;
    std::vector<double> errors_;
    std::vector<Branch> branches_;
    LayerUnknowns unknowns_;
    LayeredMedium medium_;
    Model merged_;
    std::optional<Tried> tried_;
    std::vector<BranchRay> rays_;  ///< of the present medium
    std::vector<Row> rows_;        ///< of the present medium, weighted
    bool is_start_ = true;
};

}  // namespace fermat
