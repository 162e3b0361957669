#include "tomography/joint/joint_trust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random_stream.hpp"
#include "tomography/trust/lattices.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

class JointSampler {
  public:
    JointSampler(JointStep& step, const JointProblem& problem, const JointTrustOptions& options,
                 Monitor& monitor)
        : step_(step),
          problem_(problem),
          layout_(problem.parts.layout),
          options_(options),
          monitor_(monitor) {}

    JointTrust run() {
        if (options_.resolution) {
            if (layout_.finds_velocity) out_.resolution = probe(0);
            if (layout_.finds_ratio) out_.ratio_resolution = probe(layout_.grid);
        }
        if (options_.deviation) sample();
        return std::move(out_);
    }

  private:
    Vector solve(const Vector& right) {
        SolveLimits limits{1e-4, 1000};
        limits.monitor = &monitor_;
        LinearSolution found =
            step_.solve_right(problem_.rows, problem_.row_weights, right, problem_.lambda, limits);
        ++out_.solves;
        out_.unfinished += found.converged ? 0 : 1;
        return std::move(found.d);
    }

    /// Resolution of the unknowns from `first` on, on the samples of the model.
    Field<float> probe(std::size_t first) {
        const Unknowns& unknowns = problem_.parts.unknowns;
        const auto& places = unknowns.places();
        const Lattices lattices(unknowns, options_.solves);
        Vector found(layout_.grid, 0.0);
        monitor_.begin("resolution", lattices.count());
        for (int number = 0; number < lattices.count(); ++number) {
            RandomStream random(options_.seed, static_cast<std::uint64_t>(number));
            Vector probe(layout_.size(), 0.0);
            for (std::size_t u = 0; u < places.size(); ++u) {
                const double sign = random.sign();
                if (lattices.set_of(places[u]) == number) probe[first + u] = sign;
            }
            const Vector seen = solve(
                step_.seen_by_picks(problem_.rows, problem_.row_weights, probe, problem_.lambda));
            for (std::size_t u = 0; u < places.size(); ++u) {
                const double sign = probe[first + u];
                if (sign != 0) found[u] = std::clamp(sign * seen[first + u], 0.0, 1.0);
            }
            monitor_.advance();
        }
        monitor_.end();
        const auto velocity = problem_.models.front().given();
        Field<float> field(velocity.shape(), 0.0F);
        for (std::size_t s = 0; s < velocity.size(); ++s) {
            if (velocity[s] != 0) field[s] = static_cast<float>(on_sample(found, s));
        }
        return field;
    }

    double on_sample(std::span<const double> values, std::size_t sample) const {
        double sum = 0;
        problem_.parts.unknowns.for_each_of_sample(
            sample, [&](std::size_t u, double weight) { sum += weight * values[u]; });
        return sum;
    }

    Vector posterior_right(std::int64_t number) const {
        // Streams of their own, away from those of the probes.
        constexpr std::uint64_t streams = 1ULL << 40;
        RandomStream random(options_.seed, streams + static_cast<std::uint64_t>(number));
        Vector right =
            step_.noise_right(problem_.rows, problem_.row_weights, random, problem_.lambda);
        const JointParts& parts = problem_.parts;
        const auto add_rough = [&](const Roughness& roughness, std::size_t first, double weight) {
            Vector rough(layout_.grid);
            roughness.apply_root(random.normals(4 * layout_.grid), rough);
            for (std::size_t u = 0; u < rough.size(); ++u) {
                right[first + u] += std::sqrt(weight) * rough[u];
            }
        };
        add_rough(parts.velocity_roughness, 0, problem_.lambda);
        if (layout_.has_ratio) {
            add_rough(parts.ratio_roughness, layout_.grid, problem_.lambda * parts.ratio_weight);
        }
        for (std::size_t t = layout_.velocities(); t < layout_.solved(); ++t) {
            right[t] += random.normal();
        }
        parts.events.add_belief_noise(random.normals(event_unknowns * layout_.events),
                                      std::span(right).subspan(layout_.solved()));
        return right;
    }

