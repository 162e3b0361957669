#include <csignal>

#include "cli/app.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

int main(int argc, char** argv) {
    // A file that reaches the shell's size limit is then a failed write with an error message.
    std::signal(SIGXFSZ, SIG_IGN);
    fermat::cli::fill_standard_streams();
    fermat::cli::remove_files_at_signals();
    fermat::cli::Program program;
    fermat::cli::add_model_commands(program);
    fermat::cli::add_times_command(program);
    fermat::cli::add_rays_command(program);
    fermat::cli::add_phases_command(program);
    fermat::cli::add_picks_command(program);
    fermat::cli::add_locate_command(program);
    fermat::cli::add_relocate_command(program);
    fermat::cli::add_invert_command(program);
    fermat::cli::add_smooth_command(program);
    fermat::cli::add_report_command(program);
    fermat::cli::add_watch_command(program);
    fermat::cli::add_package_commands(program);
    fermat::cli::add_bench_commands(program);
    fermat::cli::add_info_command(program);
    fermat::cli::add_help_command(program);
    fermat::cli::add_completion_command(program);
    fermat::cli::RankSession session;
    return program.run(argc, argv, session);
}
