#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/python_package.hpp"
#include "cli/report_writer.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {
namespace {

struct ReportCommandFlags : ReportFlags {
    std::optional<std::filesystem::path> model;
    std::optional<double> reduce;
};

void add_flags(CLI::App& app, ReportCommandFlags& flags) {
    add_report_flags(app, flags);
    add_path(app, "--model", flags.model,
             "of rays of fermat phases: the layered medium that they were traced in");
    add_value(app, "--reduce", "V", flags.reduce,
              "of rays of fermat phases: times less distance over this velocity", parse_real);
}

/// Rays of later phases are drawn by the Python package.
[[noreturn]] void report_phases(const ReportCommandFlags& flags, const Run& run) {
    if (!flags.model) {
        throw InputError(
            fmt::format("no --model is given ('{}' is taken for rays of fermat phases, which need "
                        "their layered medium; other reports are of a folder of fermat invert or "
                        "of a catalogue in CSV)",
                        flags.report.run.string()));
    }
    const ReportOptions& report = flags.report;
    std::vector<std::string> words{"phase-report", "--what=" + report.run.string(),
                                   "--output=" + flags.output.string(),
                                   "--model=" + flags.model->string()};
    if (flags.reduce) words.push_back(fmt::format("--reduce={}", *flags.reduce));
    if (!report.title.empty()) words.push_back("--title=" + report.title);
    if (!report.units.length.empty()) words.push_back("--length-unit=" + report.units.length);
    if (!report.units.time.empty()) words.push_back("--time-unit=" + report.units.time);
    if (run.common.quiet) words.emplace_back("--quiet");
    become_package_command(words);
}

void write_report(const ReportCommandFlags& flags, const Run& run) {
    check_report_output(flags);
    if (suffix_of(flags.report.run) == ".h5") report_phases(flags, run);
    if (flags.model || flags.reduce) {
        throw InputError(
            fmt::format("{} is of rays of fermat phases, and '{}' has none (leave it out)",
                        flags.model ? "--model" : "--reduce", flags.report.run.string()));
    }
    write_report_page(flags);
    if (!run.common.quiet) fmt::print("wrote {}\n", printable(flags.output.string()));
}

}  // namespace

void add_report_command(Program& program) {
    program.add_command<ReportCommandFlags>(
        program.root(), "report",
        "Show a run of fermat invert, a catalogue of events or later phases as one HTML page",
        "fermat model gradient --shape 41,21 --spacing 1 --v0 2 --gradient 0.1 -o start.h5\n"
        "fermat model checkerboard --base start.h5 --size 10 --amplitude 0.05 -o true.h5\n"
        "printf 'x,z\\n0,0\\n20,0\\n40,0\\n' > sources.csv\n"
        "printf 'x,z\\n5,0\\n10,0\\n30,0\\n35,0\\n' > receivers.csv\n"
        "fermat picks --model true.h5 --sources sources.csv --receivers receivers.csv "
        "-o picks.csv\n"
        "printf 'iterations,cell_x,cell_z,vertex_x,vertex_z\\n2,9,9,3,3\\n' > schedule.csv\n"
        "fermat invert --model start.h5 --picks picks.csv --schedule schedule.csv -o run --quiet\n"
        "fermat report run -o report.html --start start.h5",
        &add_flags, &write_report);
}

}  // namespace fermat::cli
