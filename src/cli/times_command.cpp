#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/commands.hpp"
#include "cli/device_flags.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/graph_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "cli/times_fields.hpp"
#include "core/error.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/front.hpp"
#include "io/csv.hpp"
#include "io/metric_io.hpp"
#include "io/model_io.hpp"
#include "io/vtkhdf_image.hpp"
#include "times/arrival_reader.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct TimesFlags {
    fs::path model;
    std::vector<std::string> source;
    std::optional<fs::path> sources;
    bool together = false;
    std::optional<fs::path> front;
    std::optional<double> until;
    bool gradient = false;
    std::optional<fs::path> receivers;
    SolverFlags solver;
    std::vector<int> devices;
    Precision precision = Precision::single;
    std::optional<fs::path> output;
    std::optional<fs::path> table;
};

void add_flags(CLI::App& app, TimesFlags& flags) {
    add_path(app, "--model", flags.model, "velocity model")->required();
    add_repeated(app, "--source", "X,Y,Z", flags.source,
                 "a source; X,Z in 2-D; once per source: one field each");
    add_path(app, "--sources", flags.sources,
             "sources: CSV with columns x,y,z[,start_time] (no y in 2-D), or .sgt");
    app.add_flag("--together", flags.together,
                 "one field: the first arrival of all sources with their start times");
    add_path(app, "--front", flags.front,
             "in place of sources: a wavefront on nodes, .h5 with point array 'time' or .npy; "
             "NaN, infinite and negative mean unknown");
    add_value(app, "--until", "T", flags.until,
              "largest time of interest: later nodes are infinite and most are not computed",
              parse_real);
    app.add_flag("--gradient", flags.gradient,
                 "also write the gradient of the times: gradient_x, gradient_y, gradient_z (on a "
                 "sphere to the north, to the east and down, per km)");
    add_path(app, "--receivers", flags.receivers,
             "receivers: CSV with columns x,y,z (no y in 2-D), or .sgt");
    add_solver_flags(app, flags.solver);
    add_device_flags(app, flags.devices);
    add_choice(app, "--precision", flags.precision, "of the computation");
    add_output(app, "-o,--output", flags.output,
               "fields to write: .h5; infinite where none arrives");
    add_text_output(app, "--table", flags.table,
                    "CSV to write (-: standard output): source,receiver,time for all pairs, "
                    "numbered from 0");
}

/// What --front, --until and --gradient do not go with.
void check_fields(const TimesFlags& flags) {
    if (flags.front && (!flags.source.empty() || flags.sources || flags.together)) {
        throw InputError(
            "--front is given with sources (a front is where the wave starts: leave --source, "
            "--sources and --together out)");
    }
    const char* const special = flags.front      ? "--front"
                                : flags.until    ? "--until"
                                : flags.gradient ? "--gradient"
                                                 : nullptr;
    if (special != nullptr && flags.solver.names_graph()) {
        throw InputError(
            fmt::format("{} is given with --solver {} (the grid graph has none: use fim, "
                        "fmm or fsm)",
                        special, name_of(std::get<GraphSolver>(*flags.solver.solver))));
    }
    if (flags.until && flags.table) {
        throw InputError(
            "--until is given with --table (times at receivers are read from whole fields: leave "
            "one out)");
    }
    if (flags.gradient && !flags.output) throw InputError("--gradient needs -o times.h5");
    if (flags.gradient && flags.together) {
        throw InputError(
            "--gradient is given with --together (it is of one source's field: leave one out)");
    }
}

void check(const TimesFlags& flags, const CommonOptions& common) {
    if (flags.solver.names_graph()) {
        check_graph_device(flags.solver, common);
    } else if (common.device != Device::opengl) {
        usable_device(common);
    }
    if (flags.solver.names_graph() && flags.precision == Precision::full) {
        throw InputError(fmt::format("--precision is 'double' (--solver {} computes in single)",
                                     name_of(std::get<GraphSolver>(*flags.solver.solver))));
    }
    check_fields(flags);
    if (!flags.output && !flags.table) {
        throw InputError("nothing to write (use -o times.h5, or --receivers r.csv --table t.csv)");
    }
    if (flags.receivers.has_value() != flags.table.has_value()) {
        throw InputError(flags.table ? "--table needs --receivers r.csv"
                                     : "--receivers needs --table t.csv");
    }
    check_hdf5_output({"--output", flags.output});
}

