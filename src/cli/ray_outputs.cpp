#include "cli/ray_outputs.hpp"

#include <fmt/format.h>

namespace fermat::cli {

std::vector<FlagFile> RayOutputFlags::files() const {
    return {{"--output", rays},
            {"--table", table},
            {"--sensitivity", sensitivity},
            {"--coverage", coverage},
            {"--vector-coverage", vector_coverage}};
}

RayOutputs::RayOutputs(const RayOutputFlags& flags, const Model& model,
                       std::vector<double> pick_times, int threads, Tracer tracer)
    : model_(model),
      pick_times_(std::move(pick_times)),
      threads_(threads),
      basis_(flags.basis),
      tracer_(tracer) {
    if (flags.rays) rays_.emplace(*flags.rays, &model);
    if (flags.table) {
        std::vector<std::string> names{"source", "receiver", "time", "length", "points", "status"};
        if (tracer_ == Tracer::bending) names.emplace_back("start");
        table_.emplace(*flags.table, names);
    }
    if (flags.sensitivity) {
        sensitivity_.emplace(*flags.sensitivity, sensitivity(model, {}, basis_).columns);
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

void RayOutputs::take(const RaySet& rays) {
    if (rays_) rays_->append(rays);
    if (table_) add_rows(rays);
    if (sensitivity_) sensitivity_->append(sensitivity(model_, rays, basis_, threads_));
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
