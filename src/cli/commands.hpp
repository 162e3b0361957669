#pragma once

#include "cli/app.hpp"

namespace fermat::cli {

// One function per command; each adds its flags, help and example.
void add_model_commands(Program& program);
void add_times_command(Program& program);
void add_rays_command(Program& program);
void add_phases_command(Program& program);
void add_picks_command(Program& program);
void add_locate_command(Program& program);
void add_relocate_command(Program& program);
void add_invert_command(Program& program);
void add_smooth_command(Program& program);
void add_report_command(Program& program);
void add_watch_command(Program& program);
void add_package_commands(Program& program);
void add_bench_commands(Program& program);
void add_info_command(Program& program);
void add_help_command(Program& program);
void add_completion_command(Program& program);

}  // namespace fermat::cli
