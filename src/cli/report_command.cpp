#include <fmt/format.h>

#include <array>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/report_data.hpp"
#include "cli/report_page.hpp"
#include "cli/run_folder.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
    ReportOptions report;
    fs::path output = "report.html";
};

std::string parse_text(std::string_view, std::string_view text) { return std::string(text); }

void add_flags(CLI::App& app, ReportFlags& flags) {
    add_value(app, "--run,folder", "FOLDER", flags.report.run, "folder that fermat invert wrote",
              parse_path)
        ->required();
    add_output(app, "-o,--output", flags.output, "page to write: .html")
        ->default_str("report.html");
    add_path(app, "--start", flags.report.start, "the run's start model, to show what changed");
    add_value(app, "--title", "TEXT", flags.report.title, "heading (default: the folder's name)",
              parse_text);
    add_value(app, "--length-unit", "TEXT", flags.report.length, "name of your unit of length",
              parse_text)
        ->default_str("km");
    add_value(app, "--time-unit", "TEXT", flags.report.time, "name of your unit of time",
              parse_text)
        ->default_str("s");
}

void write_report(const ReportFlags& flags, const Run& run) {
    const std::string suffix = suffix_of(flags.output);
    if (suffix != ".html" && suffix != ".htm") {
        throw InputError(flag_message("--output", flags.output.string(), "must end in .html"));
    }
    const ReportOptions& options = flags.report;
    check_different(RunFolder(options.run).files("--run"),
                    std::array{FlagFile{"--output", flags.output}});
    OutputFile file(flags.output);
    const std::string data = report_data(options);
    const std::string name = fs::weakly_canonical(options.run).filename().string();
    file.write(report_page(options.title.empty() ? name : options.title, data));
    file.commit();
    if (!run.common.quiet) fmt::print("wrote {}\n", printable(flags.output.string()));
}

}  // namespace

void add_report_command(Program& program) {
    program.add_command<ReportFlags>(
        program.root(), "report", "Show a run of fermat invert as one HTML page",
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
