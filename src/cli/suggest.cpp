#include "cli/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fermat::cli {
namespace {

constexpr std::size_t longest_word = 64;  // no command or flag has more letters

/// Insertions, removals, replacements and swaps of neighbours that make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> cost((a.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return cost[i * width + j];
    };
    for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(a.size(), b.size());
}

std::string_view without_dashes(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return word;
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates) {
    const std::string_view typed = without_dashes(word);
    if (typed.empty() || typed.size() > longest_word) return std::nullopt;
    // One mistake in short words, two in longer ones: more would name what nobody meant.
    std::size_t least = typed.size() < 3 ? 0 : typed.size() < 6 ? 1 : 2;
    const std::string* nearest = nullptr;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(typed, without_dashes(candidate));
        if (distance > least || (nearest != nullptr && distance == least)) continue;
        least = distance;
        nearest = &candidate;
    }
    if (nearest != nullptr) return *nearest;
    // A word that was not typed to its end, if only one begins so.
    const auto begins = [&](const std::string& candidate) {
        return typed.size() >= 3 && without_dashes(candidate).starts_with(typed);
    };
    const auto first = std::find_if(candidates.begin(), candidates.end(), begins);
    if (first == candidates.end()) return std::nullopt;
    if (std::any_of(first + 1, candidates.end(), begins)) return std::nullopt;
    return *first;
}

std::vector<std::string> command_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(each->get_name());
    }
    return names;
}

std::vector<std::string> flag_names(const CLI::App& command) {
    const CLI::App* root = &command;
    while (root->get_parent() != nullptr) root = root->get_parent();
    std::vector<std::string> names;
    for (const CLI::App* app : {&command, root}) {
        for (const CLI::Option* option : app->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                const std::string flag = "--" + name;
                if (std::find(names.begin(), names.end(), flag) == names.end()) {
                    names.push_back(flag);
                }
            }
        }
    }
    return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const auto nearest = nearest_word(word.substr(0, word.find('=')), candidates);
    return nearest ? fmt::format("did you mean {}? ", *nearest) : "";
}

}  // namespace fermat::cli
