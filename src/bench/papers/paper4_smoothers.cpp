// Paper 4, Tables 5 and 11 with their 36 iterations, the sentences of its conclusions, and both
// smoothers in one piece, as its section 5.5 proposes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/papers/paper4.hpp"
#include "bench/papers/paper4_letter.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/smoothing/resident_cuda.hpp"

namespace fermat::bench {
namespace {

constexpr int short_runs = 5;  ///< of what takes milliseconds, whose median is told

/// Milliseconds on the CPU, on one thread as in the paper.
double host_milliseconds(const SmoothingSubject& subject, const SmoothingSize& size,
                         Smoother smoother, int runs, Monitor& monitor) {
    const Execution cpu = on_cpu(1, monitor);
    std::vector<double> seconds;
    for (int n = 0; n < runs; ++n) {
        Field<double> values = subject.fresh.copy();
        const Stopwatch watch;
        if (subject.cells()) {
            smooth_cells(values, subject.coverage, size, {smoother}, cpu);
        } else {
            smooth_vertices(values.view(), size, {smoother}, {}, cpu);
        }
        seconds.push_back(watch.seconds());
    }
    return 1e3 * median(std::move(seconds));
}

void copy_to(FieldView<double> place, const Field<double>& values) {
    std::copy(values.begin(), values.end(), place.begin());
}

/// The smoothers on the device. Their memory is taken before any clock starts.
class SmoothersOnDevice {
  public:
    SmoothersOnDevice()
        : letter_cells_(potrillo_cells),
          letter_vertices_(potrillo_vertices),
          table_(potrillo_cells, potrillo_vertices, Smoother::table),
          running_(potrillo_cells, potrillo_vertices, Smoother::running) {}

    /// The paper's own.
    double letter(const SmoothingSubject& subject, const SmoothingSize& size) {
        return milliseconds([&] {
            Field<double> values = subject.fresh.copy();
            LetterSmoother& letter = subject.cells() ? letter_cells_ : letter_vertices_;
            const Stopwatch watch;
            letter.smooth(values, subject.coverage, size);
            return watch.seconds();
        });
    }
    /// Ours: `table` or `running`, transfers counted.
    double ours(const SmoothingSubject& subject, const SmoothingSize& size, Smoother smoother) {
        ResidentSmoothing& resident = of(smoother);
        if (subject.cells()) copy_to(resident.coverage(), subject.coverage);
        return milliseconds([&] {
            copy_to(subject.cells() ? resident.perturbations() : resident.nodes(), subject.fresh);
            const Stopwatch watch;
            if (subject.cells()) {
                resident.smooth_cells(size);
            } else {
                resident.smooth_vertices(size);
            }
            return watch.seconds();
        });
    }
    double both(const SmoothingSubject& cells, const SmoothingSize& cell,
                const SmoothingSize& vertex, Smoother smoother) {
        ResidentSmoothing& resident = of(smoother);
        copy_to(resident.coverage(), cells.coverage);
        copy_to(resident.perturbations(), cells.fresh);
        return milliseconds([&] {
            const Stopwatch watch;
            resident.smooth_both(cell, vertex);
            return watch.seconds();
        });
    }

  private:
    ResidentSmoothing& of(Smoother smoother) {
        return smoother == Smoother::table ? table_ : running_;
    }
    template <class Run>
    static double milliseconds(Run run) {
        run();  // kernels are loaded when they first run
        std::vector<double> seconds;
        for (int n = 0; n < short_runs; ++n) seconds.push_back(run());
        return 1e3 * median(std::move(seconds));
    }

