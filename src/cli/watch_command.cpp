#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/report_writer.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "io/csv.hpp"
#include "io/folder_lock.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct WatchFlags {
    ReportFlags page;
    double every = 2;
};

void add_flags(CLI::App& app, WatchFlags& flags) {
    add_report_flags(app, flags.page);
    add_value(app, "--every", "S", flags.every, "seconds between two looks at the folder",
              [](std::string_view flag, std::string_view text) {
                  const double seconds = parse_real(flag, text);
                  if (!(seconds >= 0.1 && seconds <= 3600)) {
                      throw InputError(flag_message(flag, text, "must be from 0.1 to 3600"));
                  }
                  return seconds;
              })
        ->default_str("2");
}

using Stamp = std::optional<fs::file_time_type>;

/// When the file that a page is made of was written; nothing where it is not there.
Stamp stamp_of(const fs::path& run, RunPhase phase) {
    std::error_code error;
    const fs::path file = run / (phase == RunPhase::ended ? "model.h5" : "checkpoint.h5");
    const auto time = fs::last_write_time(file, error);
    return error ? Stamp() : Stamp(time);
}

/// Whether a run has begun in the folder. A file of that name is refused later.
bool has_begun(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) return true;
    for (const char* name : {"settings.toml", "checkpoint.h5", "model.h5"}) {
        if (fs::exists(folder / name, ignored)) return true;
    }
    return FolderLock::is_held(folder);
}

/// "iteration 3: rms 0.0123", of the last model that is judged.
std::string last_line(const fs::path& run) {
    const CsvTable history(run / "history.csv");
    const std::size_t last = history.rows() - 1;
    return fmt::format("iteration {}: rms {:.5g}", history.text(last, history.column("iteration")),
                       history.number(last, history.column("rms")));
}

/// Waits, and ends early where the user asks for it.
void wait(double seconds, Monitor& monitor) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
        monitor.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

void watch(const WatchFlags& flags, const Run& run) {
    check_report_output(flags.page);
    const fs::path& folder = flags.page.report.run;
    const auto say = [&](const std::string& line) {
        if (run.common.quiet) return;
        fmt::print("{}\n", printable(line));
        std::fflush(stdout);
    };
    if (!has_begun(folder)) {
        say(fmt::format("waiting for an inversion in '{}'", folder.string()));
        while (!has_begun(folder)) wait(flags.every, run.monitor);
    }
    Stamp shown;
    for (;;) {
        const RunPhase phase = phase_of_run(folder);
        const Stamp now = stamp_of(folder, phase);
        if (now && now != shown) {
            write_report_page(flags.page);
            shown = now;
            say(fmt::format("{}; wrote {}", last_line(folder), flags.page.output.string()));
        }
        if (phase == RunPhase::ended) {
            say("the run has ended");
            return;
        }
        if (phase == RunPhase::stopped) {
            throw ComputeError(fmt::format(
                "no inversion is running in '{}', and it has no model.h5 (start fermat invert, or "
                "go on with --resume, before it is watched)",
                folder.string()));
        }
        wait(flags.every, run.monitor);
    }
}

}  // namespace

void add_watch_command(Program& program) {
    program.add_command<WatchFlags>(
        program.root(), "watch", "Renew the page of fermat report while fermat invert runs",
        "fermat model gradient --shape 41,21 --spacing 1 --v0 2 --gradient 0.1 -o start.h5\n"
        "fermat model checkerboard --base start.h5 --size 10 --amplitude 0.05 -o true.h5\n"
        "printf 'x,z\\n0,0\\n20,0\\n40,0\\n' > sources.csv\n"
        "printf 'x,z\\n5,0\\n10,0\\n30,0\\n35,0\\n' > receivers.csv\n"
        "fermat picks --model true.h5 --sources sources.csv --receivers receivers.csv "
        "-o picks.csv\n"
        "fermat invert --model start.h5 --picks picks.csv --error 0.1 -o run --quiet\n"
        "fermat watch run -o live.html",
        &add_flags, &watch);
}

}  // namespace fermat::cli
