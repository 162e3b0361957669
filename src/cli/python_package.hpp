#pragma once

#include <string>
#include <vector>

namespace fermat::cli {

/// The Python that FERMAT_PYTHON names, which is that of the package if it started us; else that of
/// `.venv` in the checkout that this program was built in; else the one on PATH.
std::string python();

/// Runs a program and returns its exit status; 127 if it cannot be run.
int run_program(std::vector<std::string> words);

/// Goes on as `words` of the Python package's own commands (fermat/_commands.py), which report
/// their errors themselves. Returns only by throwing InputError: if there is no such Python.
[[noreturn]] void become_package_command(const std::vector<std::string>& words);

}  // namespace fermat::cli
