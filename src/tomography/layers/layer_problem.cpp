#include "tomography/layers/layer_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "tomography/gauss_newton/model_change.hpp"

namespace fermat {
namespace {

std::vector<double> errors_of(const PhasePicks& picks) {
    std::vector<double> out;
    for (std::size_t n = 0; n < picks.survey.arrivals.size(); ++n) {
        const double error = picks.survey.arrivals[n].error;
        if (!(error > 0)) {
            throw InputError(fmt::format(
                "pick {} has error {:g} (layers need errors > 0, to weigh the phases)", n, error));
        }
        out.push_back(error);
    }
    return out;
}

std::vector<Branch> branches_of(const LayeredMedium& medium, const PhasePicks& picks) {
    std::vector<Branch> out;
    for (const std::string& name : picks.phases) out.push_back(branch_of(medium, name));
    return out;
}

std::vector<Vec3> positions(const auto& points) {
    std::vector<Vec3> out;
    for (const auto& point : points) out.push_back(point.position);
    return out;
}

}  // namespace

/// Unknowns of the layers and interfaces that the branches touch.
LayerUnknowns LayerProblem::unknowns_of() const {
    std::set<int> parts;
    std::set<int> interfaces;
    const auto& survey = picks_.survey;
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const Arrival& arrival = survey.arrivals[n];
        const Branch& branch = branches_[static_cast<std::size_t>(picks_.phase_of[n])];
        const int from = start_.layer_of(survey.event_of(arrival).position, "a source");
        const int to = start_.layer_of(survey.station_of(arrival).position, "a receiver");
        for (const Legs& legs : legs_of(branch, start_, from, to)) {
            for (const Leg& leg : legs) {
                parts.insert(2 * leg.layer + (leg.wave == Phase::S ? 1 : 0));
                if (leg.to > 0) interfaces.insert(leg.to);
            }
        }
    }
    const std::vector<int> part_list(parts.begin(), parts.end());
    const std::vector<int> interface_list(interfaces.begin(), interfaces.end());
    LayerUnknowns out(start_, part_list, interface_list, options_.prior);
    if (out.size() == 0) {
        throw InputError("nothing is unknown (velocity and depth deviations are 0)");
    }
    return out;
}

LayerProblem::LayerProblem(const LayeredMedium& start, const PhasePicks& picks,
                           const LayerInversionOptions& options, const Execution& execution)
    : start_(start),
      picks_(picks),
      options_(options),
      execution_(execution),
      threads_(resolve_threads(execution.threads)),
      errors_(errors_of(picks)),
      branches_(branches_of(start, picks)),
      unknowns_(unknowns_of()),
      medium_(start),
      merged_(start.merged(Phase::P)) {}

PassCost LayerProblem::predict(std::span<const double> x) {
    tried_.reset();
    const Stopwatch watch;
    Tried tried{unknowns_.medium_of(x), {}, {}};
    const Survey& survey = picks_.survey;
    tried.rays.resize(survey.arrivals.size());
    tried.rows.resize(survey.arrivals.size());
    const std::vector<Vec3> sources = positions(survey.events);
    const std::vector<Vec3> receivers = positions(survey.stations);
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        std::vector<RayPair> pairs;
        std::vector<std::size_t> numbers;
        for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
            if (picks_.phase_of[n] != static_cast<std::int32_t>(b)) continue;
            pairs.push_back({survey.arrivals[n].event, survey.arrivals[n].station});
            numbers.push_back(n);
        }
        auto found = trace_branch(tried.medium, branches_[b], sources, receivers, pairs,
                                  options_.rays, execution_);
        parallel_for(static_cast<std::int64_t>(numbers.size()), threads_, [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            BranchRay& ray = found[k].front();
            if (has_arrived(ray.status)) {
                tried.rows[numbers[k]] =
                    unknowns_.row_of(tried.medium, derivative_of(tried.medium, ray));
            }
            tried.rays[numbers[k]] = std::move(ray);
        });
    }
    tried_.emplace(std::move(tried));
    return {watch.seconds(), 1};
}

Trial LayerProblem::trial_of(std::vector<double>&& x) const {
    const Survey& survey = picks_.survey;
    Trial trial{std::move(x), std::vector<double>(survey.arrivals.size())};
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const Arrival& arrival = survey.arrivals[n];
        const BranchRay& ray = tried_->rays[n];
        trial.residual[n] = has_arrived(ray.status)
                                ? arrival.time - survey.event_of(arrival).origin_time - ray.time
                                : std::numeric_limits<double>::quiet_NaN();
    }
    return trial;
}

