#include "tomography/trust/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/bytes.hpp"
#include "core/deal.hpp"
#include "core/device_team.hpp"
#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "core/parallel.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/trust/ensemble_sums.hpp"
#include "tomography/trust/linear_problem.hpp"
#include "tomography/trust/resample.hpp"
#include "tomography/trust/trust.hpp"

namespace fermat {
namespace {

std::vector<float> values_of(const Field<float>& field) { return {field.begin(), field.end()}; }

Field<float> field_of(const std::vector<float>& values, Shape shape) {
    if (values.empty()) return {};
    Field<float> field(shape);
    std::copy(values.begin(), values.end(), field.begin());
    return field;
}

Bytes packed(const EnsembleMember& member) {
    ByteWriter out;
    out.add(values_of(member.velocity));
    out.add(values_of(member.weight));
    out.add(member.rms);
    out.add(member.chi2);
    out.add(member.picks);
    out.add(member.iterations);
    return out.take();
}

EnsembleMember unpacked(const Bytes& bytes, Shape shape) {
    ByteReader in(bytes);
    EnsembleMember member;
    member.velocity = field_of(in.take_vector<float>(), shape);
    member.weight = field_of(in.take_vector<float>(), shape);
    member.rms = in.take<double>();
    member.chi2 = in.take<double>();
    member.picks = in.take<std::int64_t>();
    member.iterations = in.take<int>();
    return member;
}

/// Rays round each sample, spread over the spacing of the unknowns; a little everywhere.
Field<float> coverage_weight(const Model& model, FieldView<const float> coverage, Index3 ratio) {
    const Shape shape = model.given().shape();
    const Shape cells = coverage.shape();
    Field<float> weight(shape, 0.0F);
    const bool of_cells = model.cells() != nullptr;
    double sum = 0;
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                double around = 0;
                double count = 0;
                const int back = of_cells ? 0 : 1;
                for (int a = std::max(0, i - back); a <= std::min(i, cells.x - 1); ++a) {
                    for (int b = std::max(0, j - back); b <= std::min(j, cells.y - 1); ++b) {
                        for (int c = std::max(0, k - back); c <= std::min(k, cells.z - 1); ++c) {
                            around += coverage(a, b, c);
                            count += 1;
                        }
                    }
                }
                weight(i, j, k) = static_cast<float>(around / count);
                sum += around / count;
            }
        }
    }
    const auto box = [](int spacing) { return 2 * spacing + 1; };
    smooth_vertices(weight, {box(ratio.x), shape.y == 1 ? 1 : box(ratio.y), box(ratio.z)},
                    {Smoother::running, 2}, {}, {1, Device::cpu});
    const auto least = static_cast<float>(1e-3 * sum / static_cast<double>(weight.size()));
    for (float& value : weight) value = std::max(value, 0.0F) + least;
    return weight;
}

/// The ensemble's runs.
class Runs {
  public:
    Runs(const Model& start, const Survey& picks, const InversionOptions& options,
         const std::optional<FoundModel>& found, const EnsembleOptions& ensemble)
        : start_(start), picks_(picks), options_(options), found_(found), ensemble_(ensemble) {
        const bool grouped =
            ensemble.kind == EnsembleKind::jackknife || ensemble.kind == EnsembleKind::subsets;
        count_ = ensemble.members;
        if (grouped) {
            const auto units = static_cast<int>(units_of(picks, ensemble.unit).size());
            count_ = std::min(count_, units);
            if (count_ < 2) {
                throw InputError(
                    fmt::format("the picks have {} {} (an ensemble of kind '{}' needs at least 2)",
                                units, name_of(ensemble.unit), name_of(ensemble.kind)));
            }
            groups_ = groups_of(picks, ensemble.unit, count_, ensemble.seed);
        }
        plan_.emplace(problem_plan(start, picks, options));
        const bool with_errors =
            (picks.has_errors && options.weights == PickWeights::errors) || options.target_rms > 0;
        if (ensemble.kind == EnsembleKind::noise && !with_errors) {
            throw InputError(
                "an ensemble of kind 'noise' is asked for and the picks have no errors (give them, "
                "or a target RMS; a bootstrap needs none)");
        }
        if (ensemble.fuse == FusionWeight::resolution && fuses() && is_hole()) {
            throw InputError(
                "members of method 'hole' are to be fused by resolution (they have none: fuse by "
                "coverage)");
        }
    }

    int count() const { return count_; }
    bool warm() const {
        return found_ && ensemble_.kind != EnsembleKind::start && !fuses() && !is_hole();
    }

    EnsembleMember run(int number, const Execution& execution) const {
        try {
            return run_member(number, execution);
        } catch (const InputError& error) {
            throw InputError(
                fmt::format("member {} of the ensemble: {}", number + 1, error.what()));
        }
    }