/// What is known once the flags and files are read.
struct Job {
    const Model& model;
    const std::vector<PointSource>& sources;
    const std::vector<Vec3>& receivers;
    const TimeSolver& solver;
    Precision precision;
    bool gradient;
    Execution execution;
};

/// Times at receivers, [source][receiver].
class PairTimes {
  public:
    explicit PairTimes(const Job& job)
        : receivers_(job.receivers), times_(job.sources.size() * job.receivers.size()) {}
    explicit PairTimes(const Job& job, std::vector<double> times)
        : receivers_(job.receivers), times_(std::move(times)) {}

    void read(std::size_t source, const Model& model, ArrivalField& field) {
        const ArrivalReader read(model, field);
        for (std::size_t r = 0; r < receivers_.size(); ++r) {
            times_[source * receivers_.size() + r] = read.at(receivers_[r]);
        }
    }
    std::size_t sources() const {
        return receivers_.empty() ? 0 : times_.size() / receivers_.size();
    }
    double at(std::size_t source, std::size_t receiver) const {
        return times_[source * receivers_.size() + receiver];
    }

  private:
    const std::vector<Vec3>& receivers_;
    std::vector<double> times_;
};

/// Writes times, and their gradient on request.
void write_arrivals(ImageWriter& image, const std::string& name, ArrivalField&& field,
                    bool gradient) {
    if (TimeField* const eikonal = field.eikonal()) {
        write_field(image, name, std::move(*eikonal), gradient);
    } else if (BasicTimeField<double>* const exact = field.exact()) {
        write_field(image, name, std::move(*exact), gradient);
    } else {
        if (gradient) write_gradient(image, name, field.gradient_on_nodes());
        image.add_point_array(name, field.on_nodes());
    }
}

/// Solves one field per source and writes each when it is ready. The names of the fields, not their
/// order in time, say whose they are; their places in the file are given out before. HDF5 lets one
/// thread in at a time by itself.
PairTimes solve_each(const Job& job, ImageWriter* image) {
    const std::size_t count = job.sources.size();
    if (image != nullptr && count > 1) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < count; ++i) {
            names.push_back(time_array_name(i, count));
            for (int axis = 0; axis < 3 && job.gradient; ++axis) {
                if (axis == 1 && job.model.grid().is_2d()) continue;
                names.push_back(gradient_array_name(time_array_name(i, count), axis));
            }
        }
        image->reserve_point_arrays(names);
    }
    PairTimes pairs(job);
    if (image == nullptr) {
        return PairTimes(job, job.solver.receiver_times(job.sources, job.receivers, job.execution));
    }
    job.solver.for_each_field(job.sources, job.execution, [&](std::size_t i, ArrivalField&& field) {
        pairs.read(i, job.model, field);
        write_arrivals(*image, time_array_name(i, count), std::move(field), job.gradient);
    });
    return pairs;
}

/// The field of a front, as that of one source.
PairTimes solve_from_front(const fs::path& file, const Job& job, ImageWriter* image) {
    const Field<double> front = read_front(file, job.model);
    Notes notes;
    ArrivalField field = job.solver.solve_front(front, job.execution, notes);
    tell(notes);
    std::vector<double> times;
    const ArrivalReader read(job.model, field);
    for (const Vec3& receiver : job.receivers) times.push_back(read.at(receiver));
    if (image != nullptr) {
        write_arrivals(*image, time_array_name(0, 1), std::move(field), job.gradient);
    }
    return PairTimes(job, std::move(times));
}

void write_together(const Job& job, ImageWriter& image) {
    const std::string name = time_array_name(0, 1);
    if (job.precision == Precision::full) {
        image.add_point_array(
            name, to_single(job.solver.first_arrivals<double>(job.sources, job.execution)));
    } else {
        image.add_point_array(name, job.solver.first_arrivals(job.sources, job.execution));
    }
}

