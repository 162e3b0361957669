#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/outputs.hpp"
#include "cli/values.hpp"
#include "core/choice.hpp"

namespace fermat::cli {

/// Adds a flag whose text becomes a value by parse(flag, text). parse throws InputError with our
/// message instead of CLI11's. `type` is what the help shows for the value.
template <class Target, class Parse>
CLI::Option* add_value(CLI::App& app, const std::string& names, const std::string& type,
                       Target& target, const std::string& description, Parse parse) {
    // The messages call "-o,--output" "--output"; a positional argument has the name of its flag.
    const std::size_t begin = names.find("--");
    const std::string shown = names.substr(begin, names.find(',', begin) - begin);
    const CLI::callback_t read = [shown, &target, parse](const CLI::results_t& texts) {
        target = parse(shown, texts.front());
        return true;
    };
    return app.add_option(names, read, description)->type_name(type);
}

inline CLI::Option* add_real(CLI::App& app, const std::string& names, double& target,
                             const std::string& description) {
    return add_value(app, names, "V", target, description, parse_real);
}

/// Adds a flag whose value is an integer from `least` to `most`, for an int or an optional one.
template <class Target>
CLI::Option* add_whole(CLI::App& app, const std::string& names, const std::string& type,
                       Target& target, const std::string& description, int least, int most) {
    return add_value(app, names, type, target, description,
                     [least, most](std::string_view flag, std::string_view text) {
                         return parse_whole(flag, text, least, most);
                     });
}

/// Adds a flag whose values are the names of an enum.
template <class Enum>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Enum& target,
                        const std::string& description) {
    return add_value(app, names, "NAME", target, description + ": " + names_of<Enum>(),
                     [](std::string_view flag, std::string_view text) {
                         return parse_named<Enum>(flag, text);
                     })
        ->default_str(std::string(name_of(target)));
}

/// Adds a flag that may be given several times, each time with one value.
inline CLI::Option* add_repeated(CLI::App& app, const std::string& names, const std::string& type,
                                 std::vector<std::string>& target, const std::string& description) {
    return app.add_option(names, target, description)
        ->type_name(type)
        ->allow_extra_args(false)
        ->option_text(type + " ...");
}

// Flags that name a file, for a path or an optional one. Program::run compares all inputs with all
// outputs: see given_files.

/// Adds a flag for a file to read.
template <class Target>
CLI::Option* add_path(CLI::App& app, const std::string& names, Target& target,
                      const std::string& description) {
    return mark_file(add_value(app, names, "FILE", target, description, parse_path),
                     FileRole::input);
}

/// Adds a flag for a file to write.
template <class Target>
CLI::Option* add_output(CLI::App& app, const std::string& names, Target& target,
                        const std::string& description) {
    return mark_file(add_value(app, names, "FILE", target, description, parse_path),
                     FileRole::output);
}

/// Adds a flag for a folder to write into, or whatever else is written under a name.
template <class Target>
CLI::Option* add_output_folder(CLI::App& app, const std::string& names, Target& target,
                               const std::string& description, FileRole role = FileRole::folder) {
    return mark_file(add_value(app, names, role == FileRole::folder ? "FOLDER" : "FILE", target,
                               description, parse_path),
                     role);
}

/// Adds a flag for a text file to write; `-` is standard output.
template <class Target>
CLI::Option* add_text_output(CLI::App& app, const std::string& names, Target& target,
                             const std::string& description) {
    return mark_file(add_value(app, names, "FILE", target, description, parse_text_output),
                     FileRole::output);
}

}  // namespace fermat::cli
