#include "eikonal/adjoint/field_adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    Asked(const BasicTimeField<Real>& field, AdjointSpace& space, FieldAdjoint& out)
        : field_(field), out_(out), by_w_(space.room_for(field.tau.size() + back_spare)) {}

    double* by_w() const { return by_w_; }
    /// Not less than the largest of by_w.
    double largest() const { return largest_; }

    void nothing() { std::fill_n(by_w(), field_.tau.size() + back_spare, 0.0); }

    void at_nodes(FieldView<const double> by_time) {
        const Grid& grid = field_.grid;
        if (by_time.shape() != grid.shape) {
            throw InputError(fmt::format("derivatives by times have shape {} (must be {} nodes)",
                                         to_string(by_time.shape()), to_string(grid.shape)));
        }
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) at_line(by_time, i, j);
        }
        std::fill_n(by_w() + field_.tau.size(), back_spare, 0.0);
        if (std::isfinite(out_.start_time)) return;
        for (std::size_t n = 0; n < by_time.size(); ++n) {
            if (std::isfinite(field_.tau[n])) require_derivative(by_time[n], "node", n);
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
                [&](std::size_t slot, double value) {
                    by_w_[nodes[slot]] += value;
                    largest_ = std::max(largest_, std::abs(by_w_[nodes[slot]]));
                });
            if (!pull.arrives) continue;
            require_derivative(by_time[m], "receiver", m);
            out_.start_time += by_time[m];
            out_.source = out_.source + pull.source;
            out_.receivers[m] = pull.receiver;
        }
    }

  private:
    using V = Lanes<Real>;
    using Wide = Lanes<double>;
    static constexpr int lanes = lane_count<Real>;
    static constexpr int wide_lanes = lane_count<double>;

    /// A register of nodes at a time.
    void at_line(FieldView<const double> by_time, int i, int j) {
        const Grid& grid = field_.grid;
        const Vec3 first = field_.factor.from_source(grid.position({i, j, 0}));
        const auto h = static_cast<Real>(grid.spacing_along(2));
        const auto z_first = static_cast<Real>(first.z);
        const auto across2 = static_cast<Real>(first.x * first.x + first.y * first.y);
        const std::size_t line = grid.shape.offset(i, j, 0);
        V count{};
        for (int lane = 0; lane < lanes; ++lane) count[lane] = static_cast<Real>(lane);
        const V none{};
        Wide most{};
        Wide sum{};
        Wide pull{};
        Wide pull_z{};
        for (int k = 0; k < grid.shape.z; k += lanes) {
            const std::size_t n = line + static_cast<std::size_t>(k);
            const int used = std::min(lanes, grid.shape.z - k);
            const double* by = by_time.data() + n;
            const Real* held = field_.tau.data() + n;
            double* asked = by_w_ + n;
            alignas(64) double last_by[lanes] = {};
            alignas(64) double last_asked[lanes];
            alignas(64) Real last_held[lanes] = {};
            if (used < lanes) {
                by = std::copy_n(by, used, last_by) - used;
                held = std::copy_n(held, used, last_held) - used;
                asked = last_asked;
            }
            const V tau = load(held);
            const V z = z_first + (static_cast<Real>(k) + count) * h;
            const V r2 = across2 + z * z;
            const V inverse_r = 1 / root(r2);
            const auto reached = tau < reached_limit<Real>;
            const auto apart = reached & (r2 > 0);
            const V slope = apart ? tau * inverse_r : none;
            alignas(64) Real parts[3][lanes];
            store(parts[0], apart ? r2 * inverse_r : none);
            store(parts[1], slope);
            store(parts[2], slope * z);
            const std::uint32_t arrives = lane_bits(reached);
            for (int w = 0; w < lanes; w += wide_lanes) {
                const auto there = detail::lanes_of<decltype(Wide{} < Wide{})>(arrives >> w);
                const Wide wanted = there ? load(by + w) : Wide{};
                const Wide value = wanted * detail::widened(parts[0] + w);
                store(asked + w, value);
                sum += wanted;
                pull += wanted * detail::widened(parts[1] + w);
                pull_z += wanted * detail::widened(parts[2] + w);
                const Wide size = detail::size_of(value);
                most = size > most ? size : most;
            }
            if (used < lanes) std::copy_n(last_asked, used, by_w_ + n);
        }
        const double s0 = field_.factor.slowness;
        for (int lane = 0; lane < wide_lanes; ++lane) {
            largest_ = std::max(largest_, most[lane]);
            out_.start_time += sum[lane];
            out_.source.x -= s0 * first.x * pull[lane];
            out_.source.y -= s0 * first.y * pull[lane];
            out_.source.z -= s0 * pull_z[lane];
        }
    }

    const BasicTimeField<Real>& field_;
    FieldAdjoint& out_;
    double* by_w_;
    double largest_ = 0;
};

/// From dJ/dw that J asks of the nodes to the slownesses and the source's position.
template <int Dim, int Order, class Real>
void substitute(const AdjointSurvey& survey, const SourceStarts& starts,
                const BasicTimeField<Real>& field, const Asked<Real>& asked, FieldAdjoint& out,
                FieldView<double> by_slowness, const Execution& execution) {
    double* const by_w = asked.by_w();
    const NodeSlowness& slowness = survey.slowness();
    const NodeScheme<Real, Dim, Order> scheme(field.view(), slowness, starts);
    BackSubstitution<Real, Dim, Order> back(field.view(), slowness, starts, scheme, by_w,
                                            by_slowness.data());
    const BackSum sum = back.run(asked.largest(), execution.monitor);
    out.source = out.source + sum.source;
    out.unsettled += static_cast<std::int64_t>(sum.unsettled.size());
    for (const std::size_t node : starts.nodes()) {
        if (by_w[node] == 0) continue;
        scheme.conclude_start(node, by_w[node], out.source,
                              [&](std::size_t other, double part) { by_slowness[other] += part; });
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
                           FieldView<double> by_slowness, AdjointSpace& space,
                           const Execution& execution) {
    FieldAdjoint out;
    Asked<Real> asked(field, space, out);
    derivatives.nodes.data() != nullptr ? asked.at_nodes(derivatives.nodes) : asked.nothing();
    if (!derivatives.receivers.empty()) {
        asked.at_receivers(survey.hats(), derivatives.receivers);
    }
    const SourceStarts starts(survey.model(), survey.slowness(), survey.sources()[source].position);
    const auto run = [&]<int Dim, int Order>() {
        substitute<Dim, Order>(survey, starts, field, asked, out, by_slowness, execution);
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
                                    const TimeDerivatives&, FieldView<double>, AdjointSpace&,
                                    const Execution&);
template FieldAdjoint field_adjoint(const AdjointSurvey&, std::size_t,
                                    const BasicTimeField<double>&, const TimeDerivatives&,
                                    FieldView<double>, AdjointSpace&, const Execution&);

}  // namespace fermat
