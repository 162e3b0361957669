// Paper 4 (summed volumes for smoothing): Table 1 by the paper's chain and by ours;
// paper4_smoothers and paper4_device have the other tables.
#include "bench/papers/paper4.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bench/tomography.hpp"

namespace fermat::bench {
namespace {

Field<double> random_values(Shape shape) {
    std::mt19937_64 random(1);
    Field<double> field(shape);
    for (double& value : field) value = static_cast<double>(random() >> 11) * 0x1p-53;
    return field;
}

/// Rays per cell, none in half of the cells.
Field<double> random_coverage() {
    Field<double> coverage = random_values(potrillo_cells);
    for (double& rays : coverage) rays = std::floor(std::max(0.0, 20 * rays - 10));
    return coverage;
}

/// How Table 1 is made: by what solves, traces and smooths.
struct Chain {
    std::string name;
    Solver solver;
    Tracer tracer;
    Smoother smoother;
};

void table_1_of(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    std::vector<Chain> chains = {{"fermat", Solver::fim, Tracer::descent, Smoother::running}};
    if (!bench.quick) {
        chains.insert(chains.begin(), {{"basic", Solver::vidale, Tracer::cells, Smoother::basic},
                                       {"cached", Solver::vidale, Tracer::cells, Smoother::cached},
                                       {"table", Solver::vidale, Tracer::cells, Smoother::table}});
    }
    const int shots = bench.quick ? 1 : 8;
    report.begin(
        "Table 1",
        fmt::format("seconds per iteration of a survey of Potrillo's size, {} shot{}; the paper "
                    "has 7 shots, and smooths by basic\n"
                    "  basic, cached, table  the paper's chain: solver vidale, tracer cells, and "
                    "that smoother, on one thread as in the paper\n"
                    "  fermat                the default: fim, descent, running",
                    shots, shots == 1 ? "" : "s"),
        {"chain", "cells", "vertices"},
        {{"times", "s", true},
         {"rays", "s", true},
         {"cell_smoothing", "s", true},
         {"vertex_smoothing", "s", true},
         {"rms", "s", false}});
    for (const Chain& chain : chains) {
        if (bench.device == Device::cuda &&
            (chain.solver != Solver::fim || chain.smoother == Smoother::basic)) {
            continue;  // the device has fim, and of the smoothers table and running
        }
        TomographyBench tomography;
        tomography.iterations = 1;
        tomography.solver = chain.solver;
        tomography.tracer = chain.tracer;
        tomography.smoother = chain.smoother;
        tomography.threads = chain.solver == Solver::vidale ? 1 : bench.threads;
        tomography.device = bench.device;
        const std::vector<StageMeans> stages = potrillo_stages(tomography, shots, monitor);
        for (std::size_t n = 0; n < stages.size(); ++n) {
            const StageMeans& stage = stages[n];
            report.add({chain.name, stage.cell, stage.vertex},
                       {{stage.seconds.times, table_1_times},
                        {stage.seconds.rays, table_1_rays},
                        {stage.seconds.cell_smoothing, table_1[n].cell},
                        {stage.seconds.vertex_smoothing, table_1[n].vertex},
                        stage.rms});
        }
    }
}

}  // namespace

SmoothingSubject cell_subject() {
    return {"cells", cell_smoother, random_values(potrillo_cells), random_coverage()};
}
SmoothingSubject vertex_subject() {
    return {"vertices", vertex_smoother, random_values(potrillo_vertices), {}};
}

void bench_paper4(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    if (report.wants("Table 1")) table_1_of(bench, report, monitor);
    paper4_smoothers(bench, report, monitor);
    if (bench.device == Device::cuda) paper4_device(bench, report);
}

}  // namespace fermat::bench
