#include "bench/smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/version.hpp"
#include "tomography/smoothing/smoothing.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat::bench {
namespace {

/// The Potrillo model of paper 4: 414,414 vertices.
constexpr Shape vertices{207, 77, 26};
constexpr Shape cells{206, 76, 25};

/// A row of the paper's Tables 5 and 11 (Xeon, one thread, 2012): the first of the six rows of each
/// size.
struct PaperRow {
    SmoothingSize size;
    double basic;
    double cached;
    double table;
    double table_gpu;
};
constexpr PaperRow cell_rows[] = {
    {{96, 24, 24}, 113716.1, 2587.7, 27.2, 21.0}, {{48, 24, 16}, 41541.9, 1656.6, 27.3, 21.7},
    {{24, 12, 8}, 6332.7, 487.2, 27.7, 24.4},     {{12, 8, 6}, 1718, 264.8, 29.0, 25.3},
    {{6, 4, 2}, 170.9, 60, 29.4, 25.5},           {{4, 2, 2}, 64.2, 35.3, 29.9, 26.2}};
constexpr PaperRow vertex_rows[] = {
    {{97, 25, 25}, 97731.2, 2510, 22.4, 13.1}, {{49, 25, 17}, 36235.1, 1643.7, 22.8, 13.5},
    {{25, 13, 9}, 6240.8, 559.4, 23.8, 14.4},  {{13, 9, 7}, 1914.5, 325.6, 24.1, 14.7},
    {{7, 5, 3}, 292.9, 113.7, 24.2, 14.8},     {{5, 3, 3}, 153, 84.6, 24.2, 14.8}};

Field<double> random_values(Shape shape) {
    std::mt19937_64 random(1);
    Field<double> field(shape);
    for (double& value : field) value = static_cast<double>(random() >> 11) * 0x1p-53;
    return field;
}

class Bench {
  public:
    Bench(const SmoothingBench& options, Monitor& monitor, BenchTable& table)
        : options_(options), monitor_(monitor), table_(table) {}

    /// Measures one row: `smooth(values, smoother)` by each method on fresh values. `on_device`
    /// does the same on the CUDA device and returns its seconds.
    template <class Smooth, class OnDevice>
    void row(std::string_view what, Shape shape, const PaperRow& paper, Smooth smooth,
             OnDevice on_device) {
        const Field<double> fresh = random_values(shape);
        const auto device_ms = [&](Smoother smoother) -> CsvCell {
            if (options_.device != Device::cuda) return std::string_view();
            std::vector<double> seconds;
            for (int i = 0; i < repeats(); ++i) {
                Field<double> values = fresh.copy();
                seconds.push_back(on_device(values, smoother));
            }
            return 1e3 * median(std::move(seconds));
        };
        const auto milliseconds = [&](Smoother smoother, int repeats) {
            std::vector<double> seconds;
            for (int i = 0; i < repeats; ++i) {
                Field<double> values = fresh.copy();
                monitor_.check();
                const Stopwatch watch;
                smooth(values, smoother);
                seconds.push_back(watch.seconds());
            }
            return 1e3 * median(std::move(seconds));
        };
        const double table = milliseconds(Smoother::table, repeats());
        const double running = milliseconds(Smoother::running, repeats());
        const double cached = milliseconds(Smoother::cached, 1);
        // The work of `basic` is known in advance: some 10^9 additions per second.
        constexpr double patience = 1e9;
        const double additions =
            static_cast<double>(shape.count()) * paper.size.x * paper.size.y * paper.size.z;
        const bool skip = options_.quick && additions > patience;
        const CsvCell none = std::string_view();
        const double basic = skip ? 0 : milliseconds(Smoother::basic, 1);
        const std::string size = to_string(paper.size);
        table_.add({what, std::string_view(size), skip ? none : CsvCell(basic), cached, table,
                    running, device_ms(Smoother::table), device_ms(Smoother::running),
                    table / running, skip ? none : CsvCell(basic / running), paper.basic,
                    paper.cached, paper.table, paper.table_gpu});
    }

    Execution by(Smoother smoother) const {
        const bool able = smoother == Smoother::table || smoother == Smoother::running;
        return {options_.threads, able ? options_.device : Device::cpu, monitor_};
    }

  private:
    int repeats() const {
        return options_.repeats > 0 ? options_.repeats : options_.quick ? 5 : 21;
    }

    const SmoothingBench& options_;
    Monitor& monitor_;
    BenchTable& table_;
};

}  // namespace

void bench_smoothing(const SmoothingBench& options, Monitor& monitor) {
    const std::string title = fmt::format(
        "fermat {}: smoothing of {} vertices, {} thread{}{}, milliseconds a pass, beside paper 4's",
        version, to_string(vertices), options.threads, options.threads == 1 ? "" : "s",
        options.device == Device::cuda
            ? ", table and running on the CUDA device, both ways included"
            : "");
    BenchTable table(title,
                     {"smoother", "size", "basic_ms", "cached_ms", "table_ms", "running_ms",
                      "table_device_ms", "running_device_ms", "table/running", "basic/running",
                      "paper_basic_ms", "paper_cached_ms", "paper_table_ms", "paper_gpu_ms"},
                     options.csv);
    Bench bench(options, monitor, table);
    Field<double> coverage = random_values(cells);
    for (double& rays : coverage) rays = std::floor(std::max(0.0, 20 * rays - 10));
    for (const PaperRow& paper : cell_rows) {
        bench.row(
            "cells", cells, paper,
            [&](Field<double>& values, Smoother smoother) {
                smooth_cells(values, coverage, paper.size, {smoother}, bench.by(smoother));
            },
            [&](Field<double>& values, Smoother smoother) {
                return smooth_cells_cuda(values, coverage, paper.size, smoother, 1);
            });
    }
    for (const PaperRow& paper : vertex_rows) {
        bench.row(
            "vertices", vertices, paper,
            [&](Field<double>& values, Smoother smoother) {
                smooth_vertices(values.view(), paper.size, {smoother}, {}, bench.by(smoother));
            },
            [&](Field<double>& values, Smoother smoother) {
                return smooth_vertices_cuda(values, {}, paper.size, smoother, 1);
            });
    }
    table.commit();
}

}  // namespace fermat::bench
