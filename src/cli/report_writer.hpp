#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/report_data.hpp"

namespace fermat::cli {

/// The flags of `fermat report`, and of `fermat watch`, which writes the same page.
struct ReportFlags {
    ReportOptions report;
    std::filesystem::path output = "report.html";
};

void add_report_flags(CLI::App& app, ReportFlags& flags);

/// Throws InputError if the page would not be HTML, or overwrite a file of the run.
void check_report_output(const ReportFlags& flags);

/// Writes the page of the run as it is now.
void write_report_page(const ReportFlags& flags);

}  // namespace fermat::cli
