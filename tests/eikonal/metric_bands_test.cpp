// Runs the fields and adjoints of metrics of the GPU on the host: the same bands, passes and
// arithmetic, lane by lane, against those of the CPU.
#include "eikonal/adjoint/metric_bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/block.hpp"
#include "eikonal/adjoint/metric_adjoint.hpp"
#include "eikonal/adjoint/metric_equations.hpp"
#include "eikonal/adjoint/metric_starts.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"
#include "metric_cases.hpp"

namespace fermat {
namespace {

using test::MetricCase;
using test::on_cpu;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The work of CudaMetricAdjoint.
class HostBands {
  public:
    HostBands(const Model& model, const PointSource& source, int order, LaneOrder lanes)
        : model_(model),
          slowness_(model),
          equations_(model, slowness_, order, 1),
          place_(model.place().inside(source.position, "source")),
          factor_(exact_factor(model, slowness_, place_)),
          t0_(equations_.factor_nodes(factor_, 1)),
          starts_(metric_starts(model, slowness_, place_)),
          lanes_(lanes),
          count_(model.grid().node_count()),
          stale_(count_, 1),
          fresh_(count_),
          visits_(count_),
          next_(count_),
          band_(count_),
          tau(count_),
          branch_(count_),
          asked(count_),
          by_tau(count_) {
        const MetricSolver solver(model, {Solver::fim, order}, on_cpu());
        const MetricField first = solver.solve(source, on_cpu());
        for (std::size_t n = 0; n < count_; ++n) {
            tau[n] = first.tau[n] < reached_limit<float> ? first.tau[n] : infinite;
        }
        for (const MetricStart& start : starts_) {
            const double t0 = t0_.t0[start.node];
            tau[start.node] = t0 > 0 ? start.time / t0 : 1;
        }
        make_bands();
    }

    int carry_on() {
        least_.assign(3, static_cast<unsigned>(bands_.count));
        return relax_in_bands(HostBlock(lanes_), forward(), 100000);
    }
    double visits_per_node() const {
        return std::accumulate(visits_.begin(), visits_.end(), 0.0) / static_cast<double>(count_);
    }
    int unsettled() {
        int out = 0;
        for (auto& pull : pull_) pull.assign(count_, 0);
        double* const to[3] = {pull_[0].data(), pull_[1].data(), pull_[2].data()};
        for (const std::uint32_t n : nodes_) out += weigh_metric_node(forward(), n, to) ? 0 : 1;
        return out;
    }
    int pass_back() {
        for (std::size_t n = 0; n < count_; ++n) {
            stale_[n] = asked[n] != 0 && band_[n] != MetricBands::no_band;
        }
        std::fill(visits_.begin(), visits_.end(), std::uint16_t{0});
        least_.assign(3, static_cast<unsigned>(bands_.count));
        return relax_in_bands(HostBlock(lanes_), backward(), 100000);
    }
    /// dJ by slowness, from dJ by the times of nodes.
    AdjointGradient gradient(const Field<double>& by_times, AdjointGradient sum) {
        const MetricNodes& nodes = equations_.nodes();
        std::vector<double> by_t0(count_);
        std::vector<Vec3> by_gamma(count_);
        for (std::size_t n = 0; n < count_; ++n) {
            if (std::isfinite(tau[n])) by_t0[n] = by_times[n] * tau[n];
        }
        for (const std::uint32_t n : nodes_) {
            const OctantBranch held = OctantBranch::unpacked(branch_[n]);
            const MetricSolution found =
                solve_metric_node(nodes, t0_.view(), tau.data(), nodes.index_of(n), &held);
            if (!(found.octant.per > 0)) continue;
            const NodePull pull = pull_of_node(nodes, t0_.view(), found, n, by_tau[n]);
            sum.slowness[n] += pull.slowness;
            by_t0[n] += pull.t0;
            by_gamma[n] = pull.gamma;
        }
        MetricFactorPull pull;
        for (const MetricStart& start : starts_) {
            const double t0 = t0_.t0[start.node];
            if (t0 == 0) continue;
            const double by_time = backward().gathered(start.node).sum / t0;
            by_t0[start.node] -= by_time * tau[start.node];
            add_start(model_, slowness_, place_, start, by_time, sum);
        }
        pull.nodes = [&](const MetricFactor& low, const MetricFactor& high) {
            const MetricFactorNodes a = equations_.factor_nodes(low, 1);
            const MetricFactorNodes b = equations_.factor_nodes(high, 1);
            double share = 0;
            for (std::size_t n = 0; n < count_; ++n) {
                share += by_t0[n] * (b.t0[n] - a.t0[n]) + dot(by_gamma[n], b.gamma[n] - a.gamma[n]);
            }
            return share;
        };
        if (!model_.is_isotropic()) add_factor_shape(model_, slowness_, factor_, pull, sum);
        return sum;
    }
    const std::vector<double>& t0() const { return t0_.t0; }

