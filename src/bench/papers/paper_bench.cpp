#include "bench/papers/paper_bench.hpp"

#include <fmt/format.h>

#include "bench/papers/paper_report.hpp"
#include "core/error.hpp"

namespace fermat::bench {

void bench_paper(const PaperBench& bench, Monitor& monitor) {
    struct Entry {
        void (*run)(const PaperBench&, PaperReport&, Monitor&);
        bool graph;  ///< it runs the graph's methods, which OpenGL computes too
    };
    constexpr Entry papers[] = {{&bench_paper1, true},
                                {&bench_paper2, true},
                                {&bench_paper3, false},
                                {&bench_paper4, false},
                                {&bench_paper5, false}};
    constexpr int count = std::size(papers);
    if (bench.paper < 1 || bench.paper > count) {
        throw InputError(fmt::format("paper is {} (must be from 1 to {})", bench.paper, count));
    }
    const Entry& entry = papers[bench.paper - 1];
    if (bench.device != Device::cpu && !entry.graph && bench.device != Device::cuda) {
        throw InputError(fmt::format("device is '{}' (paper {} is computed on cpu and cuda)",
                                     name_of(bench.device), bench.paper));
    }
    if (bench.paper != 1 && !(bench.sizes.empty() && bench.radii.empty())) {
        throw InputError(fmt::format(
            "sizes or radii are given and the paper is {} (they are those of paper 1: leave them "
            "out)",
            bench.paper));
    }
    if (bench.host && bench.device == Device::cpu) {
        throw InputError(
            "a table of the CPU's columns is given and the device is 'cpu' (it is for runs on "
            "other "
            "devices: leave it out)");
    }
    PaperReport report(bench);
    try {
        entry.run(bench, report, monitor);
        monitor.check();
    } catch (...) {
        report.keep_rows();
        throw;
    }
    report.require_tables();
    report.commit();
}

}  // namespace fermat::bench
