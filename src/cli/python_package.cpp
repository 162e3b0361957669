#include "cli/python_package.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "core/platform.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Starts the package's command, or says in one line what is missing.
constexpr const char* start_command = R"py(import sys
try:
    from fermat._commands import main
except ImportError as error:
    print("fermat: error: this command needs the Python package, which " + sys.executable +
          " has not (" + str(error) + "; pip install 'fermat-rays[plot]', or name another Python "
          "in FERMAT_PYTHON)", file=sys.stderr)
    sys.exit(2)
main(sys.argv[1:])
)py";

/// The Python of the checkout above the program, as scripts/build makes it; empty elsewhere.
std::string python_of_checkout() {
    std::error_code error;
    const fs::path program = own_program();
    for (fs::path folder = program.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        const fs::path python = folder / ".venv/bin/python";
        const bool is_checkout = fs::exists(folder / "python/fermat/_commands.py", error);
        if (is_checkout && fs::exists(python, error)) return python.string();
    }
    return "";
}

}  // namespace

std::string python() {
    const char* const name = std::getenv("FERMAT_PYTHON");
    if (name != nullptr && *name != '\0') return name;
    const std::string built = python_of_checkout();
    return built.empty() ? "python3" : built;
}

int run_program(std::vector<std::string> words) {
    const std::vector<char*> arguments = pointers_to(words);
    pid_t child = 0;
    if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
        return 127;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

void become_package_command(const std::vector<std::string>& words) {
    std::vector<std::string> all{python(), "-c", start_command};
    all.insert(all.end(), words.begin(), words.end());
    const std::vector<char*> arguments = pointers_to(all);
    std::fflush(nullptr);
    execvp(arguments[0], arguments.data());
    throw InputError(
        fmt::format("this command needs the Python package, and '{}' cannot be run (pip install "
                    "'fermat-rays[plot]', or name a Python in FERMAT_PYTHON)",
                    all.front()));
}

}  // namespace fermat::cli