  private:
    bool fuses() const { return ensemble_.kind == EnsembleKind::subsets; }
    bool is_hole() const {
        return options_.method == InversionMethod::hole ||
               (options_.method == InversionMethod::automatic && !options_.schedule.empty());
    }

    Survey picks_of_member(int number) const {
        const auto stream = static_cast<std::uint64_t>(number);
        switch (ensemble_.kind) {
            case EnsembleKind::bootstrap:
                return bootstrapped(picks_, ensemble_.unit, ensemble_.seed, stream);
            case EnsembleKind::jackknife:
                return picks_without(picks_, groups_[static_cast<std::size_t>(number)]);
            case EnsembleKind::noise:
                return with_noise(picks_, plan_->errors, ensemble_.seed, stream);
            case EnsembleKind::subsets:
                return subset(picks_, groups_[static_cast<std::size_t>(number)]);
            case EnsembleKind::start:
                break;
        }
        return picks_;
    }

    Model start_of_member(int number) const {
        if (ensemble_.kind != EnsembleKind::start) return start_.copy();
        const double length = ensemble_.length > 0 ? ensemble_.length : least_extent(start_) / 4;
        const Model hilly = with_hills(start_, ensemble_.amplitude, length, ensemble_.seed,
                                       static_cast<std::uint64_t>(number));
        // A start model must lie within the bounds.
        const VelocityBounds& bounds = plan_->bounds;
        if (!bounds.bounded()) return hilly.copy();
        Field<float> velocity(hilly.given().shape());
        const auto given = hilly.given();
        for (std::size_t s = 0; s < velocity.size(); ++s) {
            const auto low = static_cast<float>(1.001 * bounds.low());
            const auto high = static_cast<float>(0.999 * bounds.high());
            velocity[s] = given[s] == 0 ? 0 : std::clamp(given[s], low, high);
        }
        return hilly.with_given(std::move(velocity));
    }

    EnsembleMember run_member(int number, const Execution& execution) const {
        const Survey own_picks = picks_of_member(number);
        const Model own_start = start_of_member(number);
        InversionOptions own = options_;
        own.gauss_newton.ratio = plan_->ratio;
        std::optional<InversionState> state;
        if (warm()) {
            own.gauss_newton.lambda = found_->lambda;
            state = state_at(found_->unknowns, found_->lambda);
        }
        const InversionResult result =
            invert(own_start, own_picks, own, execution, {}, std::move(state));
        EnsembleMember member;
        const Misfit fit = misfit(own_picks, result.final_residual, result.final_use);
        member.rms = fit.rms;
        member.chi2 = fit.chi2;
        member.picks = fit.used;
        member.iterations = result.history.back().iteration;
        const auto velocity = result.model.given();
        member.velocity = Field<float>(velocity.shape());
        std::copy(velocity.begin(), velocity.end(), member.velocity.begin());
        if (fuses()) member.weight = weight_of(own_start, own_picks, own, result, execution);
        return member;
    }

    Field<float> weight_of(const Model& start, const Survey& picks, const InversionOptions& options,
                           const InversionResult& result, const Execution& execution) const {
        if (ensemble_.fuse == FusionWeight::coverage) {
            return coverage_weight(start, result.coverage, plan_->ratio);
        }
        if (ensemble_.fuse == FusionWeight::even) {
            return Field<float>(start.given().shape(), 1.0F);
        }
        const LinearProblem problem(start, picks, options, found_model(result, serial_ranks()),
                                    execution);
        TrustOptions wanted;
        wanted.seed = ensemble_.seed;
        wanted.deviation = false;
        Field<float> weight = estimate_trust(problem, wanted, execution).resolution;
        constexpr float least = 1e-6F;  // so that every sample has a mean
        for (float& value : weight) value += least;
        return weight;
    }

    const Model& start_;
    const Survey& picks_;
    const InversionOptions& options_;
    const std::optional<FoundModel>& found_;
    const EnsembleOptions& ensemble_;
    int count_ = 0;
    std::vector<std::vector<std::int32_t>> groups_;
    std::optional<ProblemPlan> plan_;
};

std::string sentence_of(const Runs& runs, const EnsembleOptions& options, const Ensemble& made) {
    const char* const what = options.kind == EnsembleKind::noise   ? "fresh noise on the picks"
                             : options.kind == EnsembleKind::start ? "other start models"
                             : options.unit == PickUnit::shots     ? "shots"
                                                                   : "picks";
    return fmt::format("{} of {}: {} members{}{}", name_of(options.kind), what, made.members.size(),
                       runs.warm() ? ", each from the run's own model with its smoothing kept"
                                   : ", each from its start model",
                       made.loaded > 0 ? fmt::format("; {} were there already", made.loaded) : "");
}

}  // namespace

