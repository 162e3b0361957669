#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/report_writer.hpp"
#include "core/printable.hpp"

namespace fermat::cli {
namespace {

void write_report(const ReportFlags& flags, const Run& run) {
    check_report_output(flags);
    write_report_page(flags);
    if (!run.common.quiet) fmt::print("wrote {}\n", printable(flags.output.string()));
}

}  // namespace

void add_report_command(Program& program) {
    program.add_command<ReportFlags>(
        program.root(), "report",
        "Show a run of fermat invert, or a catalogue of events, as one HTML page",
        "fermat model gradient --shape 41,21 --spacing 1 --v0 2 --gradient 0.1 -o start.h5\n"
        "fermat model checkerboard --base start.h5 --size 10 --amplitude 0.05 -o true.h5\n"
        "printf 'x,z\\n0,0\\n20,0\\n40,0\\n' > sources.csv\n"
        "printf 'x,z\\n5,0\\n10,0\\n30,0\\n35,0\\n' > receivers.csv\n"
        "fermat picks --model true.h5 --sources sources.csv --receivers receivers.csv "
        "-o picks.csv\n"
        "printf 'iterations,cell_x,cell_z,vertex_x,vertex_z\\n2,9,9,3,3\\n' > schedule.csv\n"
        "fermat invert --model start.h5 --picks picks.csv --schedule schedule.csv -o run --quiet\n"
        "fermat report run -o report.html --start start.h5",
        &add_report_flags, &write_report);
}

}  // namespace fermat::cli
