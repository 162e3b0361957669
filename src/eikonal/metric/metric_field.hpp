#pragma once

#include <functional>
#include <memory>

#include "core/field.hpp"
#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/layered_times.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"

namespace fermat {

/// A solved first-arrival field of a model with a metric, T(q) = start_time + T0(q) tau(q), with T0
/// of MetricFactor. Points are in grid coordinates unless said otherwise. tau is infinite where no
/// wave arrives.
struct MetricField {
    Model model;  ///< shares the memory of the one that was solved
    MetricFactor factor;
    double start_time = 0;
    Field<float> tau;
    /// The time after `start_time` at points round a source beside jumps, where nodes are too far
    /// apart for values between them; infinite elsewhere. May be empty.
    std::function<double(Vec3)> near_source{};
    /// Times of the layers nearest to the model, to which the times between nodes are taken; or
    /// null.
    std::shared_ptr<const LayeredTimes> layers{};
    /// Times are of first order, because those of the second did not settle.
    bool first_order = false;
    /// Differences beside jumps are of first order, because others did not settle.
    bool coarse_beside_jumps = false;

    const Grid& grid() const { return model.grid(); }
    const Mapping& mapping() const { return model.mapping(); }
    /// tau alone, as a field whose values and gradients tau_at and tau_point interpolate.
    TimeFieldView<float> tau_view() const { return {grid(), {}, 0, tau.view()}; }
};

/// T at a point. Where velocity jumps on rows, kinks of T between nodes count (kinked_tau.hpp).
double time_at(const MetricField& field, Vec3 q);
/// T with tau multilinear between nodes, which is quicker.
double multilinear_time_at(const MetricField& field, Vec3 q);

/// T and its gradient with respect to grid coordinates; the gradient is zero at the source and
/// where no wave arrives.
TimePoint time_point(const MetricField& field, Vec3 q);

/// The gradient in the frame of the mapping: along x, y, z, or north, east and down. Its length is
/// the slowness in the direction of the wavefront's normal.
Vec3 frame_gradient(const MetricField& field, Vec3 q);

/// The group velocity with respect to grid coordinates, dq/dT = M grad T: the direction of the ray.
Vec3 group_velocity(const MetricField& field, Vec3 q, Vec3 gradient);

/// Takes tau of a field whose times are T_L tau to T0.
void to_straight_factor(MetricField& field, int threads);

void write_times(const MetricField& field, FieldView<float> times, int threads = 1);

}  // namespace fermat
