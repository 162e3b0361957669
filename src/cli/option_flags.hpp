#pragma once

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "core/option.hpp"
#include "rays/bending/starts.hpp"

namespace fermat::cli {

/// Numbers per axis that flags gave, by the names of their options: which axis each belongs to is
/// known once the model is.
using AxisFlags = std::map<std::string, AxisNumbers, std::less<>>;

/// A described option as a flag: help, default and range are those of its description.
template <class Struct, class Value>
void add_option_flag(CLI::App& app, const Option<Struct, Value>& option, Value& target,
                     AxisFlags& axes) {
    const std::string flag = flag_of(option.name);
    const std::string meaning =
        option.otherwise.empty()
            ? std::string(option.meaning)
            : fmt::format("{} (default: {})", option.meaning, option.otherwise);
    const auto checked = [rule = option.rule](auto parse) {
        return [rule, parse](std::string_view name, std::string_view text) {
            const auto refuse = [&] {
                throw InputError(flag_message(name, text, fmt::format("must be {}", rule.words)));
            };
            std::optional<Value> value;
            try {
                value = parse(name, text);
            } catch (const InputError&) {
                // The range of the option says more than that of the type.
                if (std::is_enum_v<Value> || rule.words.empty()) throw;
                refuse();
            }
            if (!rule.admits(*value)) refuse();
            return *value;
        };
    };
    if constexpr (std::is_enum_v<Value>) {
        std::vector<std::string_view> names;
        for (const auto& [name, value] : choices<Value>.entries) {
            if (option.rule.admits(value)) names.push_back(name);
        }
        add_value(app, flag, "NAME", target,
                  fmt::format("{} ({})", meaning, fmt::join(names, ", ")),
                  checked(parse_named<Value>))
            ->default_str(std::string(name_of(target)));
    } else if constexpr (std::is_same_v<Value, Vec3> || std::is_same_v<Value, Index3>) {
        add_value(app, flag, "X,Y,Z", axes[std::string(option.name)],
                  meaning + "; X,Z in 2-D, or one number for all", parse_axes);
    } else if constexpr (std::is_same_v<Value, StartSet>) {
        const auto parse = [](std::string_view, std::string_view text) {
            try {
                return parse_starts(text);
            } catch (const InputError&) {
                return StartSet();  // which its rule refuses
            }
        };
        add_value(app, flag, "NAMES", target, meaning, checked(parse))
            ->default_str(to_string(target));
    } else if constexpr (std::is_same_v<Value, int>) {
        constexpr int most = std::numeric_limits<int>::max();
        add_value(app, flag, "N", target, meaning,
                  checked([](std::string_view name, std::string_view text) {
                      return parse_whole(name, text, -most, most);
                  }))
            ->default_str(fmt::format("{}", target));
    } else {
        auto* const made = add_value(app, flag, "V", target, meaning,
                                     checked([](std::string_view name, std::string_view text) {
                                         return Value(parse_real(name, text));
                                     }));
        if constexpr (std::is_same_v<Value, double>) {
            if (option.otherwise.empty()) made->default_str(fmt::format("{}", target));
        }
    }
}

/// The flags of all options of a struct.
template <class Options>
void add_option_flags(CLI::App& app, Options& options, AxisFlags& axes) {
    for_each_option(options, [&](const auto& option, auto& value) {
        add_option_flag(app, option, value, axes);
    });
}

/// Puts numbers per axis where they belong.
template <class Options>
void settle_axes(Options& options, const AxisFlags& axes, bool is_2d) {
    for_each_option(options, [&](const auto& option, auto& value) {
        using Value = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Vec3> || std::is_same_v<Value, Index3>) {
            const auto given = axes.find(option.name);
            if (given == axes.end() || !given->second.given()) return;
            const AxisNumbers& numbers = given->second;
            const Vec3 found = to_axes(numbers, is_2d, option.flat_y);
            if constexpr (std::is_same_v<Value, Vec3>) {
                value = found;
            } else {
                value = to_whole(numbers, found);
            }
            if (option.rule.admits(value) && value != Value{}) return;
            const std::string_view words = option.rule.words;
            throw InputError(
                flag_message(numbers.flag, numbers.text,
                             fmt::format("must be {}", words.empty() ? "positive" : words)));
        }
    });
}

}  // namespace fermat::cli
