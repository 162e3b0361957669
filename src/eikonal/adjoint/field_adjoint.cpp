#include "eikonal/adjoint/field_adjoint.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/back_substitution.hpp"
#include "eikonal/adjoint/node_scheme.hpp"
#include "eikonal/adjoint/receiver_hats.hpp"
#include "eikonal/adjoint/source_starts.hpp"

namespace fermat {
namespace {

/// What J asks of the nodes, dJ/dw, and what it says of source and receivers at once.
template <class Real>
class Asked {
  public:
    Asked(const BasicTimeField<Real>& field, FieldAdjoint& out)
        : field_(field), out_(out), by_w(field.tau.size(), 0.0) {}

    void at_nodes(FieldView<const double> by_time) {
        const Grid& grid = field_.grid;
        if (by_time.shape() != grid.shape) {
            throw InputError(fmt::format("derivatives by times have shape {} (must be {} nodes)",
                                         to_string(by_time.shape()), to_string(grid.shape)));
        }
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < grid.shape.z; ++k) {
                    const Index3 node{i, j, k};
                    const std::size_t n = grid.shape.offset(node);
                    const double tau = field_.tau[n];
                    const double by = by_time[n];
                    if (by == 0 || !std::isfinite(tau)) continue;
                    require_derivative(by, "node", n);
                    out_.start_time += by;
                    const Vec3 x = field_.factor.from_source(grid.position(node));
                    const double r = norm(x);
                    if (r == 0) continue;
                    by_w[n] += by * r;
                    out_.source = out_.source - (by * field_.factor.slowness * tau / r) * x;
                }
            }
        }
    }

    void at_receivers(const ReceiverHats& hats, std::span<const double> by_time) {
        if (by_time.size() != hats.receivers()) {
            throw InputError(fmt::format(
                "there are {} derivatives by times at receivers (must be {}, one per receiver)",
                by_time.size(), hats.receivers()));
        }
        out_.receivers.resize(by_time.size());
        const std::span<const std::size_t> nodes = hats.nodes();
        for (std::size_t m = 0; m < by_time.size(); ++m) {
            if (by_time[m] == 0) continue;
            const ReceiverPull pull = hats.pull(
                m, by_time[m], field_.factor,
                [&](std::size_t slot) { return field_.tau[nodes[slot]]; },
                [&](std::size_t slot, double value) { by_w[nodes[slot]] += value; });
            if (!pull.arrives) continue;
            require_derivative(by_time[m], "receiver", m);
            out_.start_time += by_time[m];
            out_.source = out_.source + pull.source;
            out_.receivers[m] = pull.receiver;
        }
    }

  private:
    const BasicTimeField<Real>& field_;
    FieldAdjoint& out_;

  public:
    std::vector<double> by_w;
};

/// From dJ/dw that J asks of the nodes to the slownesses and the source's position.
template <int Dim, int Order, class Real>
void substitute(const AdjointSurvey& survey, const SourceStarts& starts,
                const BasicTimeField<Real>& field, std::vector<double>& by_w, FieldAdjoint& out,
                FieldView<double> by_slowness, const Execution& execution) {
    const NodeSlowness& slowness = survey.slowness();
    const NodeScheme<Real, Dim, Order> scheme(field.view(), slowness, starts);
    const EquationWeights<Real, Dim, Order> weights(field.view(), slowness, starts,
                                                    resolve_threads(execution.threads));
    const Shape shape = field.grid.shape;
    BackSubstitution<Real, Dim, Order>(scheme, weights, by_w, shape)
        .run(causal_times(field.view()), execution.monitor);
    std::size_t node = 0;
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k, ++node) {
                const double by = by_w[node];
                if (by == 0) continue;
                if (weights.is_single(node)) {
                    const bool settled = scheme.conclude(
                        node, by, out.source,
                        [&](std::size_t other, double part) { by_slowness[other] += part; });
                    out.unsettled += settled ? 0 : 1;
                    continue;
                }
                const auto& own = weights.at(node);
                const auto by_s = static_cast<double>(own.slowness);
                by_slowness[node] += by * by_s;
                out.unsettled += weights.is_unsettled(node) ? 1 : 0;
                const auto part = [&](int d) {
                    const auto size = static_cast<double>(own.part[d]);
                    return weights.from_low(node, d) ? size : -size;
                };
                out.source = out.source + by * scheme.source_slope({i, j, k}, field.tau[node],
                                                                   slowness[node], by_s, part);
            }
        }
    }
}

}  // namespace

void require_derivative(double value, const char* where, std::size_t number) {
    if (std::isfinite(value)) return;
    throw InputError(fmt::format(
        "the derivative by the time at {} {} is {} (must be finite where a wave arrives)", where,
        number, value));
}

template <class Real>
FieldAdjoint field_adjoint(const AdjointSurvey& survey, std::size_t source,
                           const BasicTimeField<Real>& field, const TimeDerivatives& derivatives,
                           FieldView<double> by_slowness, const Execution& execution) {
    FieldAdjoint out;
    Asked<Real> asked(field, out);
    if (derivatives.nodes.data() != nullptr) asked.at_nodes(derivatives.nodes);
    if (!derivatives.receivers.empty()) {
        asked.at_receivers(survey.hats(), derivatives.receivers);
    }
    const SourceStarts starts(survey.model(), survey.slowness(), survey.sources()[source].position);
    const auto run = [&]<int Dim, int Order>() {
        substitute<Dim, Order>(survey, starts, field, asked.by_w, out, by_slowness, execution);
    };
    const bool first_order = survey.options().order == 1;
    if (field.grid.is_2d()) {
        first_order ? run.template operator()<2, 1>() : run.template operator()<2, 2>();
        out.source.y = 0;
        for (Vec3& receiver : out.receivers) receiver.y = 0;
    } else {
        first_order ? run.template operator()<3, 1>() : run.template operator()<3, 2>();
    }
    return out;
}

template FieldAdjoint field_adjoint(const AdjointSurvey&, std::size_t, const TimeField&,
                                    const TimeDerivatives&, FieldView<double>, const Execution&);
template FieldAdjoint field_adjoint(const AdjointSurvey&, std::size_t,
                                    const BasicTimeField<double>&, const TimeDerivatives&,
                                    FieldView<double>, const Execution&);

}  // namespace fermat
