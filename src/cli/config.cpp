#include "cli/config.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <system_error>

#include "cli/suggest.hpp"
#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

bool has_flag(const CLI::App& command, const std::string& key) {
    const CLI::Option* option = command.get_option_no_throw("--" + key);
    return option != nullptr && option->get_configurable();
}

/// Of a key, which is a flag without its dashes.
std::string did_you_mean_key(const std::string& key, const CLI::App& command) {
    const CLI::App* root = &command;
    while (root->get_parent() != nullptr) root = root->get_parent();
    std::vector<std::string> keys;
    for (const std::string& flag : flag_names(command)) {
        const std::string name = flag.substr(2);
        if (has_flag(command, name) || has_flag(*root, name)) keys.push_back(name);
    }
    return did_you_mean(key, keys);
}

std::vector<std::string> path_of(const CLI::App* command) {
    std::vector<std::string> path;
    for (; command->get_parent() != nullptr; command = command->get_parent()) {
        path.insert(path.begin(), command->get_name());
    }
    return path;
}

std::string toml_string(const std::string& text) {
    constexpr std::string_view special = "\"\\\t\n\r";
    constexpr std::string_view letters = "\"\\tnr";
    std::string quoted = "\"";
    for (const char c : text) {
        const std::size_t at = special.find(c);
        if (at != std::string_view::npos) quoted += '\\';
        quoted += at != std::string_view::npos ? letters[at] : c;
    }
    return quoted + '"';
}

/// A single value is a number if it reads as one. Of several values, each is a string: an array of
/// numbers would mean one value with commas, and TOML's arrays have elements of one kind.
std::string toml_value(const std::vector<std::string>& texts) {
    if (texts.size() == 1) {
        return parse_number(texts.front()) ? texts.front() : toml_string(texts.front());
    }
    std::vector<std::string> strings;
    for (const std::string& text : texts) strings.push_back(toml_string(text));
    return fmt::format("[{}]", fmt::join(strings, ", "));
}

}  // namespace

std::vector<CLI::App*> running_commands(const CLI::App& root) {
    std::vector<CLI::App*> commands;
    for (const CLI::App* app = &root; !app->get_subcommands().empty(); app = commands.back()) {
        commands.push_back(app->get_subcommands().front());
    }
    return commands;
}

std::vector<GivenFlag> given_flags(const CLI::App& root) {
    std::vector<GivenFlag> flags;
    const std::vector<CLI::App*> running = running_commands(root);
    if (running.empty()) return flags;
    for (const CLI::App* app : {static_cast<const CLI::App*>(running.back()), &root}) {
        for (const CLI::Option* option : app->get_options()) {
            if (option->count() == 0 || !option->get_configurable()) continue;
            const bool is_flag = option->get_items_expected_max() == 0;
            flags.push_back(
                {option->get_lnames().front(), is_flag ? "true" : toml_value(option->results())});
        }
    }
    return flags;
}

std::string given_settings(const CLI::App& root) {
    const std::vector<CLI::App*> running = running_commands(root);
    if (running.empty()) return "";
    std::string text = fmt::format("[{}]\n", fmt::join(path_of(running.back()), "."));
    for (const GivenFlag& flag : given_flags(root)) {
        text += fmt::format("{} = {}\n", flag.name, flag.value);
    }
    return text;
}

std::string check_config_file(const std::string& path) {
    constexpr std::uintmax_t most = 1 << 24;
    // CLI11 reports a missing file.
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return "";
    const InputFile file(path);
    if (file.size() > most) {
        throw InputError(fmt::format("'{}' has {} bytes (a configuration has at most {})", path,
                                     file.size(), most));
    }
    return "";
}

CommandConfig::Target CommandConfig::find(const TomlEntry& entry) const {
    const std::vector<CLI::App*> running = running_commands(root_);
    const CLI::App* last = running.empty() ? &root_ : running.back();
    const CLI::App* command = entry.section.empty() ? last : &root_;
    for (const std::string& name : entry.section) {
        const auto inner = command->get_subcommands(
            [&name](const CLI::App* each) { return each->get_name() == name; });
        if (inner.empty()) {
            throw InputError(
                fmt::format("line {}: unknown command {} in [{}] ({}see fermat --help)", entry.line,
                            in_quotes(name), fmt::join(entry.section, "."),
                            did_you_mean(name, command_names(*command))));
        }
        command = inner.front();
    }
    if (has_flag(*command, entry.key)) return {command, command == last};
    if (has_flag(root_, entry.key)) return {&root_, command == last};
    const auto path = path_of(command);
    throw InputError(fmt::format("line {}: unknown key {} ({}see fermat {}{}--help)", entry.line,
                                 in_quotes(entry.key), did_you_mean_key(entry.key, *command),
                                 fmt::join(path, " "), path.empty() ? "" : " "));
}

std::vector<CLI::ConfigItem> CommandConfig::from_config(std::istream& input) const {
    const std::string text{std::istreambuf_iterator<char>(input), {}};
    std::vector<CLI::ConfigItem> own;
    std::vector<CLI::ConfigItem> shared;
    try {
        for (const TomlEntry& entry : parse_toml(text)) {
            const Target target = find(entry);
            if (!target.runs) continue;
            CLI::ConfigItem item;
            item.parents = path_of(target.command);
            item.name = entry.key;
            item.inputs = entry.texts;
            // CLI11 keeps the first value of a flag.
            (entry.section.empty() ? shared : own).push_back(std::move(item));
        }
    } catch (const InputError& error) {
        const auto file = root_.get_config_ptr()->as<std::string>();
        throw InputError(fmt::format("'{}' {}", file, error.what()));
    }
    own.insert(own.end(), std::make_move_iterator(shared.begin()),
               std::make_move_iterator(shared.end()));
    return own;
}

}  // namespace fermat::cli