void validate(const EnsembleOptions& options) {
    constexpr int most_members = 10000;
    if (options.members < 2 || options.members > most_members) {
        throw InputError(fmt::format("an ensemble has {} members (must be from 2 to {})",
                                     options.members, most_members));
    }
    if (!(options.amplitude > 0 && options.amplitude < 1)) {
        throw InputError(fmt::format("amplitude of start models is {} (must be > 0 and < 1)",
                                     options.amplitude));
    }
    if (!(options.length >= 0) || std::isinf(options.length)) {
        throw InputError(
            fmt::format("length of start models' hills is {} (must be >= 0)", options.length));
    }
}

Ensemble run_ensemble(const Model& start, const Survey& picks, const InversionOptions& options,
                      const std::optional<FoundModel>& found, const EnsembleOptions& ensemble,
                      const Execution& execution, const EnsembleStore& store) {
    validate(ensemble);
    Ranks& ranks = execution.ranks;
    Monitor& monitor = execution.monitor;
    const Runs runs(start, picks, options, found, ensemble);
    const Shape shape = start.given().shape();
    Ensemble out;
    // Members that are there already, as rank 0 knows.
    std::vector<std::uint8_t> there(static_cast<std::size_t>(runs.count()), 0);
    std::vector<EnsembleMember> kept(there.size());
    together(ranks, [&] {
        for (int n = 0; ranks.is_root() && store.load && n < runs.count(); ++n) {
            auto member = store.load(n);
            if (!member) continue;
            there[static_cast<std::size_t>(n)] = 1;
            kept[static_cast<std::size_t>(n)] = std::move(*member);
            ++out.loaded;
        }
    });
    ranks.broadcast(std::as_writable_bytes(std::span(there)));
    std::vector<int> missing;
    for (int n = 0; n < runs.count(); ++n) {
        if (there[static_cast<std::size_t>(n)] == 0) missing.push_back(n);
    }

    const bool cuda = broadcast_value(ranks, runs_on_cuda(options, execution.device, start));
    const int threads = resolve_threads(execution.threads);
    const auto left = static_cast<std::int64_t>(missing.size());
    const std::int64_t share = (left + ranks.size() - 1) / ranks.size();
    const std::vector<int> devices = cuda ? devices_in_use() : std::vector<int>{};
    const auto at_once = cuda ? static_cast<std::int64_t>(devices.size()) : threads;
    const int jobs = static_cast<int>(std::clamp<std::int64_t>(share, 1, at_once));
    DeviceLoans loans(devices);
    Monitor stop_only({}, [&] { return monitor.stop_requested(); });
    const Execution own =
        execution.alone().with_threads(std::max(threads / jobs, 1)).heard_by(stop_only);
    EnsembleSums sums(ensemble.kind, start);
    int next = 0;
    const auto take = [&](EnsembleMember&& member) {
        sums.add(member);
        member.velocity = {};
        member.weight = {};
        out.members.push_back(std::move(member));
        ++next;
    };
    const auto take_kept = [&] {
        while (next < runs.count() && there[static_cast<std::size_t>(next)] != 0) {
            take(std::move(kept[static_cast<std::size_t>(next)]));
        }
    };
    monitor.begin("ensemble", left);
    deal_in_order(
        ranks, left, jobs,
        [&](std::int64_t job) {
            const int number = missing[static_cast<std::size_t>(job)];
            if (devices.size() < 2) return packed(runs.run(number, own));
            Bytes member;
            loans.with_one([&](int device) {
                on_device(device, [&] { member = packed(runs.run(number, own)); });
            });
            return member;
        },
        [&](std::int64_t job, const Bytes& bytes) {
            EnsembleMember member = unpacked(bytes, shape);
            if (store.save) store.save(missing[static_cast<std::size_t>(job)], member);
            take_kept();
            take(std::move(member));
            monitor.advance();
        },
        monitor);
    monitor.end();
    if (!ranks.is_root()) return out;
    take_kept();
    sums.finish(out);
    out.sentence = sentence_of(runs, ensemble, out);
    return out;
}

std::string ensemble_fingerprint(const std::string& run, const std::optional<FoundModel>& found,
                                 const EnsembleOptions& ensemble) {
    Fingerprint print;
    print.add(std::string_view(run));
    if (found) {
        print.add(found->unknowns);
        print.add(found->lambda);
    }
    print.add(ensemble.kind);
    print.add(ensemble.members);
    print.add(ensemble.unit);
    print.add(ensemble.seed);
    print.add(ensemble.amplitude);
    print.add(ensemble.length);
    print.add(ensemble.fuse);
    return print.text();
}

}  // namespace fermat
