#include "cli/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/config.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
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
constexpr auto input_note = "input file";
constexpr auto output_note = "output file";

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

void add_files(CLI::Option& option, std::vector<FlagFile>& files) {
    std::vector<std::string> texts = option.results();
    if (texts.empty() && !option.get_default_str().empty()) {
        texts.push_back(option.get_default_str());
    }
    for (const std::string& text : texts) {
        files.push_back({shown_name(option), parse_text_output("", text)});
    }
}

}  // namespace

void check_model_output(const fs::path& path) {
    if (is_model_output(path)) return;
    throw InputError(
        flag_message("--output", path.string(),
                     "must end in .h5, .vti, .vts, .hdr or .grd, or in .npy for values only"));
}

void check_hdf5_output(const FlagFile& output) {
    if (!output.path || has_hdf5_suffix(*output.path)) return;
    throw InputError(flag_message(output.flag, output.path->string(), "must end in .h5"));
}

CLI::Option* mark_file(CLI::Option* option, FileRole role) {
    return option->check([](const std::string&) { return std::string(); }, "",
                         role == FileRole::input ? input_note : output_note);
}

GivenFiles given_files(CLI::App& root) {
    GivenFiles files;
    std::vector<CLI::App*> apps = running_commands(root);
    apps.insert(apps.begin(), &root);
    for (CLI::App* app : apps) {
        for (CLI::Option* option : app->get_options()) {
            if (has_note(*option, input_note)) add_files(*option, files.inputs);
            if (has_note(*option, output_note)) add_files(*option, files.outputs);
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

bool is_standard_output(const std::optional<fs::path>& path) {
    // fs::equivalent does not support pipes and terminals.
    struct stat file {};
    struct stat printed {};
    return path && ::stat(path->c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &printed) == 0 &&
           file.st_dev == printed.st_dev && file.st_ino == printed.st_ino;
}

}  // namespace fermat::cli