double LayerProblem::adopt(const Trial&, bool) {
    medium_ = tried_->medium;
    Model merged = medium_.merged(Phase::P);
    const double change = std::exchange(is_start_, false) ? 0 : largest_change(merged_, merged);
    merged_ = std::move(merged);
    rays_ = tried_->rays;
    return change;
}

void LayerProblem::renew(std::vector<double>&& weights) {
    rows_ = std::move(tried_->rows);
    for (std::size_t n = 0; n < rows_.size(); ++n) {
        for (auto& [column, value] : rows_[n]) value *= weights[n];
    }
}

double LayerProblem::first_weight() const {
    // The prior is in its own deviations: a weight of 1 is what it says.
    return 30;
}

std::vector<double> LayerProblem::normal_matrix() const {
    const std::size_t n = size();
    std::vector<double> matrix(n * n, 0.0);
    for (const Row& row : rows_) {
        for (const auto& [a, va] : row) {
            double* const to = &matrix[static_cast<std::size_t>(a) * n];
            for (const auto& [b, vb] : row) to[b] += va * vb;
        }
    }
    return matrix;
}

std::vector<double> LayerProblem::step(std::span<const double> x, std::span<const double> right,
                                       double lambda, double damping) {
    std::vector<double> matrix = normal_matrix();
    unknowns_.add_prior(matrix, lambda * (1 + damping));
    std::vector<double> side(size(), 0.0);
    for (std::size_t n = 0; n < rows_.size(); ++n) {
        for (const auto& [column, value] : rows_[n]) {
            side[static_cast<std::size_t>(column)] += value * right[n];
        }
    }
    const std::vector<double> rough = unknowns_.apply(x);
    for (std::size_t u = 0; u < side.size(); ++u) side[u] -= lambda * rough[u];
    std::vector<double> trial =
        DenseInverse(std::move(matrix), size(), threads_).solve(std::move(side));
    for (std::size_t u = 0; u < trial.size(); ++u) trial[u] += x[u];
    return trial;
}

void LayerProblem::finish(std::span<const double> x, InversionResult& result) {
    result.model = merged_.copy();
    result.unknowns.assign(x.begin(), x.end());
}

std::vector<std::string> LayerProblem::statuses() const {
    std::vector<std::string> out;
    for (const BranchRay& ray : rays_) out.emplace_back(name_of(ray.status));
    return out;
}

std::vector<LayerDeviation> LayerProblem::deviations(std::span<const double> x,
                                                     double lambda) const {
    const std::size_t n = size();
    std::vector<double> matrix = normal_matrix();
    unknowns_.add_prior(matrix, lambda);
    const DenseInverse inverse(std::move(matrix), n, threads_);
    std::vector<double> variance(n);
    constexpr std::size_t lot = 64;
    std::vector<double> columns(n * lot);
    for (std::size_t first = 0; first < n; first += lot) {
        const std::size_t count = std::min(lot, n - first);
        inverse.columns(first, count, std::span(columns).first(n * count));
        for (std::size_t c = 0; c < count; ++c)
            variance[first + c] = columns[(first + c) * count + c];
    }
    std::vector<LayerDeviation> out;
    const Mapping& mapping = start_.place().mapping();
    for (const UnknownBlock& block : unknowns_.blocks()) {
        const bool of_depth = block.of == UnknownBlock::Of::depth;
        LayerDeviation found;
        found.of = of_depth ? start_.top_of(block.number).id()
                            : fmt::format("{} of layer {}", block.number % 2 ? "S" : "P",
                                          block.number / 2);
        found.prior = block.deviation;
        const Shape s = block.grid.shape;
        for (int i = 0; i < s.x; ++i) {
            for (int j = 0; j < s.y; ++j) {
                for (int k = 0; k < s.z; ++k) {
                    const std::size_t u = block.first + s.offset(i, j, k);
                    Vec3 at = mapping.to_user(block.grid.position({i, j, k}));
                    if (of_depth) at.z = medium_.top_of(block.number).depth_at(at.x, at.y);
                    found.points.push_back(at);
                    found.change.push_back(block.deviation * x[u]);
                    found.deviation.push_back(block.deviation * std::sqrt(variance[u]));
                }
            }
        }
        out.push_back(std::move(found));
    }
    return out;
}

}  // namespace fermat
