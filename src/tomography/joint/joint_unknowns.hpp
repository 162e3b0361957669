#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/joint/difference_rows.hpp"
#include "tomography/joint/event_blocks.hpp"
#include "tomography/joint/joint_forward.hpp"
#include "tomography/joint/joint_step.hpp"
#include "tomography/joint/station_terms.hpp"
#include "tomography/loop/normal_problem.hpp"

namespace fermat {

/// The unknowns of a joint inversion (see JointLayout): velocities of P and S, station terms and
/// hypocentres, with differences of times beside the picks.
class JointUnknowns : public NormalProblem {
  public:
    JointUnknowns(const Medium& start, const Survey& picks, const InversionOptions& options,
                  const Execution& execution);

    std::size_t size() const override { return layout_.size(); }
    std::vector<double> first() const override;
    const std::vector<double>& errors() const override { return plan_.errors; }
    PassCost predict(std::span<const double> x) override;
    Trial trial_of(std::vector<double>&& x) const override;
    double adopt(const Trial& trial, bool resumed) override;
    void renew(std::vector<double>&& weights) override;
    double penalty(const Trial& trial, const Trial& other) const override;
    double roughness_of(std::span<const double> x) const override {
        return step_.roughness_of(regularised(x));
    }
    void reweight(std::span<const double> x) override;
    double first_weight() const override {
        return much_weight(roughness_.kind()) * differences_.share_of_picks() * rows_->trace() /
               roughness_.trace();
    }
    double freedom(const std::vector<PickUse>& use) const override;
    std::vector<double> right_side(std::vector<double>&& residual) const override;
    bool still_falls() override;
    void while_served(const std::function<void()>& work) override {
        rows_->while_served(threads_, work);
    }
    std::vector<double> step(std::span<const double> x, std::span<const double> right,
                             double lambda, double damping) override;
    const Model& model() const override { return models_.front(); }
    void save(MethodState& state) const override;
    void take_up(const MethodState& state) override;
    void finish(std::span<const double> x, InversionResult& result) override;
    /// On all ranks, after finish(), where options ask for it; `lambda` made the model that was
    /// found.
    JointTrust find_trust(std::span<const double> x, double lambda);

  private:
    /// Models on trial, and what was found there.
    struct Tried {
        PhaseModels models;
        JointPrediction prediction;
    };

    std::vector<double> regularised(std::span<const double> x) const;
    std::vector<double> difference_residuals(std::span<const double> shift) const;
    void weigh_differences(const Trial& trial);

    const Survey& picks_;
    const InversionOptions& options_;
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    ProblemPlan plan_;
    bool moves_;
    DifferenceRows differences_;
    JointForward forward_;
    StationTerms terms_;
    JointLayout layout_;
    EventBlocks events_;
    Roughness roughness_;
    Roughness ratio_roughness_;
    JointStep step_;
    std::vector<double> offset_;
    PhaseModels models_;
    std::optional<Tried> tried_;
    bool is_start_ = true;             ///< no trial was adopted yet
    std::vector<bool> tried_bounded_;  ///< per event: held by a face or the ground in the last step
    std::vector<bool> bounded_;        ///< the same of the present model

    // Of the present model, on rank 0.
    std::vector<Vec3> slopes_;                          ///< dt/dx at the event, per pick
    std::vector<double> row_weights_;                   ///< on all ranks
    std::vector<std::vector<std::int32_t>> crossings_;  ///< on all ranks: see JointPrediction
    std::optional<DealtRows> rows_;                     ///< on all ranks
    std::int64_t first_order_fields_ = 0;
    std::int64_t coarse_fields_ = 0;
    KindNumbers differences_before_{not_known, not_known};  ///< RMS in the start
    KindNumbers differences_last_{not_known, not_known};    ///< in the last accepted model
};

}  // namespace fermat
