#include "cli/ray_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fermat::cli {

std::vector<FlagFile> RayOutputFlags::files() const {
    return {{"--output", rays},
            {"--table", table},
            {"--sensitivity", sensitivity},
            {"--coverage", coverage},
            {"--vector-coverage", vector_coverage}};
}

RayOutputs::RayOutputs(const RayOutputFlags& flags, const Medium& medium,
                       const std::vector<Phase>& phases, std::vector<double> pick_times,
                       int threads, Tracer tracer)
    : medium_(medium),
      phases_(phases),
      tells_phase_(phases != std::vector<Phase>{Phase::P}),
      pick_times_(std::move(pick_times)),
      threads_(threads),
      basis_(flags.basis),
      tracer_(tracer) {
    const Model& model = medium.first();
    if (flags.rays) rays_.emplace(*flags.rays, &medium);
    if (flags.table) {
        std::vector<std::string> names{"source", "receiver", "time", "length", "points", "status"};
        if (tracer_ == Tracer::bending) names.emplace_back("start");
        if (tells_phase_) names.emplace_back("phase");
        table_.emplace(*flags.table, names);
    }
    if (flags.sensitivity) {
        const std::int64_t columns = sensitivity(model, {}, basis_).columns;
        const auto count = static_cast<std::int64_t>(std::max<std::size_t>(phases_.size(), 1));
        sensitivity_.emplace(*flags.sensitivity, count * columns);
    }
    if (flags.coverage) {
        coverage_.emplace(*flags.coverage, model.grid());
        coverage_sum_.emplace(model, threads);
    }
    if (flags.vector_coverage) vector_coverage_.emplace(*flags.vector_coverage);
}

void RayOutputs::add_rows(const RaySet& rays) {
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const RayInfo& ray = rays.rays[r];
        std::vector<CsvCell> cells{std::int64_t{ray.source},
                                   std::int64_t{ray.receiver},
                                   ray.time,
                                   ray.length,
                                   static_cast<std::int64_t>(rays.path(r).size()),
                                   name_of(ray.status)};
        if (tracer_ == Tracer::bending) cells.emplace_back(name_of(ray.start));
        if (tells_phase_) cells.emplace_back(name_of(ray.phase));
        table_->add_row(cells);
    }
}

void RayOutputs::add_vectors(const RaySet& rays) {
    std::vector<double> times;
    for (std::size_t r = 0; r < rays.size(); ++r) {
        times.push_back(pick_times_.empty() ? rays.rays[r].time : pick_times_[taken_ + r]);
    }
    vector_coverage_->append(rays, times);
}

/// The rays of a set have one phase.
void RayOutputs::add_sensitivity(const RaySet& rays) {
    const Phase phase = rays.rays.front().phase;
    SparseRows rows = sensitivity(medium_.of(phase), rays, basis_, threads_);
    const auto place = std::find(phases_.begin(), phases_.end(), phase) - phases_.begin();
    for (auto& column : rows.column) column += place * rows.columns;
    rows.columns *= static_cast<std::int64_t>(phases_.size());
    sensitivity_->append(rows);
}

void RayOutputs::take(const RaySet& rays) {
    if (rays_) rays_->append(rays);
    if (table_) add_rows(rays);
    if (sensitivity_ && rays.size() > 0) add_sensitivity(rays);
    if (coverage_sum_) coverage_sum_->add(rays);
    if (vector_coverage_) add_vectors(rays);
    for (const RayInfo& ray : rays.rays) ++counts_[static_cast<std::size_t>(ray.status)];
    taken_ += rays.size();
}

void RayOutputs::commit() {
    if (coverage_) {
        const Coverage cover = coverage_sum_->result();
        coverage_->add_cell_array("coverage", cover.count);
        coverage_->add_cell_array("ray_length", cover.length);
    }
    if (rays_) rays_->commit();
    if (sensitivity_) sensitivity_->commit();
    if (coverage_) coverage_->commit();
    if (vector_coverage_) vector_coverage_->commit();
    if (table_) table_->commit();
}

std::string RayOutputs::summary() const {
    std::string text = fmt::format("{} ray{}: {} ok", taken_, taken_ == 1 ? "" : "s", counts_[0]);
    for (const auto& [name, status] : choices<RayStatus>.entries) {
        const std::size_t count = counts_[static_cast<std::size_t>(status)];
        if (status != RayStatus::ok && count > 0) text += fmt::format(", {} {}", count, name);
    }
    return text;
}

}  // namespace fermat::cli
