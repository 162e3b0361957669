#include "tomography/joint/joint_forward.hpp"

#include <algorithm>
#include <utility>

#include "tomography/gauss_newton/predict.hpp"
#include "tomography/joint/moved_place.hpp"

namespace fermat {
namespace {

/// Bounds of S that stand to S velocities as those of P do to P.
VelocityBounds s_bounds(const Model& p, const Model& s, const VelocityBounds& bounds) {
    if (!bounds.bounded()) return bounds;
    std::vector<double> ratios;
    double slowest = std::numeric_limits<double>::infinity();
    double fastest = 0;
    for (std::size_t n = 0; n < p.given().size(); ++n) {
        const double v = s.given()[n];
        if (v == 0) continue;
        ratios.push_back(static_cast<double>(p.given()[n]) / v);
        slowest = std::min(slowest, v);
        fastest = std::max(fastest, v);
    }
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    constexpr double room = 1.1;
    return {std::min(bounds.low() / *middle, slowest / room),
            std::max(bounds.high() / *middle, room * fastest)};
}

}  // namespace

JointForward::JointForward(const Medium& medium, const Survey& picks, Index3 ratio,
                           const VelocityBounds& bounds, const RayOptions& rays, bool events_move)
    : phases_(phases_of(picks)),
      slots_(picks.arrivals.size(), 0),
      rays_(rays),
      turned_(events_move || picks.stations.size() < picks.events.size()),
      events_move_(events_move),
      place_(medium.place()) {
    Survey from_zero = picks;
    for (Arrival& pick : from_zero.arrivals) pick.time -= picks.event_of(pick).origin_time;
    for (Event& event : from_zero.events) event.origin_time = 0;
    from_zero.differences.clear();
    if (turned_) from_zero = exchanged(from_zero);
    for (std::size_t slot = 0; slot < phases_.size(); ++slot) {
        const Model& model = medium.of(phases_[slot]);
        parameters_.emplace_back(
            model, ratio, slot == 0 ? bounds : s_bounds(medium.of(phases_.front()), model, bounds));
        numbers_.push_back(arrivals_of(picks, phases_[slot]));
        parts_.push_back(subset(from_zero, numbers_.back()));
        for (const std::int32_t n : numbers_.back()) {
            slots_[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(slot);
        }
    }
}

std::vector<double> JointForward::slowness_of(std::size_t slot, std::span<const double> x,
                                              const JointLayout& layout) const {
    const auto velocity = layout.velocity_of(x);
    std::vector<double> y(velocity.begin(), velocity.end());
    if (slot == 0) return y;
    const auto ratio = layout.ratio_of(x);
    for (std::size_t u = 0; u < y.size(); ++u) y[u] += ratio[u];
    return y;
}

Survey JointForward::part(std::size_t slot, std::span<const double> x,
                          const JointLayout& layout) const {
    Survey out = parts_[slot];
    const auto shift = layout.events_of(x);
    for (std::size_t e = 0; events_move_ && e < layout.events; ++e) {
        const double* const own = &shift[event_unknowns * e];
        Vec3& place = out.stations[e].position;
        place = moved_place(place_, place, {own[0], own[1], own[2]});
    }
    return out;
}

PhaseModels JointForward::models_of(std::span<const double> x, const JointLayout& layout,
                                    int threads) const {
    PhaseModels models;
    for (std::size_t slot = 0; slot < phases_.size(); ++slot) {
        models.push_back(parameters_[slot].model_of(slowness_of(slot, x, layout), threads));
    }
    return models;
}

JointPrediction JointForward::predict(const PhaseModels& models, std::span<const double> x,
                                      const JointLayout& layout, const Execution& execution) const {
    JointPrediction out;
    double ray_seconds = 0;
    if (execution.ranks.is_root()) {
        out.time.resize(slots_.size());
        out.slope.resize(slots_.size());
    }
    for (std::size_t slot = 0; slot < phases_.size(); ++slot) {
        const std::vector<float> slopes =
            parameters_[slot].slopes_at(slowness_of(slot, x, layout), execution.threads);
        Prediction phase =
            fermat::predict(models[slot], part(slot, x, layout), parameters_[slot].unknowns(),
                            slopes, rays_, execution, {events_move_, true});
        const std::vector<std::int32_t>& numbers = numbers_[slot];
        for (std::size_t n = 0; n < phase.time.size(); ++n) {
            const auto pick = static_cast<std::size_t>(numbers[n]);
            out.time[pick] = phase.time[n];
            if (events_move_) out.slope[pick] = phase.receiver_slope[n];
        }
        for (RowLot& lot : phase.rows) {
            for (std::int32_t& n : lot.picks) n = numbers[static_cast<std::size_t>(n)];
            const auto first = static_cast<std::int32_t>(slot * layout.grid);
            for (std::int32_t& column : lot.rows.column) column += first;
            out.rows.push_back(std::move(lot));
        }
        out.crossings.push_back(std::move(phase.crossings));
        out.first_order_fields += phase.first_order_events;
        out.coarse_fields += phase.coarse_events;
        out.seconds += phase.seconds;
        ray_seconds += phase.seconds * phase.ray_fraction;
    }
    out.ray_fraction = out.seconds > 0 ? ray_seconds / out.seconds : 0;
    return out;
}

}  // namespace fermat
