#include "cli/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/config.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/destination.hpp"
#include "io/model_files.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

bool has_hdf5_suffix(const fs::path& path) {
    const std::string suffix = suffix_of(path);
    return suffix == ".h5" || suffix == ".hdf" || suffix == ".hdf5" || suffix == ".vtkhdf";
}

void check_pair(const FlagFile& file, const FlagFile& other) {
    if (!file.path || !other.path || !same_file(*file.path, *other.path)) return;
    throw InputError(
        flag_message(file.flag, file.path->string(),
                     fmt::format("is the file of {} too: must be another", other.flag)));
}

// CLI11's flags can carry nothing of ours but validators: one without effect serves as a mark.
constexpr std::array<std::pair<FileRole, const char*>, 5> notes = {
    {{FileRole::input, "input file"},
     {FileRole::output, "output file"},
     {FileRole::folder, "output folder"},
     {FileRole::output_or_folder, "output file or folder"},
     {FileRole::prefix, "start of output files"}}};

const char* note_of(FileRole role) {
    return std::find_if(notes.begin(), notes.end(), [&](auto& n) { return n.first == role; })
        ->second;
}

bool has_note(CLI::Option& option, const char* note) {
    try {
        return option.get_validator(note) != nullptr;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

/// The name for messages: "--output" for "-o,--output".
std::string shown_name(const CLI::Option& option) {
    return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

void add_files(CLI::Option& option, FileRole role, std::vector<FlagFile>& files) {
    std::vector<std::string> texts = option.results();
    if (texts.empty() && !option.get_default_str().empty()) {
        texts.push_back(option.get_default_str());
    }
    for (const std::string& text : texts) {
        files.push_back({shown_name(option), parse_text_output("", text), role});
    }
}

/// The folder itself must be writable, or the nearest one above in which it will be made.
void check_folder(const FlagFile& output) {
    std::error_code error;
    fs::path place = fs::absolute(*output.path, error).lexically_normal();
    while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
    std::string why;
    if (!fs::is_directory(place, error)) {
        why = "a file has that name";
    } else if (::access(place.c_str(), W_OK | X_OK) != 0) {
        why = std::generic_category().message(errno);
    }
    if (why.empty()) return;
    throw InputError(fmt::format("{} is '{}' (cannot be made a folder: {})", output.flag,
                                 output.path->string(), why));
}

}  // namespace

void check_model_output(const fs::path& path) {
    if (is_model_output(path)) return;
    throw InputError(flag_message(
        "--output", path.string(),
        "must end in .vtkhdf or .h5, .vti, .vts, .vtk, .hdr, .grd, .segy, .csv or .xyz, or in .npy "
        "for values only"));
}

void check_hdf5_output(const FlagFile& output) {
    if (!output.path || has_hdf5_suffix(*output.path)) return;
    throw InputError(flag_message(output.flag, output.path->string(), "must end in .h5"));
}

CLI::Option* mark_file(CLI::Option* option, FileRole role) {
    return option->check([](const std::string&) { return std::string(); }, "", note_of(role));
}

GivenFiles given_files(CLI::App& root) {
    GivenFiles files;
    std::vector<CLI::App*> apps = running_commands(root);
    apps.insert(apps.begin(), &root);
    for (CLI::App* app : apps) {
        for (CLI::Option* option : app->get_options()) {
            for (const auto& [role, note] : notes) {
                if (!has_note(*option, note)) continue;
                add_files(*option, role, role == FileRole::input ? files.inputs : files.outputs);
            }
        }
    }
    return files;
}

void check_different(std::span<const FlagFile> inputs, std::span<const FlagFile> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (const FlagFile& input : inputs) check_pair(outputs[i], input);
        for (const FlagFile& earlier : outputs.first(i)) check_pair(outputs[i], earlier);
    }
}

void check_writable(std::span<const FlagFile> outputs) {
    for (const FlagFile& output : outputs) {
        if (!output.path || output.path->empty()) continue;
        const bool bare = suffix_of(*output.path).empty();
        if (output.role == FileRole::folder ||
            (output.role == FileRole::output_or_folder && bare)) {
            check_folder(output);
        } else if (output.role == FileRole::prefix) {
            require_writable(output.path->string() + ".hdr");
        } else {
            require_writable(*output.path);
        }
    }
}

bool is_standard_output(const std::optional<fs::path>& path) {
    // fs::equivalent does not support pipes and terminals.
    struct stat file {};
    struct stat printed {};
    return path && ::stat(path->c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &printed) == 0 &&
           file.st_dev == printed.st_dev && file.st_ino == printed.st_ino;
}

}  // namespace fermat::cli
