#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fermat::cli {

/// A key of a TOML file with its value as the texts a command line would give: one for a string, a
/// number, true or false; one for an array of numbers, with commas between them; one an element for
/// an array of strings or of arrays of numbers.
struct TomlEntry {
    std::vector<std::string> section;
    std::string key;
    std::vector<std::string> texts;
    int line = 0;
};

/// Reads the part of TOML 1.0 that flags need: tables, dotted and quoted keys, strings on one line,
/// numbers, booleans, arrays over any number of lines, comments. Anything else, and a key that is
/// given twice, is an InputError that begins with "line N: ".
///
/// CLI11 has a reader of its own. It is not used, because its version 2.1 cuts strings at a '#',
/// skips short lines, misreads arrays of several lines and knows no line numbers, and because later
/// versions read the same file differently.
std::vector<TomlEntry> parse_toml(std::string_view text);

}  // namespace fermat::cli
