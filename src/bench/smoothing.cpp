#include "bench/smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/measure.hpp"
#include "bench/papers/paper4_published.hpp"
#include "bench/table.hpp"
#include "core/version.hpp"
#include "tomography/smoothing/smoothing.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat::bench {
namespace {

/// The Potrillo model of paper 4: 414,414 vertices.
constexpr Shape vertices{207, 77, 26};
constexpr Shape cells{206, 76, 25};

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
    void row(std::string_view what, Shape shape, const SmoothingSize& box,
             const SmoothingRow& paper, Smooth smooth, OnDevice on_device) {
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
        const double additions = static_cast<double>(shape.count()) * box.x * box.y * box.z;
        const bool skip = options_.quick && additions > patience;
        const CsvCell none = std::string_view();
        const double basic = skip ? 0 : milliseconds(Smoother::basic, 1);
        const std::string size = to_string(box);
        table_.add({what, std::string_view(size), skip ? none : CsvCell(basic), cached, table,
                    running, device_ms(Smoother::table), device_ms(Smoother::running),
                    table / running, skip ? none : CsvCell(basic / running), paper.basic,
                    paper.cached, paper.table, paper.gpu});
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
    // The first of the paper's six rows of each size.
    for (std::size_t n = 0; n < cell_smoother.sizes.size(); ++n) {
        const SmoothingSize& box = cell_smoother.sizes[n];
        bench.row(
            "cells", cells, box, cell_smoother.rows[6 * n],
            [&](Field<double>& values, Smoother smoother) {
                smooth_cells(values, coverage, box, {smoother}, bench.by(smoother));
            },
            [&](Field<double>& values, Smoother smoother) {
                return smooth_cells_cuda(values, coverage, box, smoother, 1);
            });
    }
    for (std::size_t n = 0; n < vertex_smoother.sizes.size(); ++n) {
        const SmoothingSize& box = vertex_smoother.sizes[n];
        bench.row(
            "vertices", vertices, box, vertex_smoother.rows[6 * n],
            [&](Field<double>& values, Smoother smoother) {
                smooth_vertices(values.view(), box, {smoother}, {}, bench.by(smoother));
            },
            [&](Field<double>& values, Smoother smoother) {
                return smooth_vertices_cuda(values, {}, box, smoother, 1);
            });
    }
    table.commit();
}

}  // namespace fermat::bench
