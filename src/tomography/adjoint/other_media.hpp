#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rays/event_tracer.hpp"
#include "tomography/adjoint/pick_gradient.hpp"

namespace fermat {

/// Passes over one event in media other than plain nodes and cells without jumps: by the adjoint of
/// metrics, or along rays where velocity jumps. Several threads may call it at once; what it is
/// made of must outlive it.
class OtherMedia {
  public:
    /// Whether a model needs it.
    static bool has(const Model& model);

    OtherMedia(const Model& model, const Survey& survey, const PullOfPick& pull,
               const EikonalOptions& options);

    /// Appends the times of picks of one event, not a number where no wave arrives, and adds their
    /// pull to `samples`.
    void pass_over(std::size_t event, std::span<const std::int32_t> picks,
                   std::vector<double>& times, std::vector<double>& samples) const;

    bool goes_by_rays() const { return tracer_.has_value(); }
    /// The same for a lot of events on a CUDA device; not by rays.
    void pass_on_cuda(std::span<const std::vector<std::int32_t>> lists, std::size_t first_event,
                      std::vector<double>& times, std::vector<double>& samples) const;

  private:
    void by_adjoint(const PointSource& source, std::span<const std::int32_t> picks,
                    std::vector<double>& times, std::vector<double>& samples) const;
    void by_rays(const PointSource& source, std::span<const std::int32_t> picks,
                 std::vector<double>& times, std::vector<double>& samples) const;

    const Model& model_;
    const Survey& survey_;
    const PullOfPick& pull_;
    RayOptions options_;
    std::optional<EventTracer> tracer_;  ///< where velocity jumps
};

}  // namespace fermat
