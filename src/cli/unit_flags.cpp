#include "cli/unit_flags.hpp"

#include <fmt/format.h>

#include "cli/flags.hpp"
#include "cli/tell.hpp"
#include "cli/toml.hpp"
#include "core/error.hpp"
#include "core/notes.hpp"
#include "io/guess_units.hpp"
#include "io/input_file.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view length_key = "length-unit";
constexpr std::string_view time_key = "time-unit";

/// A name goes into files as a word in quotes.
std::string parse_unit(std::string_view flag, std::string_view text) {
    constexpr std::size_t longest = 16;
    const bool plain = text.find_first_of("\"\\\n\r\t ") == std::string_view::npos;
    if (text.empty() || text.size() > longest || !plain) {
        throw InputError(flag_message(flag, text, "must be a short word: m, km, ft, s, ms, ns"));
    }
    return std::string(text);
}

UnitNames units_of_settings(const fs::path& file) {
    UnitNames units;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return units;
    try {
        for (const TomlEntry& entry : parse_toml(read_whole_file(file))) {
            if (entry.texts.size() != 1) continue;
            if (entry.key == length_key) units.length = entry.texts.front();
            if (entry.key == time_key) units.time = entry.texts.front();
        }
    } catch (const InputError&) {
        return {};  // settings that a person damaged tell nothing, and the page shows them as they
                    // are
    }
    return units;
}

}  // namespace

void add_unit_flags(CLI::App& app, UnitNames& units, const std::string& otherwise) {
    add_value(app, fmt::format("--{}", length_key), "TEXT", units.length,
              fmt::format("name of your unit of length (default: {})", otherwise), parse_unit);
    add_value(app, fmt::format("--{}", time_key), "TEXT", units.time,
              fmt::format("name of your unit of time (default: {})", otherwise), parse_unit);
}

UnitNames first_of(UnitNames units, const UnitNames& others) {
    if (units.length.empty()) units.length = others.length;
    if (units.time.empty()) units.time = others.time;
    return units;
}

std::string with_units(std::string settings, const UnitNames& units) {
    const auto add = [&](std::string_view key, const std::string& name) {
        const std::string begin = fmt::format("{} = ", key);
        const bool is_there =
            settings.starts_with(begin) || settings.find("\n" + begin) != std::string::npos;
        if (!is_there && !name.empty()) settings += fmt::format("{}\"{}\"\n", begin, name);
    };
    add(length_key, units.length);
    add(time_key, units.time);
    return settings;
}

UnitNames units_of_run(const fs::path& run, const UnitNames& given, const Model& model) {
    const NamedUnits named =
        guess_units(first_of(given, units_of_settings(run / "settings.toml")), model);
    if (!named.reason.empty()) {
        Notes notes;
        notes.add(named.reason);
        tell(notes);
    }
    return named.units;
}

UnitNames units_of_table(const fs::path& table, const UnitNames& given) {
    const UnitNames told =
        first_of(given, units_of_settings(fs::absolute(table).parent_path() / "settings.toml"));
    return first_of(told, {"km", "s"});
}

}  // namespace fermat::cli
