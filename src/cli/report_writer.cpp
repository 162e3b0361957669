#include "cli/report_writer.hpp"

#include <array>

#include "cli/flags.hpp"
#include "cli/outputs.hpp"
#include "cli/report_page.hpp"
#include "cli/run_folder.hpp"
#include "cli/unit_flags.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {

namespace fs = std::filesystem;

void add_report_flags(CLI::App& app, ReportFlags& flags) {
    add_value(app, "--run,folder", "FOLDER", flags.report.run,
              "folder that fermat invert wrote, the events' CSV of fermat locate or relocate, or "
              "the rays (.h5) of fermat phases",
              parse_path)
        ->required();
    add_output(app, "-o,--output", flags.output, "page to write: .html")
        ->default_str("report.html");
    add_path(app, "--start", flags.report.start, "the run's start model, to show what changed");
    add_path(app, "--stations", flags.report.stations,
             "of events: where stations are, as for fermat locate");
    add_path(app, "--fits", flags.report.fits,
             "of events: the CSV that --fits of fermat locate or relocate wrote, for residuals by "
             "station");
    add_value(app, "--title", "TEXT", flags.report.title, "heading (default: the folder's name)",
              parse_text);
    add_unit_flags(app, flags.report.units, "the run's");
}

void check_report_output(const ReportFlags& flags) {
    const std::string suffix = suffix_of(flags.output);
    if (suffix != ".html" && suffix != ".htm") {
        throw InputError(flag_message("--output", flags.output.string(), "must end in .html"));
    }
    const std::array output{FlagFile{"--output", flags.output}};
    if (is_catalogue_report(flags.report)) {
        std::vector<FlagFile> inputs{{"--run", flags.report.run}};
        if (flags.report.stations) inputs.push_back({"--stations", *flags.report.stations});
        if (flags.report.fits) inputs.push_back({"--fits", *flags.report.fits});
        check_different(inputs, output);
        return;
    }
    check_different(RunFolder(flags.report.run).files("--run"), output);
}

void write_report_page(const ReportFlags& flags) {
    const ReportOptions& options = flags.report;
    OutputFile file(flags.output);
    const std::string data = report_data(options);
    const std::string name = fs::weakly_canonical(options.run).filename().string();
    file.write(report_page(options.title.empty() ? name : options.title, data));
    file.commit();
}

}  // namespace fermat::cli
