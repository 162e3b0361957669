#include "cli/app.hpp"
#include "cli/commands.hpp"

int main(int argc, char** argv) {
    fermat::cli::Program program;
    fermat::cli::add_model_commands(program);
    fermat::cli::add_times_command(program);
    fermat::cli::add_info_command(program);
    return program.run(argc, argv);
}