    LetterSmoother letter_cells_;
    LetterSmoother letter_vertices_;
    ResidentSmoothing table_;
    ResidentSmoothing running_;
};

/// The paper's measure: how many per cent faster than another.
std::optional<double> improvement(std::optional<double> other, std::optional<double> fast) {
    if (!other || !fast) return std::nullopt;
    return 100 * (*other / *fast - 1);
}

/// Milliseconds of an iteration.
struct IterationTimes {
    std::optional<double> basic;
    std::optional<double> cached;
    double table = 0;
    double running = 0;
    std::optional<double> letter_cuda;  ///< the paper's GPU version
    std::optional<double> table_cuda;   ///< ours
    std::optional<double> running_cuda;
};

void begin_iterations(std::string_view table, PaperReport& report) {
    report.begin(
        table,
        "milliseconds per iteration\n"
        "  basic, caching, SVT       the paper's three algorithms on one thread of the CPU, as "
        "in the paper\n"
        "  SVT_CUDA                  the paper's GPU version: tables made on the host, sent, and "
        "looked up by 3 x 2 blocks\n"
        "  running                   ours on one thread of the CPU\n"
        "  table_CUDA, running_CUDA  ours on the GPU: all sums there, from and to page-locked "
        "memory; both transfers counted\n"
        "  improvement               relative to basic, in per cent, as in the paper",
        {"iteration", "size"},
        {{"basic", "ms", true},
         {"caching", "ms", true},
         {"SVT", "ms", true},
         {"SVT_CUDA", "ms", true},
         {"running", "ms", false},
         {"table_CUDA", "ms", false},
         {"running_CUDA", "ms", false},
         {"caching_improvement", "%", true},
         {"SVT_improvement", "%", true},
         {"SVT_CUDA_improvement", "%", true}});
}

IterationTimes measure_iteration(const PaperBench& bench, const SmoothingSubject& subject,
                                 const SmoothingSize& size, const std::vector<std::string>& labels,
                                 SmoothersOnDevice* device, PaperReport& report, Monitor& monitor) {
    // The work of `basic` is known in advance: some 10^9 additions per second.
    constexpr double patience = 3e8;
    const double additions = static_cast<double>(subject.fresh.size()) * size.x * size.y * size.z;
    const auto host = [&](std::string_view column, Smoother smoother, int runs) {
        return report.host_value(labels, column, [&] {
            return host_milliseconds(subject, size, smoother, runs, monitor);
        });
    };
    IterationTimes times;
    if (!(bench.quick && additions > patience)) times.basic = host("basic", Smoother::basic, 1);
    if (!(bench.quick && additions > 20 * patience)) {
        times.cached = host("caching", Smoother::cached, 1);
    }
    times.table = host("SVT", Smoother::table, short_runs);
    times.running = host("running", Smoother::running, short_runs);
    if (device != nullptr) {
        times.letter_cuda = device->letter(subject, size);
        times.table_cuda = device->ours(subject, size, Smoother::table);
        times.running_cuda = device->ours(subject, size, Smoother::running);
    }
    return times;
}

std::vector<IterationTimes> iterations(const PaperBench& bench, std::string_view table,
                                       const SmoothingSubject& subject, SmoothersOnDevice* device,
                                       PaperReport& report, Monitor& monitor) {
    // The headlines are found from both tables.
    const bool wanted = report.wants(table);
    if (!report.wants("Headlines") && !wanted) return {};
    begin_iterations(table, report);
    std::vector<IterationTimes> all;
    for (std::size_t n = 0; n < subject.published.rows.size(); ++n) {
        if (bench.quick && n % 6 != 0) continue;
        monitor.check();
        const SmoothingSize& size = subject.published.sizes[n / 6];
        const SmoothingRow& theirs = subject.published.rows[n];
        const std::vector<std::string> labels{std::to_string(n + 1), to_string(size)};
        const IterationTimes ours =
            measure_iteration(bench, subject, size, labels, device, report, monitor);
        report.add(
            labels,
            {{ours.basic, theirs.basic},
             {ours.cached, theirs.cached},
             {ours.table, theirs.table},
             {ours.letter_cuda, theirs.gpu},
             ours.running,
             ours.table_cuda,
             ours.running_cuda,
             {improvement(ours.basic, ours.cached), 100 * (theirs.basic / theirs.cached - 1)},
             {improvement(ours.basic, ours.table), 100 * (theirs.basic / theirs.table - 1)},
             {improvement(ours.basic, ours.letter_cuda), 100 * (theirs.basic / theirs.gpu - 1)}});
        all.push_back(ours);
    }
    return all;
}

using Column = std::optional<double> IterationTimes::*;

/// The largest speed-up over basic.
std::optional<double> best(const std::vector<IterationTimes>& iterations, auto column) {
    std::optional<double> most;
    for (const IterationTimes& times : iterations) {
        const std::optional<double> milliseconds = times.*column;
        if (!times.basic || !milliseconds) continue;
        most = std::max(most.value_or(0), *times.basic / *milliseconds);
    }
    return most;
}

/// How many per cent faster than SVT on the CPU, on average.
std::optional<double> over_table(const std::vector<IterationTimes>& iterations, Column column) {
    double sum = 0;
    int count = 0;
    for (const IterationTimes& times : iterations) {
        if (!(times.*column)) continue;
        sum += 100 * (times.table / *(times.*column) - 1);
        ++count;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// Iterations, in per cent, in which ours on the GPU takes less than either on the CPU.
std::optional<double> won(const std::vector<IterationTimes>& iterations) {
    if (iterations.empty() || !iterations.front().running_cuda) return std::nullopt;
    const auto wins =
        std::count_if(iterations.begin(), iterations.end(), [](const IterationTimes& times) {
            return std::min(*times.running_cuda, *times.table_cuda) <
                   std::min(times.table, times.running);
        });
    return 100 * static_cast<double>(wins) / static_cast<double>(iterations.size());
}

/// The sentences of the paper's conclusions, beside what the iterations gave.
void headlines(std::string_view smoother, const PublishedHeadlines& theirs,
               const std::vector<IterationTimes>& iterations, PaperReport& report) {
    report.add({std::string(smoother)},
               {{best(iterations, &IterationTimes::cached), theirs.cached},
                {best(iterations, &IterationTimes::table), theirs.table},
                {best(iterations, &IterationTimes::letter_cuda), theirs.gpu},
                {over_table(iterations, &IterationTimes::letter_cuda), theirs.gpu_over_table},
                best(iterations, &IterationTimes::running_cuda),
                over_table(iterations, &IterationTimes::running_cuda),
                won(iterations)});
}

/// Both smoothers of an iteration without a file or a transfer between them.
void both_in_one(const PaperBench& bench, const SmoothingSubject& cells, SmoothersOnDevice* device,
                 PaperReport& report, Monitor& monitor) {
    report.begin("Both smoothers",
                 "milliseconds of an iteration with both smoothers in one piece, which the paper "
                 "proposes: perturbations go in, nodes come out, and on the GPU nothing moves "
                 "between\n"
                 "  SVT, running  on one thread of the CPU",
                 {"stage", "cells", "vertices"},
                 {{"SVT", "ms", false},
                  {"running", "ms", false},
                  {"table_CUDA", "ms", false},
                  {"running_CUDA", "ms", false}});
    const Grid grid{potrillo_vertices, {}, {1, 1, 1}};
    const Execution cpu = on_cpu(1, monitor);
    for (std::size_t n = 0; n < cell_smoother.sizes.size(); ++n) {
        if (bench.quick && n % 5 != 0) continue;
        monitor.check();
        const SmoothingSize& cell = cell_smoother.sizes[n];
        const SmoothingSize& vertex = vertex_smoother.sizes[n];
        const std::vector<std::string> labels{std::to_string(n + 1), to_string(cell),
                                              to_string(vertex)};
        const auto host = [&](std::string_view column, Smoother smoother) {
            return report.host_value(labels, column, [&] {
                return 1e3 * median_seconds(short_runs, [&] {
                           Field<double> values = cells.fresh.copy();
                           smooth_cells(values, cells.coverage, cell, {smoother}, cpu);
                           Field<double> nodes = cells_to_nodes(grid, values, cell);
                           smooth_vertices(nodes.view(), vertex, {smoother}, {}, cpu);
                       });
            });
        };
        const auto ours = [&](Smoother smoother) -> std::optional<double> {
            if (device == nullptr) return std::nullopt;
            return device->both(cells, cell, vertex, smoother);
        };
        report.add(labels, {host("SVT", Smoother::table), host("running", Smoother::running),
                            ours(Smoother::table), ours(Smoother::running)});
    }
}

}  // namespace

void paper4_smoothers(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const SmoothingSubject cell = cell_subject();
    const SmoothingSubject vertex = vertex_subject();
    std::unique_ptr<SmoothersOnDevice> device;
    if (bench.device == Device::cuda) device = std::make_unique<SmoothersOnDevice>();
    const auto of_cells = iterations(bench, "Table 5", cell, device.get(), report, monitor);
    const auto of_vertices = iterations(bench, "Table 11", vertex, device.get(), report, monitor);
    if (report.wants("Headlines")) {
        report.begin(
            "Headlines",
            "the largest speed-up over basic of each algorithm in Tables 5 and 11, and how "
            "many per cent faster than SVT the GPU is on average: the paper's SVT_CUDA, "
            "then our running_CUDA\n"
            "  won  iterations in which ours on the GPU is faster than SVT and running on "
            "the CPU",
            {"smoother"},
            {{"caching", "", true},
             {"SVT", "", true},
             {"SVT_CUDA", "", true},
             {"CUDA_over_SVT", "%", true},
             {"running_CUDA", "", false},
             {"ours_over_SVT", "%", false},
             {"won", "%", false}});
        headlines("cells", cell_headlines, of_cells, report);
        headlines("vertices", vertex_headlines, of_vertices, report);
    }
    if (report.wants("Both smoothers")) both_in_one(bench, cell, device.get(), report, monitor);
}

}  // namespace fermat::bench
