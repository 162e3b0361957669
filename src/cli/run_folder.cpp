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
                                  "differences.csv",
                                  "moved_picks.csv",
                                  "s_model.h5",
                                  "vp_vs.h5",
                                  "s_coverage.h5",
                                  "layers.csv",
                                  "recovery.csv",
                                  "board.h5",
                                  "picks.csv"};
constexpr std::size_t plain_names = 21;  // the rest is a checkerboard's

/// The suffix by which PyVista and ParaView know the layout of a file.
constexpr auto viewed_suffix = ".vtkhdf";

/// Files that viewers do not show, although they end in .h5.
bool is_image(std::string_view name) { return name.ends_with(".h5") && name != "checkpoint.h5"; }

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

bool is_result(std::string_view name) { return name == "model.h5" || name == "checkpoint.h5"; }

/// Names that people use for files of their own too.
bool may_be_input(std::string_view name) {
    return name == "board.h5" || name == "picks.csv" || name == "start.h5" || name == kept_name ||
           name == "events.csv" || name == "differences.csv" || name == "moved_picks.csv" ||
           name == "s_model.h5" || name == "layers.csv";
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

/// Removes a file of a run, or those of a folder. A folder with other files in it stays.
void remove_run_files(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(fs::symlink_status(path, ignored))) {
        std::vector<fs::path> own;
        for (const auto& entry : fs::directory_iterator(path, ignored)) {
            if (!run_of_file(entry.path()).empty()) own.push_back(entry.path());
        }
        for (const fs::path& file : own) fs::remove(file, ignored);
    }
    fs::remove(path, ignored);
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

RunFolder::Found RunFolder::find_files(const RunPlan& plan) const {
    Found found;
    for (const char* name : run_names) {
        const fs::path path = file(name);
        if (!is_there(path)) continue;
        const bool is_input = std::any_of(plan.inputs.begin(), plan.inputs.end(), [&](auto& input) {
            return input.flag != "--config" && input.path && same_file(*input.path, path);
        });
        if (is_input) continue;
        const auto& writes = plan.writes;
        const bool in_the_way =
            !may_be_input(name) || std::find(writes.begin(), writes.end(), name) != writes.end();
        if (!identity_of(path).empty()) {
            found.of_runs.push_back(name);
        } else if (in_the_way) {
            found.of_others.push_back(name);
        }
    }
    return found;
}

fs::path RunFolder::set_aside(const std::vector<const char*>& names) const {
    fs::path aside = make_aside(folder_);
    for (const char* name : names) {
        std::error_code error;
        fs::rename(file(name), aside / name, error);
        if (error) throw ComputeError(write_failure(aside / name, error.value()));
    }
    return aside;
}

void RunFolder::link_views() const {
    for (const char* name : run_names) {
        if (!is_image(name)) continue;
        const fs::path link = fs::path(file(name)).replace_extension(viewed_suffix);
        std::error_code ignored;
        if (!identity_of(link).empty()) fs::remove(link, ignored);
        // Where a file system knows no links, the .h5 files remain.
        if (!identity_of(file(name)).empty() && !is_there(link)) {
            fs::create_hard_link(file(name), link, ignored);
        }
    }
}

std::string RunFolder::start(const RunPlan& plan) {
    const auto [of_runs, of_others] = find_files(plan);
    const auto is_ours = [&](const char* name) { return identity_of(file(name)) == plan.identity; };
    const bool same = std::all_of(of_runs.begin(), of_runs.end(), is_ours);
    const bool worth = !same || std::any_of(of_runs.begin(), of_runs.end(), is_result);
    const bool keeps_run = worth && !plan.overwrite && !of_runs.empty();
    std::vector<const char*> kept = of_others;
    if (keeps_run) {
        kept.insert(kept.end(), of_runs.begin(), of_runs.end());
    } else {
        for (const char* name : of_runs) remove_run_files(file(name));
    }
    std::string told;
    if (!kept.empty()) {
        const fs::path aside = set_aside(kept);
        const std::string foreign =
            fmt::format("{}, which no run wrote,", fmt::join(of_others, ", "));
        if (!keeps_run) {
            told = fmt::format("kept {} in {}", foreign, aside.string());
        } else if (!of_others.empty()) {
            told = fmt::format(
                "kept the earlier run's files and {} in {} (--overwrite would remove the run's)",
                foreign, aside.string());
        } else if (same) {
            same_run_ = aside;
        } else {
            told = fmt::format("kept the earlier run's files in {} (--overwrite would remove them)",
                               aside.string());
        }
    }
    link_views();
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
    link_views();
    if (same_run_.empty()) return;
    std::error_code ignored;
    for (const char* name : run_names) remove_run_files(same_run_ / name);
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
