#pragma once

#include <cstdint>
#include <optional>

#include "core/execution.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"
#include "times/times.hpp"

namespace fermat {

/// What the rays of one event took.
struct EventWork {
    double field_seconds = 0;          ///< of its field; bent rays need none
    bool first_order = false;          ///< as MetricField has it
    bool coarse_beside_jumps = false;  ///< as MetricField has it
};

/// Traces the rays of one event at a time on the CPU, by any tracer. What all events share, the
/// solver of their fields, is made once. Several threads may call it at once; the model and the
/// options must outlive it. Points are in the coordinates of users.
class EventTracer {
  public:
    /// Throws InputError for a tracer that does not know the model, and where fields are not whole.
    EventTracer(const Model& model, const RayOptions& options, const Execution& execution);

    /// Rays of a source to listeners, in their order and with the numbers given. A source in air
    /// gives rays with a status.
    RaySet trace(const PointSource& source, std::int32_t event, const Listeners& to,
                 const Execution& execution, EventWork* work = nullptr) const;
    /// Adds what is to be told of the fields so far.
    void tell(Notes& notes) const;

  private:
    const Model& model_;
    const RayOptions& options_;
    std::optional<TimeSolver> solver_;  ///< none for bent rays
};

/// Rays of an event that lies in air: each is its receiver alone.
RaySet rays_of_dead_event(std::int32_t event, const Listeners& to);

/// Bends the rays of a survey. The tracer named by a start makes its seeds.
void bend_survey(const Model& model, const Survey& survey, const RayOptions& options,
                 const Execution& execution, const std::function<void(RaySet&&)>& consume);

}  // namespace fermat
