#include "tomography/validation/choose_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/bytes.hpp"
#include "core/error.hpp"

namespace fermat {
namespace {

constexpr int most_iterations = 6;  // of a stage, as paper 4's

/// Scores after each iteration of a stage, in one fold, and the last model.
struct Tried {
    std::vector<double> scores;
    std::vector<float> velocity;
};

class ScheduleSearch {
  public:
    ScheduleSearch(const Model& start, const Survey& picks, const InversionOptions& options,
                   const ValidationOptions& validation, const Execution& execution)
        : start_(start),
          options_(options),
          folds_(folds_of(picks, validation)),
          execution_(execution),
          ranks_(execution.ranks) {
        options_.method = InversionMethod::hole;
        options_.target_rms = 0;
        options_.target_chi2 = 0;
        options_.stagnation = 0;
        for (const Stage& stage : default_schedule(start.grid())) {
            if (boxes_.empty() || !(boxes_.back().cell == stage.cell)) boxes_.push_back(stage);
        }
        const auto velocity = start.given();
        models_.assign(folds_.size(), std::vector<float>(velocity.begin(), velocity.end()));
    }

    ScheduleChoice run() {
        ScheduleChoice choice;
        double best = std::numeric_limits<double>::infinity();
        std::size_t box = 0;
        for (;;) {
            const std::size_t end = std::min(boxes_.size(), box + 3);
            std::size_t chosen = boxes_.size();
            StageScore found;
            const std::size_t first_row = choice.table.size();
            for (std::size_t candidate = box; candidate < end; ++candidate) {
                const StageScore tried =
                    try_box(candidate, static_cast<int>(choice.schedule.size()) + 1);
                choice.table.push_back(tried);
                const bool better = chosen == boxes_.size() || tried.held_out < found.held_out;
                if (!better) continue;
                found = tried;
                chosen = candidate;
            }
            constexpr double gain = 0.01;
            if (!(found.held_out < (1 - gain) * best)) break;
            best = found.held_out;
            choice.table[first_row + chosen - box].taken = true;
            go_on(found.tried);
            box = chosen;
            add(choice.schedule, found.tried);
        }
        if (choice.schedule.empty()) {
            throw ComputeError("no box of the search makes a model (no pick can be explained)");
        }
        int iterations = 0;
        for (const Stage& stage : choice.schedule) iterations += stage.iterations;
        choice.sentence = fmt::format(
            "a schedule of {} stages and {} iterations: {}-fold cross-validation meets picks left "
            "out to {:.3g}, and no further box gains 1 %",
            choice.schedule.size(), iterations, folds_.size(), best);
        return choice;
    }

  private:
    /// A stage like the one before makes that one longer.
    static void add(std::vector<Stage>& schedule, const Stage& stage) {
        if (!schedule.empty() && schedule.back().cell == stage.cell) {
            schedule.back().iterations += stage.iterations;
        } else {
            schedule.push_back(stage);
        }
    }

    Model model_of(const std::vector<float>& values) const {
        Field<float> velocity(start_.given().shape());
        std::copy(values.begin(), values.end(), velocity.begin());
        return start_.with_given(std::move(velocity));
    }

    /// Runs a stage in every fold, from its present model; scored only where asked for.
    std::vector<Tried> run_folds(const Stage& stage, bool scored) {
        std::vector<Tried> all(folds_.size());
        deal_runs(
            static_cast<std::int64_t>(folds_.size()), options_, start_, "schedule search",
            [&](std::int64_t job, const Execution& execution) {
                const auto n = static_cast<std::size_t>(job);
                InversionOptions own = options_;
                own.schedule = {stage};
                Tried tried;
                InversionListener listener;
                listener.update = [&](const InversionState& state) {
                    if (!scored) return;
                    const std::vector<float> now(state.velocity.begin(), state.velocity.end());
                    tried.scores.push_back(
                        held_out_score(model_of(now), folds_[n], own, execution));
                };
                const InversionResult result =
                    invert(model_of(models_[n]), folds_[n].fitted, own, execution, listener);
                if (!scored) {
                    const auto velocity = result.model.given();
                    tried.velocity.assign(velocity.begin(), velocity.end());
                }
                ByteWriter out;
                out.add(tried.scores);
                out.add(tried.velocity);
                return out.take();
            },
            [&](std::int64_t job, const Bytes& bytes) {
                ByteReader in(bytes);
                Tried& tried = all[static_cast<std::size_t>(job)];
                tried.scores = in.take_vector<double>();
                tried.velocity = in.take_vector<float>();
            },
            execution_);
        return all;
    }

    StageScore try_box(std::size_t box, int number) {
        Stage stage = boxes_[box];
        stage.iterations = most_iterations;
        const std::vector<Tried> all = run_folds(stage, true);
        StageScore best{number, stage, std::numeric_limits<double>::infinity(), false};
        for (int n = 0; ranks_.is_root() && n < most_iterations; ++n) {
            double squares = 0;
            for (const Tried& tried : all) {
                const double score = tried.scores[static_cast<std::size_t>(n)];
                squares += score * score / static_cast<double>(all.size());
            }
            if (!(std::sqrt(squares) < best.held_out)) continue;
            best.held_out = std::sqrt(squares);
            best.tried.iterations = n + 1;
        }
        return broadcast_value(ranks_, best);
    }

    void go_on(const Stage& stage) {
        std::vector<Tried> all = run_folds(stage, false);
        for (std::size_t n = 0; n < models_.size(); ++n) {
            if (ranks_.is_root()) models_[n] = std::move(all[n].velocity);
            ranks_.broadcast(std::as_writable_bytes(std::span(models_[n])));
        }
    }

    const Model& start_;
    InversionOptions options_;
    std::vector<Fold> folds_;
    const Execution& execution_;
    Ranks& ranks_;
    std::vector<Stage> boxes_;
    std::vector<std::vector<float>> models_;
};

}  // namespace

ScheduleChoice choose_schedule(const Model& start, const Survey& picks,
                               const InversionOptions& options, const ValidationOptions& validation,
                               const Execution& execution) {
    require_nodes(start, "inversion method 'hole'");
    return ScheduleSearch(start, picks, options, validation, execution).run();
}

}  // namespace fermat