    void sample() {
        const auto velocity = problem_.models.front().given();
        Vector of_p(velocity.size(), 0.0), of_s(of_p), of_ratio(of_p);
        out_.events.assign(layout_.events, EventCovariance{});
        // ln slowness of a phase changes by its slope times the change of its unknowns.
        Vector y(layout_.grid);
        monitor_.begin("deviation", options_.solves);
        for (int number = 0; number < options_.solves; ++number) {
            const Vector d = solve(posterior_right(number));
            const auto velocities = layout_.velocity_of(d);
            if (layout_.has_ratio) {
                for (std::size_t u = 0; u < y.size(); ++u) {
                    y[u] = velocities[u] + layout_.ratio_of(d)[u];
                }
            }
            for (std::size_t s = 0; s < velocity.size(); ++s) {
                if (velocity[s] == 0) continue;
                const double p = slope(0, s) * on_sample(velocities, s);
                of_p[s] += p * p;
                if (!layout_.has_ratio) continue;
                const double other = slope(1, s) * on_sample(y, s);
                of_s[s] += other * other;
                of_ratio[s] += (other - p) * (other - p);
            }
            add_events(layout_.events_of(d));
            monitor_.advance();
        }
        monitor_.end();
        put(of_p, out_.deviation, [&](std::size_t s) { return velocity[s]; });
        if (!layout_.has_ratio) return;
        const auto s_velocity = problem_.models.back().given();
        put(of_s, out_.s_deviation, [&](std::size_t s) { return s_velocity[s]; });
        put(of_ratio, out_.ratio_deviation,
            [&](std::size_t s) { return velocity[s] / s_velocity[s]; });
    }

    double slope(std::size_t slot, std::size_t sample) {
        Vector& slopes = slopes_[slot];
        if (slopes.empty()) {
            const Vector y = problem_.forward.slowness_of(slot, problem_.x, layout_);
            const Parameters& parameters = problem_.forward.parameters(slot);
            for (std::size_t s = 0; s < problem_.models[slot].given().size(); ++s) {
                slopes.push_back(parameters.log_slope_at(y, s));
            }
        }
        return slopes[sample];
    }

    void add_events(std::span<const double> s) {
        const EventBlocks& events = problem_.parts.events;
        const auto shift = layout_.events_of(problem_.x);
        for (std::size_t e = 0; e < layout_.events; ++e) {
            const double* const moved = &shift[event_unknowns * e];
            const Vec3 lengths = events.place().mapping().flat_lengths(
                events.given_place(e) + Vec3{moved[0], moved[1], moved[2]});
            EventVector own;
            std::copy_n(&s[event_unknowns * e], event_unknowns, own.begin());
            for (int axis = 0; axis < 3; ++axis)
                own[static_cast<std::size_t>(axis)] *= lengths[axis];
            std::size_t at = 0;
            for (std::size_t i = 0; i < event_unknowns; ++i) {
                for (std::size_t j = i; j < event_unknowns; ++j) {
                    out_.events[e][at++] += own[i] * own[j] / options_.solves;
                }
            }
        }
    }

    template <class Value>
    void put(const Vector& squares, Field<float>& field, Value value) const {
        const auto velocity = problem_.models.front().given();
        field = Field<float>(velocity.shape(), std::numeric_limits<float>::quiet_NaN());
        for (std::size_t s = 0; s < squares.size(); ++s) {
            if (velocity[s] == 0) continue;
            field[s] = static_cast<float>(static_cast<double>(value(s)) *
                                          std::sqrt(squares[s] / options_.solves));
        }
    }

    JointStep& step_;
    const JointProblem& problem_;
    const JointLayout& layout_;
    const JointTrustOptions& options_;
    Monitor& monitor_;
    std::array<Vector, 2> slopes_;
    JointTrust out_;
};

}  // namespace

JointTrust joint_trust(JointStep& step, const JointProblem& problem,
                       const JointTrustOptions& options, Monitor& monitor) {
    return JointSampler(step, problem, options, monitor).run();
}

}  // namespace fermat