void add_row(CsvWriter& table, std::size_t source, std::size_t receiver, double time) {
    table.add_row({static_cast<std::int64_t>(source), static_cast<std::int64_t>(receiver), time});
}

void fill_table(const Job& job, const PairTimes& pairs, CsvWriter& table, bool together) {
    for (std::size_t r = 0; r < job.receivers.size() && together; ++r) {
        std::size_t first = 0;
        for (std::size_t s = 1; s < job.sources.size(); ++s) {
            if (pairs.at(s, r) < pairs.at(first, r)) first = s;
        }
        add_row(table, first, r, pairs.at(first, r));
    }
    for (std::size_t s = 0; s < pairs.sources() && !together; ++s) {
        for (std::size_t r = 0; r < job.receivers.size(); ++r) add_row(table, s, r, pairs.at(s, r));
    }
}

void compute_times(const TimesFlags& flags, const Run& run) {
    check(flags, run.common);
    const auto devices = named_devices(flags.devices, run.common);
    EikonalOptions options = eikonal_options(flags.solver);
    if (flags.until) options.until = *flags.until;
    Notes notes;
    const Model model = read_model(flags.model, notes);
    const GraphOptions on_graph = graph_options(flags.solver, model.grid());
    std::vector<PointSource> sources;
    if (!flags.front) {
        sources =
            read_survey_sources(model, flags.source, flags.sources, AirPoints::refused, notes);
    }
    std::vector<Vec3> receivers;
    if (flags.receivers)
        receivers = read_survey_receivers(model, *flags.receivers, AirPoints::refused, notes);
    tell(notes);

    // Opened first: that an output cannot be written is told before the work.
    std::optional<ImageWriter> image;
    std::optional<CsvWriter> table;
    if (flags.output) image.emplace(*flags.output, model.grid());
    if (image) write_coordinates(*image, model);
    if (flags.table)
        table.emplace(*flags.table, std::vector<std::string>{"source", "receiver", "time"});

    const auto start = std::chrono::steady_clock::now();
    const TimeMethod method =
        flags.solver.names_graph() ? TimeMethod(on_graph) : TimeMethod(options);
    const TimeSolver solver(model, method, run.execution(), flags.precision);
    const Job job{model,           sources,        receivers,      solver,
                  flags.precision, flags.gradient, run.execution()};
    if (image && flags.together) write_together(job, *image);
    if (flags.front) {
        const PairTimes pairs = solve_from_front(*flags.front, job, image ? &*image : nullptr);
        if (table) fill_table(job, pairs, *table, false);
    } else if (table || !flags.together) {
        const bool fields = image && !flags.together;
        const PairTimes pairs = solve_each(job, fields ? &*image : nullptr);
        if (table) fill_table(job, pairs, *table, flags.together);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;

    run.monitor.check();
    tell(solver.notes());
    if (image) image->commit();
    if (table) table->commit();
    spdlog::info("{} and {} receiver(s) on {} nodes in {:.3g} s",
                 flags.front ? "a front" : fmt::format("{} source(s)", sources.size()),
                 receivers.size(), to_string(model.grid().shape), spent.count());
}

}  // namespace

void add_times_command(Program& program) {
    program.add_command<TimesFlags>(
        program.root(), "times", "First-arrival traveltimes of sources, as fields or at receivers",
        "fermat model gradient --shape 65,65,33 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5\n"
        "fermat times --model model.h5 --source 3,3,0.5 --solver fim --order 2 -o times.h5\n"
        "printf 'x,y,z\\n1,1,0\\n5,5,0\\n' > receivers.csv\n"
        "fermat times --model model.h5 --source 3,3,0.5 --source 2,4,1 --receivers receivers.csv "
        "--table times.csv\n"
        "fermat times --model model.h5 --source 3,3,0.5 --until 0.4 -o near.h5\n"
        "fermat times --model model.h5 --front near.h5 --gradient -o all.h5",
        &add_flags, &compute_times);
}

}  // namespace fermat::cli
