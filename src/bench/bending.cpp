#include "bench/bending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bench/costa_rica.hpp"
#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/error.hpp"
#include "eikonal/eikonal.hpp"
#include "io/csv.hpp"
#include "io/model_io.hpp"
#include "model/analytic.hpp"
#include "rays/bending/rays.hpp"
#include "rays/rays.hpp"

namespace fermat::bench {
namespace {

namespace fs = std::filesystem;

/// One measurement; values that do not apply are empty.
struct Row {
    std::string_view table;
    std::string name;
    std::size_t sources = 0;
    std::size_t rays = 0;
    int threads = 1;
    double seconds = 0;
    std::optional<double> speedup{};
    std::optional<double> within{};  ///< percentage of rays within 0.5 % of the reference
    std::optional<double> below{};   ///< percentage of rays earlier than it by more than 0.1 %
    std::optional<double> mean{};    ///< mean relative error
    std::optional<double> worst{};
    std::optional<double> lowest{};
};

class Report {
  public:
    explicit Report(const std::optional<fs::path>& csv) {
        if (!csv) return;
        csv_.emplace(*csv, std::vector<std::string>{"table", "name", "sources", "rays", "threads",
                                                    "seconds", "rays_per_s", "speedup",
                                                    "within_percent", "below_percent", "mean_error",
                                                    "worst_error", "lowest_error"});
    }

    void keep(const Row& row) {
        if (csv_) csv_->add_row(cells(row));
    }
    void commit() {
        if (csv_) csv_->commit();
    }

    static std::vector<CsvCell> cells(const Row& row) {
        const auto real = [](const std::optional<double>& value) {
            return value ? CsvCell(*value) : CsvCell(std::string_view());
        };
        return {row.table,
                std::string_view(row.name),
                static_cast<std::int64_t>(row.sources),
                static_cast<std::int64_t>(row.rays),
                std::int64_t{row.threads},
                row.seconds,
                static_cast<double>(row.rays) / row.seconds,
                real(row.speedup),
                real(row.within),
                real(row.below),
                real(row.mean),
                real(row.worst),
                real(row.lowest)};
    }

  private:
    std::optional<CsvWriter> csv_;
};

/// Prints some columns of the report as a table on the terminal.
class Shown {
  public:
    Shown(const std::string& title, std::vector<std::string> names,
          std::vector<std::size_t> columns)
        : table_(title, std::move(names), {}), columns_(std::move(columns)) {}

    void add(const Row& row, Report& report) {
        const auto all = Report::cells(row);
        std::vector<CsvCell> some;
        for (const std::size_t column : columns_) some.push_back(all[column]);
        table_.add(some);
        report.keep(row);
    }

