#include "cli/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/destination.hpp"
#include "io/run_mark.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto settings_name = "settings.toml";
constexpr auto members_name = "ensemble-members";  // a folder
constexpr auto kept_name = "iterations";           // a folder
constexpr std::array run_names = {"model.h5",
                                  "coverage.h5",
                                  "residuals.csv",
                                  "history.csv",
                                  "checkpoint.h5",
                                  settings_name,
                                  "start.h5",
                                  "terms.csv",
                                  "trust.h5",
                                  "ensemble.csv",
                                  "choice.csv",
                                  members_name,
                                  "chosen_schedule.csv",
                                  kept_name,
                                  "events.csv",
                                  "moved_picks.csv",
                                  "s_model.h5",
                                  "vp_vs.h5",
                                  "s_coverage.h5",
                                  "recovery.csv",
                                  "board.h5",
                                  "picks.csv"};
constexpr std::size_t plain_names = 19;  // the rest is a checkerboard's

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

bool is_result(std::string_view name) { return name == "model.h5" || name == "checkpoint.h5"; }

/// Names that people use for files of their own too.
bool may_be_input(std::string_view name) {
    return name == "board.h5" || name == "picks.csv" || name == "start.h5" || name == kept_name ||
           name == "events.csv" || name == "moved_picks.csv" || name == "s_model.h5";
}

/// The identity that a file carries, or the first file of a folder that carries one.
std::string identity_of(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return run_of_file(path);
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
        if (std::string run = run_of_file(entry.path()); !run.empty()) return run;
    }
    return "";
}

/// A new folder for what is kept aside.
fs::path make_aside(const fs::path& folder) {
    for (int number = 1;; ++number) {
        const fs::path aside = folder / fmt::format("earlier-{}", number);
        std::error_code error;
        if (fs::create_directory(aside, error)) return aside;
        if (error) throw InputError(write_failure(aside, error.value()));
    }
}

}  // namespace

std::vector<FlagFile> RunFolder::files(const std::string& flag, bool board) const {
    std::vector<FlagFile> all;
    for (std::size_t n = 0; n < (board ? run_names.size() : plain_names); ++n) {
        all.push_back({flag, file(run_names[n])});
    }
    return all;
}

void RunFolder::check_inputs(std::span<const FlagFile> inputs, bool board) const {
    const std::vector<FlagFile> outputs = files("--output", board);
    for (const FlagFile& input : inputs) {
        for (const FlagFile& output : outputs) {
            if (input.flag == "--config" && output.path->filename() == settings_name) continue;
            check_different(std::span(&input, 1), std::span(&output, 1));
        }
    }
}

void RunFolder::open() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (!fs::is_directory(folder_)) {
        throw InputError(fmt::format("--output is '{}' (cannot be made a folder: {})",
                                     folder_.string(),
                                     error ? error.message() : "a file has that name"));
    }
    lock_ = std::make_unique<FolderLock>(folder_);
}

std::vector<const char*> RunFolder::earlier_files(const RunPlan& plan) const {
    const bool had_board = is_there(file("recovery.csv"));
    std::vector<const char*> found;
    for (const char* name : run_names) {
        const fs::path path = file(name);
        if (!is_there(path)) continue;
        const bool is_input = std::any_of(plan.inputs.begin(), plan.inputs.end(), [&](auto& input) {
            return input.flag != "--config" && input.path && same_file(*input.path, path);
        });
        const bool of_a_run =
            !may_be_input(name) || plan.board || had_board || !identity_of(path).empty();
        if (!is_input && of_a_run) found.push_back(name);
    }
    return found;
}

std::string RunFolder::start(const RunPlan& plan) {
    const std::vector<const char*> earlier = earlier_files(plan);
    const auto is_ours = [&](const char* name) { return identity_of(file(name)) == plan.identity; };
    const bool same = std::all_of(earlier.begin(), earlier.end(), is_ours);
    const bool worth = !same || std::any_of(earlier.begin(), earlier.end(), is_result);
    std::string told;
    if (worth && !plan.overwrite && !earlier.empty()) {
        const fs::path aside = make_aside(folder_);
        for (const char* name : earlier) {
            std::error_code error;
            fs::rename(file(name), aside / name, error);
            if (error) throw ComputeError(write_failure(aside / name, error.value()));
        }
        if (same) {
            same_run_ = aside;
        } else {
            told = fmt::format("kept the earlier run's files in {} (--overwrite would remove them)",
                               aside.string());
        }
    } else {
        for (const char* name : earlier) fs::remove_all(file(name));
    }
    write_settings(plan);
    return told;
}

void RunFolder::go_on(const RunPlan& plan) {
    // The flags of the start: the same run again is the same without --resume.
    if (run_of_file(file(settings_name)) != plan.identity) write_settings(plan);
}

void RunFolder::write_settings(const RunPlan& plan) const {
    OutputFile settings(file(settings_name));
    settings.write(run_comment(plan.identity));
    settings.write(plan.settings);
    settings.commit();
}

void RunFolder::finish() {
    if (same_run_.empty()) return;
    std::error_code ignored;
    for (const char* name : run_names) fs::remove_all(same_run_ / name, ignored);
    fs::remove(same_run_, ignored);
    same_run_.clear();
}

void check_one_run(const fs::path& folder,
                   const std::vector<std::pair<std::string, std::string>>& marks) {
    const auto& [first, run] = marks.front();
    const auto carried = [](const std::string& mark) { return mark.empty() ? "no run" : mark; };
    for (const auto& [name, mark] : marks) {
        if (mark == run) continue;
        throw InputError(fmt::format(
            "'{}' holds files of several runs: {} is of {}, {} of {} (show one that fermat invert "
            "wrote to its end)",
            folder.string(), first, carried(run), name, carried(mark)));
    }
}

}  // namespace fermat::cli
