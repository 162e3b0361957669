// Paper 4, Tables 6 to 10 and 12 to 16: where the GPU's time goes, and how its kernels fill it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench/papers/paper4.hpp"
#include "bench/papers/paper4_letter.hpp"
#include "core/device_bandwidth.hpp"
#include "tomography/smoothing/resident_cuda.hpp"

namespace fermat::bench {
namespace {

/// A call of the paper's own version, or ours.
struct DeviceRun {
    std::string name;
    double tables = 0;  ///< seconds on the host
    SmoothingSplit split;
};

/// The call with the median of its kernels' time.
template <class Call>
DeviceRun median_run(int runs, Call call) {
    std::vector<DeviceRun> all;
    for (int n = 0; n < runs + 1; ++n) all.push_back(call());
    all.erase(all.begin());  // kernels are loaded when they first run
    std::sort(all.begin(), all.end(), [](const DeviceRun& a, const DeviceRun& b) {
        return a.split.kernels < b.split.kernels;
    });
    return all[all.size() / 2];
}

std::vector<DeviceRun> largest_boxes(const PaperBench& bench, const SmoothingSubject& subject) {
    const SmoothingSize& size = subject.published.sizes[0];
    const int runs = std::max(5, bench.runs());
    LetterSmoother letter(subject.fresh.shape());
    std::vector<DeviceRun> all;
    all.push_back(median_run(runs, [&] {
        Field<double> values = subject.fresh.copy();
        const LetterSplit split = letter.smooth(values, subject.coverage, size);
        return DeviceRun{"paper", split.tables, split.device};
    }));
    for (const Smoother smoother : {Smoother::table, Smoother::running}) {
        ResidentSmoothing resident(potrillo_cells, potrillo_vertices, smoother);
        const auto place = subject.cells() ? resident.perturbations() : resident.nodes();
        if (subject.cells()) {
            std::copy(subject.coverage.begin(), subject.coverage.end(),
                      resident.coverage().begin());
        }
        all.push_back(median_run(runs, [&] {
            std::copy(subject.fresh.begin(), subject.fresh.end(), place.begin());
            return DeviceRun{
                std::string(name_of(smoother)), 0,
                subject.cells() ? resident.smooth_cells(size) : resident.smooth_vertices(size)};
        }));
    }
    return all;
}

void split(const PaperBench& bench, std::string_view tables, const SmoothingSubject& subject,
           PaperReport& report) {
    if (!report.wants(tables)) return;
    report.begin(tables,
                 "where the GPU's time goes, for the largest box; throughput: fields read and "
                 "written once, over the kernels' time\n"
                 "  paper           its own version: tables on the host, one kernel looks them up\n"
                 "  table, running  ours, all on the GPU, from and to page-locked memory",
                 {"smoother"},
                 {{"host_tables", "us", false},
                  {"to_device", "us", false},
                  {"kernels", "us", true},
                  {"to_host", "us", false},
                  {"kernel_share", "%", true},
                  {"to_device_share", "%", true},
                  {"to_host_share", "%", true},
                  {"throughput", "GB/s", true},
                  {"of_peak", "%", true}});
    const PublishedSmoother& theirs = subject.published;
    const double peak = device_bandwidth();
    for (const DeviceRun& run : largest_boxes(bench, subject)) {
        const SmoothingSplit& split = run.split;
        const auto share = [&](double seconds) { return 100 * seconds / split.total(); };
        const double fields = subject.cells() ? 3 : 2;
        const double rate =
            fields * sizeof(double) * static_cast<double>(subject.fresh.size()) / split.kernels;
        report.add({run.name}, {1e6 * run.tables,
                                1e6 * split.to_device,
                                {1e6 * split.kernels, theirs.kernel_us},
                                1e6 * split.to_host,
                                {share(split.kernels), theirs.kernel_percent},
                                {share(split.to_device), theirs.to_device_percent},
                                {share(split.to_host), theirs.to_host_percent},
                                {1e-9 * rate, theirs.requested},
                                {peak > 0 ? std::optional(100 * rate / peak) : std::nullopt,
                                 100 * theirs.achieved / quadro_peak}});
    }
}

std::string words(const std::array<int, 3>& counts) {
    return fmt::format("{}x{}x{}", counts[0], counts[1], counts[2]);
}

/// Tables 8 and 14: grid, registers and occupancy of each kernel.
void kernels(std::string_view table, const SmoothingSubject& subject, PaperReport& report) {
    if (!report.wants(table)) return;
    report.begin(table,
                 fmt::format("how the kernels fill the GPU; the paper's kernel has a grid of "
                             "3 x 2 x 1 blocks of 32 x 16 x 1 threads and is limited by registers\n"
                             "  blocks, threads  that a multiprocessor holds at a time\n"
                             "  busy             multiprocessors that get a block"),
                 {"smoother", "kernel", "grid", "block", "limit"},
                 {{"registers", "", true},
                  {"shared", "B", true},
                  {"blocks", "", true},
                  {"threads", "", true},
                  {"occupancy", "", true},
                  {"busy", "", false}});
    const PublishedOccupancy& theirs = subject.published.occupancy;
    const auto add = [&](std::string_view smoother, const KernelProfile& profile, bool letter) {
        const auto beside = [&](double ours, double published) {
            return letter ? Compared(ours, published) : Compared(ours);
        };
        report.add({std::string(smoother), profile.kernel, words(profile.grid),
                    words(profile.block), profile.limit},
                   {beside(profile.registers, theirs.registers), beside(profile.shared_bytes, 0),
                    beside(profile.blocks, theirs.blocks),
                    beside(profile.blocks * profile.threads_per_block(), theirs.threads),
                    beside(profile.occupancy(), theirs.occupancy), profile.busy()});
    };
    const Shape shape = subject.fresh.shape();
    add("paper", LetterSmoother(shape).profile(subject.cells()), true);
    for (const Smoother smoother : {Smoother::table, Smoother::running}) {
        const auto launched =
            subject.cells() ? cell_kernels(smoother, shape) : vertex_kernels(smoother, shape);
        for (const KernelProfile& profile : launched) add(name_of(smoother), profile, false);
    }
}

}  // namespace

void paper4_device(const PaperBench& bench, PaperReport& report) {
    const SmoothingSubject cell = cell_subject();
    const SmoothingSubject vertex = vertex_subject();
    split(bench, "Tables 6 to 10", cell, report);
    kernels("Table 8", cell, report);
    split(bench, "Tables 12 to 16", vertex, report);
    kernels("Table 14", vertex, report);
}

}  // namespace fermat::bench
