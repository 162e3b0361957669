#include "eikonal/adjoint/front_adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "eikonal/adjoint/cell_slowness.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/adjoint/node_scheme.hpp"
#include "eikonal/adjoint/receiver_hats.hpp"
#include "eikonal/front.hpp"

namespace fermat {
namespace {

/// From dJ/dw of the nodes, w = (T - start) / far, to slownesses and the times of the front.
template <int Dim, int Order>
void substitute_back(const AdjointSurvey& survey, const BasicTimeField<double>& field,
                     FieldView<const double> front, std::vector<double>& by_w, FrontGradient& out,
                     Monitor& monitor) {
    const Grid& grid = field.grid;
    const double far = field.factor.far;
    // The scheme of a front asks nothing of the starts of a point.
    const SourceStarts unused(survey.model(), survey.slowness(), field.factor.position);
    const NodeScheme<double, Dim, Order> scheme(field.view(), survey.slowness(), unused);
    const std::ptrdiff_t strides[3] = {static_cast<std::ptrdiff_t>(grid.shape.y) * grid.shape.z,
                                       grid.shape.z, 1};
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> starts;
    for (std::size_t n = 0; n < field.tau.size(); ++n) {
        if (!std::isfinite(field.tau[n])) continue;
        const double time = field.start_time + field.factor.slowness * far * field.tau[n];
        const bool given = std::isfinite(front[n]) && front[n] >= 0 &&
                           std::abs(time - front[n]) <= 1e-9 * (time - field.start_time);
        (given ? starts : order).push_back(static_cast<std::uint32_t>(n));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return field.tau[a] > field.tau[b]; });
    constexpr auto axes = EquationAxes<Dim>::of_grid();
    double largest = 0;
    for (const double value : by_w) largest = std::max(largest, std::abs(value));
    double left = largest;
    for (int pass = 0; pass < 50 && left > 1e-15 * largest; ++pass) {
        monitor.check();
        left = 0;
        for (const std::uint32_t n : order) {
            const double share = std::exchange(by_w[n], 0.0);
            if (share == 0) continue;
            left = std::max(left, std::abs(share));
            const auto single = scheme.single(n, scheme.index_of(n));
            if (!single.settled && pass == 0) ++out.unsettled;
            out.slowness[n] += share * single.by_slowness;
            for (int d = 0; d < Dim; ++d) {
                const AxisDerivative<double>& by = single.by.axis[d];
                const std::ptrdiff_t step =
                    by.from_low ? -strides[axes.axis[d]] : strides[axes.axis[d]];
                if (by.near != 0) by_w[n + static_cast<std::size_t>(step)] += share * by.near;
                if (by.far != 0) by_w[n + static_cast<std::size_t>(2 * step)] += share * by.far;
            }
        }
    }
    for (const std::uint32_t n : starts) out.times[n] += by_w[n] / far;
}

}  // namespace

FrontGradient front_adjoint(const Model& model, FieldView<const double> front,
                            std::vector<Vec3> receivers, const TimeDerivatives& by,
                            const EikonalOptions& options, const Execution& execution,
                            Notes& notes) {
    const AdjointSurvey survey(model, {}, {}, std::move(receivers), options);
    const auto field = solve_front<double>(model, front, options, execution.on(Device::cpu), notes);
    const Grid& grid = field.grid;
    const double far = field.factor.far;
    FrontGradient out;
    out.slowness = Field<double>(grid.shape, 0.0);
    out.times = Field<double>(grid.shape, 0.0);
    out.receivers.resize(survey.receivers().size());
    std::vector<double> by_w(field.tau.size());
    for (std::size_t n = 0; by.nodes.data() != nullptr && n < by_w.size(); ++n) {
        if (by.nodes[n] == 0 || !std::isfinite(field.tau[n])) continue;
        require_derivative(by.nodes[n], "node", n);
        by_w[n] += by.nodes[n] * far;
    }
    const ReceiverHats& hats = survey.hats();
    for (std::size_t r = 0; r < by.receivers.size(); ++r) {
        HatSum sum;
        for (std::size_t n = hats.begin()[r]; n < hats.begin()[r + 1]; ++n) {
            const ReceiverHat& hat = hats.hats()[n];
            sum.add(field.factor.slowness * field.tau[hats.nodes()[hat.slot]], hat.weight,
                    hat.gradient);
        }
        const HatValue w = sum.value();
        if (w.weights == 0) continue;
        require_derivative(by.receivers[r], "receiver", r);
        out.receivers[r] = (by.receivers[r] * far) * w.gradient;
        if (grid.is_2d()) out.receivers[r].y = 0;
        for (std::size_t n = hats.begin()[r]; n < hats.begin()[r + 1]; ++n) {
            const ReceiverHat& hat = hats.hats()[n];
            const std::size_t node = hats.nodes()[hat.slot];
            if (!std::isfinite(field.tau[node])) continue;
            by_w[node] += by.receivers[r] * far * hat.weight / w.weights;
        }
    }
    const auto run = [&]<int Dim, int Order>() {
        substitute_back<Dim, Order>(survey, field, front, by_w, out, execution.monitor);
    };
    if (grid.is_2d()) {
        options.order == 1 ? run.template operator()<2, 1>() : run.template operator()<2, 2>();
    } else {
        options.order == 1 ? run.template operator()<3, 1>() : run.template operator()<3, 2>();
    }
    if (model.cells()) out.slowness = by_cells(model, {}, out.slowness);
    return out;
}

}  // namespace fermat
