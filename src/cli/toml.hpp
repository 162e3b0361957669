#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fermat::cli {

/// A key of a TOML file with its value as texts of a command line: one text for a string, a number,
/// true or false; one text for an array of numbers, with commas between them; one text per element
/// for an array of strings or of arrays of numbers.
struct TomlEntry {
    std::vector<std::string> section;
    std::string key;
    std::vector<std::string> texts;
    int line = 0;
};

/// Reads the part of TOML 1.0 that flags need: tables, dotted and quoted keys, strings on one line,
/// numbers, booleans, arrays over any number of lines, comments. Anything else, and a repeated key,
/// throws InputError that begins with "line N: ".
///
/// CLI11's own reader is not used: its version 2.1 cuts strings at a '#', skips short lines,
/// misreads arrays of several lines and has no line numbers, and later versions read the same file
/// differently.
std::vector<TomlEntry> parse_toml(std::string_view text);

}  // namespace fermat::cli