  private:
    MetricForward forward() {
        return {equations_.nodes(), t0_.view(), bands_, marks(), tau.data(), branch_.data()};
    }
    MetricBackward backward() {
        return {equations_.nodes(),
                bands_,
                marks(),
                branch_.data(),
                {pull_[0].data(), pull_[1].data(), pull_[2].data()},
                asked.data(),
                by_tau.data()};
    }
    MetricMarks marks() {
        return {stale_.data(), fresh_.data(), visits_.data(), next_.data(), least_.data()};
    }
    void make_bands() {
        bands_.count = MetricBands::count_for(model_.grid().shape);
        double latest = 0;
        for (std::size_t n = 0; n < count_; ++n) {
            const double time = t0_.t0[n] * tau[n];
            if (std::isfinite(time)) latest = std::max(latest, time);
        }
        for (std::size_t n = 0; n < count_; ++n) {
            const bool solves = t0_.t0[n] > 0 && std::isfinite(tau[n]);
            band_[n] = static_cast<std::uint16_t>(
                solves ? MetricBands::of(t0_.t0[n] * tau[n] / latest, bands_.count)
                       : MetricBands::no_band);
        }
        for (const MetricStart& start : starts_) band_[start.node] = MetricBands::no_band;
        for (int b = 0; b < bands_.count; ++b) {
            begin_.push_back(static_cast<std::uint32_t>(nodes_.size()));
            for (std::size_t n = 0; n < count_; ++n) {
                if (band_[n] == b) nodes_.push_back(static_cast<std::uint32_t>(n));
            }
        }
        begin_.push_back(static_cast<std::uint32_t>(nodes_.size()));
        bands_.nodes = nodes_.data();
        bands_.begin = begin_.data();
        bands_.band = band_.data();
    }

    const Model& model_;
    NodeSlowness slowness_;
    MetricEquations equations_;
    Vec3 place_;
    MetricFactor factor_;
    MetricFactorNodes t0_;
    std::vector<MetricStart> starts_;
    LaneOrder lanes_;
    std::size_t count_;
    MetricBands bands_;
    std::vector<std::uint32_t> nodes_;
    std::vector<std::uint32_t> begin_;
    std::vector<unsigned char> stale_;
    std::vector<unsigned char> fresh_;
    std::vector<std::uint16_t> visits_;
    std::vector<double> next_;
    std::vector<std::uint16_t> band_;
    std::vector<unsigned> least_;
    std::vector<double> pull_[3];

  public:
    std::vector<double> tau;

  private:
    std::vector<unsigned char> branch_;

  public:
    std::vector<double> asked;
    std::vector<double> by_tau;
};

void expect_as_on_cpu(const MetricCase& c, int order) {
    const Model model = test::model_of(c);
    const MetricTimes times(model, {}, {c.source}, {}, {Solver::fim, order}, on_cpu());
    const auto field = times.solve(0, on_cpu());
    Field<double> wanted(c.grid.shape);
    times.write_times(*field, wanted);
    HostBands bands(model, c.source, order, LaneOrder::forward);
    HostBands turned(model, c.source, order, LaneOrder::backward);
    const int passes = bands.carry_on();
    EXPECT_EQ(turned.carry_on(), passes);
    EXPECT_EQ(bands.tau, turned.tau);
    testing::Test::RecordProperty("passes", passes);
    testing::Test::RecordProperty("visits", std::to_string(bands.visits_per_node()));
    EXPECT_EQ(bands.unsettled(), 0);
    turned.unsettled();
    for (std::size_t n = 0; n < wanted.size(); ++n) {
        const double time = bands.tau[n] * bands.t0()[n];
        if (std::isfinite(wanted[n])) {
            ASSERT_NEAR(time, wanted[n], 1e-12 * wanted[n]) << n;
        } else {
            ASSERT_EQ(time, wanted[n]) << n;
        }
    }
    const Field<float> pull = test::relief(c.grid.shape, 0, 1, 9);
    Field<double> by_times(c.grid.shape);
    for (std::size_t n = 0; n < pull.size(); ++n) {
        by_times[n] = pull[n];
        if (!std::isfinite(bands.tau[n])) continue;
        bands.asked[n] = turned.asked[n] = by_times[n] * bands.t0()[n];
    }
    const auto derive = [&](std::size_t, const MetricTimes::Solved&) {
        return TimeDerivatives{by_times, {}};
    };
    const AdjointGradient cpu = times.gradient({}, derive, false, on_cpu());
    testing::Test::RecordProperty("passes back", bands.pass_back());
    turned.pass_back();
    EXPECT_EQ(bands.by_tau, turned.by_tau);
    const AdjointGradient found = bands.gradient(by_times, times.nothing());
    double size = 0;
    for (const double value : cpu.slowness) size = std::max(size, std::abs(value));
    for (std::size_t n = 0; n < pull.size(); ++n) {
        ASSERT_NEAR(found.slowness[n], cpu.slowness[n], 1e-10 * size) << n;
    }
}

TEST(MetricBands, AreThoseOfTheCpuOnASphere) {
    for (const int order : {1, 2}) expect_as_on_cpu(test::sphere(), order);
}

TEST(MetricBands, AreThoseOfTheCpuBelowAHill) {
    for (const int order : {1, 2}) expect_as_on_cpu(test::hill(), order);
}

TEST(MetricBands, AreThoseOfTheCpuRoundATunnel) {
    for (const int order : {1, 2}) expect_as_on_cpu(test::tunnel(), order);
}

TEST(MetricBands, AreThoseOfTheCpuInThomsensMedium) {
    for (const int order : {1, 2}) {
        expect_as_on_cpu(test::flat_thomsen(), order);
    }
    expect_as_on_cpu(test::solid_thomsen(true), 2);
}

TEST(MetricBands, AreThoseOfTheCpuWhereAxesCouple) {
    for (const int order : {1, 2}) expect_as_on_cpu(test::solid_tensor(), order);
}

}  // namespace
}  // namespace fermat
