#include "cli/completion.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/suggest.hpp"

namespace fermat::cli {
namespace {

/// A word to offer, with what it means.
struct Offer {
    std::string word;
    std::string meaning;
    bool takes_value = false;
};

/// A command and what may follow it.
struct Place {
    std::string path;  ///< " model gradient"; empty for the program itself
    std::vector<Offer> commands;
    std::vector<Offer> flags;
};

/// The first sentence, on one line: menus of shells have no room for more.
std::string short_meaning(const std::string& text) {
    std::string line = text.substr(0, text.find_first_of("\n:;("));
    while (line.ends_with(' ')) line.pop_back();
    return line;
}

std::vector<Offer> flags_of(const CLI::App& command) {
    const CLI::App* root = &command;
    while (root->get_parent() != nullptr) root = root->get_parent();
    std::vector<Offer> offers;
    for (const std::string& flag : flag_names(command)) {
        const CLI::Option* option = command.get_option_no_throw(flag);
        if (option == nullptr) option = root->get_option_no_throw(flag);
        offers.push_back(
            {flag, short_meaning(option->get_description()), option->get_items_expected_max() > 0});
    }
    return offers;
}

void add_places(const CLI::App& command, const std::string& path, std::vector<Place>& places) {
    Place place{path, {}, flags_of(command)};
    const auto inner = command.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::App* each : inner) {
        place.commands.push_back({each->get_name(), short_meaning(each->get_description())});
    }
    places.push_back(std::move(place));
    for (const CLI::App* each : inner) add_places(*each, path + " " + each->get_name(), places);
}

/// A word of a shell that means the text itself. `quote` is what a quote inside becomes.
std::string quoted(const std::string& text, std::string_view quote) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += quote;
        } else {
            out += c;
        }
    }
    return out + "'";
}

/// The words typed so far as the path of a place. zsh ties the name `path` to PATH.
std::string find_place(const std::vector<Place>& places, std::string_view typed) {
    std::vector<std::string> patterns;
    for (const Place& place : places) {
        if (!place.path.empty()) patterns.push_back(fmt::format("'{}'", place.path));
    }
    return fmt::format(
        "    local place='' word\n"
        "    for word in {}; do\n"
        "        case \"$place $word\" in\n"
        "            {}) place=\"$place $word\" ;;\n"
        "        esac\n"
        "    done\n",
        typed, fmt::join(patterns, "|"));
}

std::string joined_words(const std::vector<Offer>& offers) {
    std::vector<std::string> words;
    for (const Offer& offer : offers) words.push_back(offer.word);
    return fmt::format("'{}'", fmt::join(words, " "));
}

std::string described(const std::vector<Offer>& offers) {
    std::vector<std::string> words;
    for (const Offer& offer : offers) {
        words.push_back(quoted(offer.word + ":" + offer.meaning, "'\\''"));
    }
    return fmt::format("({})", fmt::join(words, " "));
}

std::string bash_script(const std::vector<Place>& places) {
    std::string text =
        "# bash completion of fermat: source <(fermat completion bash)\n"
        "_fermat() {\n" +
        find_place(places, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"") +
        "    local current=\"${COMP_WORDS[COMP_CWORD]}\" commands='' flags=''\n"
        "    case \"$place\" in\n";
    for (const Place& place : places) {
        text += fmt::format("        '{}') commands={} flags={} ;;\n", place.path,
                            joined_words(place.commands), joined_words(place.flags));
    }
    return text +
           "    esac\n"
           "    [[ $current == -* ]] && commands=$flags\n"
           "    COMPREPLY=($(compgen -W \"$commands\" -- \"$current\" || true))\n"
           "}\n"
           "complete -o default -F _fermat fermat\n";
}

std::string zsh_script(const std::vector<Place>& places) {
    std::string text =
        "#compdef fermat\n"
        "# zsh completion of fermat: source <(fermat completion zsh)\n"
        "_fermat() {\n" +
        find_place(places, "\"${(@)words[2,CURRENT-1]}\"") +
        "    local -a commands flags\n"
        "    case \"$place\" in\n";
    for (const Place& place : places) {
        text += fmt::format("        '{}') commands={} flags={} ;;\n", place.path,
                            described(place.commands), described(place.flags));
    }
    return text +
           "    esac\n"
           "    if [[ $PREFIX == -* ]]; then\n"
           "        _describe -o flag flags\n"
           "    elif (( $#commands )); then\n"
           "        _describe command commands\n"
           "    else\n"
           "        _files\n"
           "    fi\n"
           "}\n"
           "if [[ $funcstack[1] == _fermat ]]; then _fermat \"$@\"; else compdef _fermat fermat; "
           "fi\n";
}

std::string fish_script(const std::vector<Place>& places) {
    // Leading words that are commands, one path: flags and their values are passed over.
    std::string text =
        "# fish completion of fermat: fermat completion fish | source\n"
        "function __fermat_place\n"
        "    set -l place ''\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        switch \"$place $word\"\n"
        "            case";
    for (const Place& place : places) {
        if (!place.path.empty()) text += fmt::format(" '{}'", place.path);
    }
    text +=
        "\n"
        "                set place \"$place $word\"\n"
        "        end\n"
        "    end\n"
        "    test \"$place\" = \"$argv[1]\"\n"
        "end\n";
    for (const Place& place : places) {
        const std::string when =
            fmt::format("complete -c fermat -n \"__fermat_place '{}'\"", place.path);
        for (const Offer& offer : place.commands) {
            text +=
                fmt::format("{} -f -a {} -d {}\n", when, offer.word, quoted(offer.meaning, "\\'"));
        }
        for (const Offer& offer : place.flags) {
            text += fmt::format("{} -l {}{} -d {}\n", when, offer.word.substr(2),
                                offer.takes_value ? " -r" : "", quoted(offer.meaning, "\\'"));
        }
    }
    return text;
}

}  // namespace

std::string completion_script(const CLI::App& root, Shell shell) {
    std::vector<Place> places;
    add_places(root, "", places);
    switch (shell) {
        case Shell::bash:
            return bash_script(places);
        case Shell::zsh:
            return zsh_script(places);
        case Shell::fish:
            return fish_script(places);
    }
    return "";
}

}  // namespace fermat::cli