  private:
    BenchTable table_;
    std::vector<std::size_t> columns_;
};

/// The arrivals of `count` events, which are spread evenly over the list.
Survey part_of(const Survey& survey, std::size_t count) {
    std::vector<std::int32_t> taken;
    for (std::size_t a = 0; a < survey.arrivals.size(); ++a) {
        const auto n = static_cast<std::size_t>(survey.arrivals[a].event);
        const std::size_t events = survey.events.size();
        const bool is_taken = (n + 1) * count / events > n * count / events;
        if (is_taken) taken.push_back(static_cast<std::int32_t>(a));
    }
    return subset(survey, taken);
}

RaySet bend(const Model& model, const Survey& survey, const BendingOptions& bending,
            const Execution& execution) {
    RayOptions options;
    options.tracer = Tracer::bending;
    options.bending = bending;
    return trace_rays(model, survey, options, execution);
}

/// Adds to a row the relative errors of rays, with one reference time per ray.
void add_errors(const RaySet& rays, const std::vector<double>& reference, Row& row) {
    double within = 0;
    double below = 0;
    double sum = 0;
    double worst = -INFINITY;
    double lowest = INFINITY;
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const double error = rays.rays[n].time / reference[n] - 1;
        within += std::abs(error) <= 0.005;
        below += error < -0.001;
        sum += error;
        worst = std::max(worst, error);
        lowest = std::min(lowest, error);
    }
    const auto count = static_cast<double>(rays.size());
    row.within = 100 * within / count;
    row.below = 100 * below / count;
    row.mean = sum / count;
    row.worst = worst;
    row.lowest = lowest;
}

std::vector<int> doubled_counts(int most) {
    std::vector<int> counts;
    for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
    counts.push_back(most);
    return counts;
}

void figure_7(const BendingBench& bench, int repeats, const LocalSurvey& local, Report& report,
              Monitor& monitor) {
    Shown table("\nPaper 3's Figure 7: seconds by what is dealt out to threads",
                {"tasks", "sources", "rays", "threads", "seconds", "rays_per_s", "speedup"},
                {1, 2, 3, 4, 5, 6, 7});
    const std::vector<std::size_t> counts =
        bench.quick ? std::vector<std::size_t>{3, 30, 108}
                    : std::vector<std::size_t>{3, 10, 30, 100, 300, 1079};
    for (const std::size_t count : counts) {
        const Survey part = part_of(local.survey, count);
        for (const auto& [name, tasks] : choices<BendingTasks>.entries) {
            double serial = 0;
            for (const int threads : doubled_counts(bench.threads)) {
                BendingOptions options;
                options.tasks = tasks;
                Row row{"figure7", std::string(name), count, part.arrivals.size(), threads};
                row.seconds = median_seconds(
                    repeats, [&] { bend(local.model, part, options, on_cpu(threads, monitor)); });
                if (threads == 1) serial = row.seconds;
                row.speedup = serial / row.seconds;
                table.add(row, report);
            }
        }
    }
    fmt::print(
        "Sections of one ray are microseconds of work, which threads must hand to each other; "
        "pairs "
        "are\n"
        "handed over once per ray.\n");
}

/// The set's model on a grid `refine` times as fine, with slowness interpolated between the nodes.
Model refined(const Model& model, int refine) {
    Grid fine = model.grid();
    fine.spacing = fine.spacing / refine;
    fine.shape = {(fine.shape.x - 1) * refine + 1, (fine.shape.y - 1) * refine + 1,
                  (fine.shape.z - 1) * refine + 1};
    Field<float> velocity(fine.shape);
    for (int i = 0; i < fine.shape.x; ++i) {
        for (int j = 0; j < fine.shape.y; ++j) {
            for (int k = 0; k < fine.shape.z; ++k) {
                velocity(i, j, k) =
                    static_cast<float>(1 / slowness_at(model, fine.position({i, j, k})));
            }
        }
    }
    return Model(fine, std::move(velocity));
}

void accuracy(const BendingBench& bench, const LocalSurvey& local, Report& report,
              Monitor& monitor) {
    const int refine = bench.refine > 0 ? bench.refine : bench.quick ? 2 : 4;
    const Survey part = part_of(local.survey, bench.quick ? 108 : local.survey.events.size());
    const EikonalOptions eikonal;
    const Execution execution = on_cpu(bench.threads, monitor);
    std::vector<PointSource> from;
    std::vector<Vec3> to;
    for (const Event& event : part.events) from.push_back(event.source());
    for (const Station& station : part.stations) to.push_back(station.position);
    const auto times = receiver_times(refined(local.model, refine), from, to, eikonal, execution);
    std::vector<double> reference;
    for (const Arrival& arrival : part.arrivals) {
        reference.push_back(times[static_cast<std::size_t>(arrival.event) * to.size() +
                                  static_cast<std::size_t>(arrival.station)]);
    }
    Shown table(fmt::format("\nAccuracy by starts, relative to fim of order 2 on a grid of {:g} km",
                            5.0 / refine),
                {"starts", "rays", "rays_per_s", "within_percent", "below_percent", "mean_error",
                 "worst_error", "lowest_error"},
                {1, 3, 6, 8, 9, 10, 11, 12});
    struct Start {
        const char* name;
        StartSet starts;
    };
    using S = RayStart;
    std::vector<double> best(part.arrivals.size(), INFINITY);
    RaySet usual;
    std::vector<Start> all{{"straight", {S::straight}},
                           {"and deep", {S::straight, S::deep}},
                           {"and sides", {S::straight, S::deep, S::sides}},
                           {"descent", {S::descent}},
                           {"and descent", {S::straight, S::deep, S::sides, S::descent}}};
    // Seeds by `graph` take minutes: one shortest-path tree per source.
    if (!bench.quick) all.push_back({"and graph", {S::straight, S::deep, S::sides, S::graph}});
    for (const Start& start : all) {
        BendingOptions options;
        options.starts = start.starts;
        Row row{"accuracy", start.name, part.events.size(), part.arrivals.size(), bench.threads};
        const Stopwatch watch;
        const RaySet rays = bend(local.model, part, options, execution);
        row.seconds = watch.seconds();
        add_errors(rays, reference, row);
        table.add(row, report);
        for (std::size_t n = 0; n < best.size(); ++n) {
            best[n] = std::min(best[n], rays.rays[n].time);
        }
        if (start.name == std::string_view("and sides")) usual = rays;
    }
    int slow = 0;
    int elsewhere = 0;
    for (std::size_t n = 0; n < best.size(); ++n) {
        if (usual.rays[n].time <= 1.005 * reference[n]) continue;
        ++slow;
        elsewhere += best[n] <= 1.005 * reference[n];
    }
    fmt::print(
        "Of the default's {} rays, {} are over 0.5 % late; for {} of these another start finds "
        "the\n"
        "faster branch. A bent ray's time is that of a path, so rays below the reference show the\n"
        "reference's own error, which falls with its spacing (--refine).\n",
        best.size(), slow, elsewhere);
}

/// Bends rays in a constant gradient, where the arcs are known in closed form.
void constant_gradient(const BendingBench& bench, Report& report, Monitor& monitor) {
    constexpr int count = 1000;
    const LinearVelocity medium{2, {0, 0, 0.5}};
    const VelocityField field{[&](Vec3 p) { return medium.velocity(p); }, {}, false};
    std::mt19937_64 random(1);
    const auto next = [&] {
        const auto share = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        return Vec3{10 * share(), 10 * share(), 10 * share()};
    };
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    std::vector<RayPair> pairs;
    std::vector<double> exact;
    for (int n = 0; n < count; ++n) {
        sources.push_back({next(), 0});
        receivers.push_back(next());
        pairs.push_back({n, n});
        exact.push_back(medium.time(sources.back().position, receivers.back()));
    }
    Row row{"gradient", "v = 2 + z/2", count, count, bench.threads};
    const Stopwatch watch;
    const RaySet rays = bend_rays(field, survey_of(sources, receivers, pairs),
                                  {{RayStart::straight}, 0, {}}, on_cpu(bench.threads, monitor));
    row.seconds = watch.seconds();
    add_errors(rays, exact, row);
    Shown table("\nConstant gradient by a function of (x, y, z), relative to the closed form",
                {"medium", "rays", "rays_per_s", "mean_error", "worst_error", "lowest_error"},
                {1, 3, 6, 10, 11, 12});
    table.add(row, report);
}

void on_cuda(int repeats, const LocalSurvey& local, Report& report, Monitor& monitor) {
    Shown table("\nOn a CUDA device: seconds in all and of the kernels",
                {"what", "rays", "seconds", "rays_per_s"}, {1, 3, 5, 6});
    double kernels = 0;
    const auto run = [&] {
        kernels = bend_rays_cuda(local.model, local.survey, {}, monitor, [](RaySet&&) {});
    };
    run();  // the first run also creates the CUDA context
    Row row{"cuda", "in all", local.survey.events.size(), local.survey.arrivals.size(), 1};
    row.seconds = median_seconds(repeats, run);
    table.add(row, report);
    row.name = "kernels";
    row.seconds = kernels;
    table.add(row, report);
}

void write_survey(const fs::path& folder, const LocalSurvey& local) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) {
        throw InputError(
            fmt::format("cannot make the folder '{}': {}", folder.string(), failed.message()));
    }
    write_model(folder / "model.h5", local.model);
    const auto write_points = [&](const char* name, const auto& points) {
        CsvWriter file(folder / name, {"x", "y", "z"});
        for (const auto& point : points) {
            file.add_row({point.position.x, point.position.y, point.position.z});
        }
        file.commit();
    };
    write_points("sources.csv", local.survey.events);
    write_points("receivers.csv", local.survey.stations);
    CsvWriter pairs(folder / "pairs.csv", {"source", "receiver"});
    for (const Arrival& arrival : local.survey.arrivals) {
        pairs.add_row({std::int64_t{arrival.event}, std::int64_t{arrival.station}});
    }
    pairs.commit();
}

}  // namespace

void bench_bending(const BendingBench& bench, Monitor& monitor) {
    const LocalSurvey local = costa_rica_survey();
    if (bench.write) {
        write_survey(*bench.write, local);
        return;
    }
    const int repeats = bench.repeats > 0 ? bench.repeats : bench.quick ? 1 : 3;
    Report report(bench.csv);
    constant_gradient(bench, report, monitor);
    figure_7(bench, repeats, local, report, monitor);
    if (bench.cuda) on_cuda(repeats, local, report, monitor);
    accuracy(bench, local, report, monitor);
    monitor.check();
    report.commit();
}

}  // namespace fermat::bench
