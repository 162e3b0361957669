#include "phases/branch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"

namespace fermat {
namespace {

std::optional<Phase> wave_of(char letter) {
    if (letter == 'P' || letter == 'p') return Phase::P;
    if (letter == 'S' || letter == 's') return Phase::S;
    return std::nullopt;
}

bool has(const LayeredMedium& medium, std::string_view id) {
    return std::any_of(medium.interfaces().begin(), medium.interfaces().end(),
                       [&](const Interface& one) { return one.id() == id; });
}

std::optional<int> number_in(std::string_view text) {
    int value = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

/// The interface that the middle of a name stands for: "m", "c", "2", "410", "<basement>".
int interface_in_name(const LayeredMedium& medium, std::string_view word, std::string_view name) {
    if (word == "m") return medium.interface_of("moho");
    if (word == "c") return medium.interface_of("cmb");
    if (word == "w") return medium.interface_of("seafloor");
    if (word.size() > 2 && word.front() == '<' && word.back() == '>') {
        return medium.interface_of(word.substr(1, word.size() - 2));
    }
    if (has(medium, word)) return medium.interface_of(word);
    const auto number = number_in(word);
    if (number && *number >= 0 && *number < medium.layer_count()) return *number;
    std::string known;
    for (int k = 0; k < medium.layer_count(); ++k) {
        known += fmt::format("{}{} {}", k == 0 ? "" : ", ", k, medium.top_of(k).id());
    }
    throw InputError(
        fmt::format("phase '{}' names interface '{}', which the medium does not have (it has {})",
                    name, word, known));
}

[[noreturn]] void refuse(std::string_view name) {
    throw InputError(
        fmt::format("phase is '{}' (must be a name such as P, Pg, Pn, PmP, P2P, pP, PP, Ps, a code "
                    "of rayinvr such as 2.2, or a description such as 'P moho reflect S')",
                    name));
}

/// "P moho reflect S": waves, interfaces and what happens there, in turn.
Branch described(const LayeredMedium& medium, std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const auto begin = text.find_first_not_of(" \t,", at);
        if (begin == std::string_view::npos) break;
        const auto end = std::min(text.find_first_of(" \t,", begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        at = end;
    }
    // "down" and "up" say what the interfaces tell already.
    std::erase_if(words,
                  [](const std::string& w) { return w == "down" || w == "up" || w == "to"; });
    Branch out{std::string(text), {}, Phase::P, false};
    if (words.size() % 3 != 1) refuse(text);
    for (std::size_t i = 0; i < words.size(); i += 3) {
        const auto wave = words[i].size() == 1 ? wave_of(words[i].front()) : std::nullopt;
        if (!wave) refuse(text);
        if (i + 1 == words.size()) {
            out.last = *wave;
            break;
        }
        const auto number = number_in(words[i + 1]);
        const int interface = has(medium, words[i + 1]) || !number
                                  ? medium.interface_of(words[i + 1])
                                  : interface_in_name(medium, words[i + 1], text);
        out.steps.push_back({*wave, interface, parse_choice<AtInterface>(words[i + 2])});
    }
    return out;
}

/// The parts of a name: waves (capital letters, and small ones at the ends) and what stands between
/// them. "PmPPmP" is P m P P m P.
struct NameParts {
    std::vector<Phase> waves;
    std::vector<std::string> between;  ///< one less than waves; empty at the surface
    std::string tail;                  ///< after the last wave: g, n, a number
};

NameParts parts_of(std::string_view name) {
    NameParts out;
    std::string word;
    bool quoted = false;
    for (const char letter : name) {
        if (letter == '<') quoted = true;
        const bool is_wave = !quoted && (letter == 'P' || letter == 'S');
        if (letter == '>') quoted = false;
        if (!is_wave) {
            word += letter;
            continue;
        }
        if (!out.waves.empty()) out.between.push_back(std::exchange(word, ""));
        if (out.waves.empty() && !word.empty()) return {};
        out.waves.push_back(*wave_of(letter));
    }
    out.tail = word;
    return out;
}

/// The interface below which a part of a name turns: g above the Moho, n below it. A name without
/// either turns anywhere.
std::optional<int> turns_below(const LayeredMedium& medium, std::string_view word) {
    if (word == "g" || word == "G") {
        // Above the Moho, or anywhere where there is none.
        return (has(medium, "moho") ? medium.interface_of("moho") : medium.layer_count()) - 1;
    }
    if (word == "n" || word == "N" || word == "*") return medium.interface_of("moho");
    return std::nullopt;
}

void turn_below(Branch& branch, Phase wave, int interface) {
    if (interface > 0) branch.steps.push_back({wave, interface, AtInterface::transmit});
    branch.dives = false;
}

Branch turning_below(Phase wave, int interface, std::string name) {
    Branch out{std::move(name), {}, wave, false};
    turn_below(out, wave, interface);
    return out;
}

/// PpPs, PpSs, PsPs (or PpPms): a wave from below passes the Moho, is reflected at the surface and
/// at the Moho, and comes up.
std::optional<Branch> station_multiple(const LayeredMedium& medium, std::string_view name) {
    std::string letters(name);
    if (letters.size() == 5 && letters[3] == 'm') letters.erase(3, 1);
    const auto is = [&](std::size_t at, std::string_view either) {
        return either.find(letters[at]) != std::string_view::npos;
    };
    if (letters.size() != 4 || !is(0, "PS") || !is(1, "ps") || !is(2, "PS") || !is(3, "ps")) {
        return std::nullopt;
    }
    const int moho = medium.interface_of("moho");
    return Branch{std::string(name),
                  {{*wave_of(letters[0]), moho, AtInterface::transmit},
                   {*wave_of(letters[1]), 0, AtInterface::reflect},
                   {*wave_of(letters[2]), moho, AtInterface::reflect}},
                  *wave_of(letters[3]),
                  false};
}

/// A code of rayinvr or tomo2d.
std::optional<Branch> coded(const LayeredMedium& medium, std::string_view name) {
    if (name == "0") return Branch{"0", {}, Phase::P, true};
    if (name == "1") {
        const int at =
            has(medium, "reflector") ? medium.interface_of("reflector") : medium.layer_count() - 1;
        if (at == 0) {
            throw InputError("phase 1 of tomo2d is a reflection, and the medium has no interface");
        }
        return Branch{"1", {{Phase::P, at, AtInterface::reflect}}, Phase::P, false};
    }
    double code = 0;
    const auto end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, code);
    if (name.find('.') == std::string_view::npos || read.ec != std::errc() || read.ptr != end) {
        return std::nullopt;
    }
    return branch_of_rayinvr(medium, code);
}

}  // namespace

Branch branch_of(const LayeredMedium& medium, std::string_view name) {
    const auto first = name.find_first_not_of(" \t");
    if (first == std::string_view::npos) refuse(name);
    name = name.substr(first, name.find_last_not_of(" \t") - first + 1);
    if (const auto equal = name.find('='); equal != std::string_view::npos) {
        const auto last = name.substr(0, equal).find_last_not_of(" \t");
        if (last == std::string_view::npos) refuse(name);
        Branch out = branch_of(medium, name.substr(equal + 1));
        out.name = name.substr(0, last + 1);
        return out;
    }
    if (name.find(' ') != std::string_view::npos) return described(medium, name);
    if (const auto code = coded(medium, name)) return *code;
    const std::string text(name);
    // pP, sP: a small letter first goes up to the surface.
    if (name.size() >= 2 && (name.front() == 'p' || name.front() == 's') &&
        (name[1] == 'P' || name[1] == 'S')) {
        Branch rest = branch_of(medium, name.substr(1));
        rest.steps.insert(rest.steps.begin(),
                          {*wave_of(name.front()), 0, AtInterface::reflect, true});
        rest.name = text;
        return rest;
    }
    if (const auto multiple = station_multiple(medium, name)) return *multiple;
    // Ps, Sp: converted on the way up.
    const bool converts = name.size() >= 2 && (name.front() == 'P' || name.front() == 'S') &&
                          (name.back() == 'p' || name.back() == 's');
    if (converts) {
        const std::string_view word = name.substr(1, name.size() - 2);
        const int at =
            word.empty() ? medium.interface_of("moho") : interface_in_name(medium, word, name);
        return {text,
                {{*wave_of(name.front()), at, AtInterface::transmit}},
                *wave_of(name.back()),
                false};
    }
    const NameParts parts = parts_of(name);
    if (parts.waves.empty()) refuse(name);
    Branch out{text, {}, parts.waves.back(), true};
    for (std::size_t k = 0; k + 1 < parts.waves.size(); ++k) {
        const std::string& word = parts.between[k];
        const auto below = turns_below(medium, word);
        if (below) turn_below(out, parts.waves[k], *below);
        const int at = below || word.empty() ? 0 : interface_in_name(medium, word, name);
        out.steps.push_back({parts.waves[k], at, AtInterface::reflect, false, below.has_value()});
    }
    if (parts.tail.empty() ||
        (parts.waves.size() == 1 && parts.tail == "1" && medium.layer_count() == 1)) {
        return out;
    }
    if (const auto below = turns_below(medium, parts.tail)) {
        turn_below(out, out.last, *below);
        return out;
    }
    if (parts.waves.size() != 1) refuse(name);
    if (!number_in(parts.tail) && parts.tail.front() != '<') refuse(name);
    return turning_below(out.last, interface_in_name(medium, parts.tail, name), text);
}

Branch branch_of_rayinvr(const LayeredMedium& medium, double code) {
    const int tenths = static_cast<int>(std::lround(10 * code));
    const int layer = tenths / 10 - 1;
    const int kind = tenths % 10;
    const bool reaches_down = kind == 2 || kind == 3;
    if (layer < 0 || layer + (reaches_down ? 1 : 0) >= medium.layer_count() || kind < 1 ||
        kind > 3) {
        throw InputError(
            fmt::format("ray code {:g} is not known (must be L.1, L.2 or L.3 with a layer L of 1 "
                        "to {} that has "
                        "{})",
                        code, medium.layer_count(), reaches_down ? "a bottom" : "velocities"));
    }
    std::string name = fmt::format("{:.1f}", code);
    if (kind == 1) return turning_below(Phase::P, layer, std::move(name));
    if (kind == 3) return turning_below(Phase::P, layer + 1, std::move(name));
    return {std::move(name), {{Phase::P, layer + 1, AtInterface::reflect}}, Phase::P, false};
}

void require_waves(const Branch& branch, const LayeredMedium& medium) {
    for (const BranchStep& step : branch.steps) medium.model(0, step.wave);
    medium.model(0, branch.last);
}

namespace {

/// A wave on its way: in a layer, at a source or on an interface.
struct Wavefront {
    Legs legs;
    int layer = 0;
    int on = -1;       ///< interface where it is; -1 at the source
    bool down = true;  ///< whether it may go down from there
    bool up = true;    ///< whether it may go up
};

void go_down(Wavefront& at, Phase wave, int interface) {
    for (int k = at.layer; k < interface; ++k)
        at.legs.push_back({wave, k, k + 1, false, false, false});
}

/// Up through the layers to interface `to`, which ends the last leg.
void go_up(Wavefront& at, Phase wave, int to) {
    for (int k = at.layer; k >= to; --k) {
        at.legs.push_back({wave, k, k, at.on == k && k == at.layer, false, false});
    }
}

/// Ways from where the wave is to interface `to`: from above, from below, or diving into a deeper
/// layer and back.
std::vector<std::pair<Wavefront, bool>> ways_to(const Wavefront& from, Phase wave, int to,
                                                bool dives, int layers) {
    std::vector<std::pair<Wavefront, bool>> out;  // and whether it comes from above
    if (to > from.layer) {
        if (!from.down) return out;
        Wavefront at = from;
        go_down(at, wave, to);
        at.layer = to - 1;
        out.emplace_back(std::move(at), true);
        return out;
    }
    const bool turns_first = from.on == from.layer;
    if (from.up || turns_first) {
        Wavefront at = from;
        go_up(at, wave, to);
        at.layer = to;
        out.emplace_back(std::move(at), false);
    }
    if (!dives || !from.down) return out;
    for (int deepest = from.layer + 1; deepest < layers; ++deepest) {
        Wavefront at = from;
        go_down(at, wave, deepest);
        at.layer = deepest;
        at.on = deepest;
        go_up(at, wave, to);
        at.layer = to;
        out.emplace_back(std::move(at), false);
    }
    return out;
}

}  // namespace

std::vector<Legs> legs_of(const Branch& branch, const LayeredMedium& medium, int source_layer,
                          int receiver_layer) {
    const int layers = medium.layer_count();
    std::vector<Wavefront> fronts{{{}, source_layer, -1, true, true}};
    const auto rises = [](const Leg& leg) { return leg.to == leg.layer; };
    const auto bounce =
        std::find_if(branch.steps.begin(), branch.steps.end(),
                     [](const BranchStep& step) { return step.then == AtInterface::reflect; });
    const BranchStep* const first_bounce = bounce == branch.steps.end() ? nullptr : &*bounce;
    for (const BranchStep& step : branch.steps) {
        std::vector<Wavefront> next;
        for (const Wavefront& from : fronts) {
            for (auto& [at, from_above] :
                 ways_to(from, step.wave, step.interface, branch.dives && !step.upwards, layers)) {
                const bool reflects = step.then == AtInterface::reflect;
                if (!reflects && !from_above && step.interface == 0) continue;
                // Reflections that have a name come from above, but those at the surface.
                if (branch.dives && reflects && !from_above && step.interface > 0) continue;
                const bool from_source = from.legs.empty();
                const bool turned = branch.dives && !step.upwards && from_source;
                const bool first = step.downwards && &step == first_bounce;
                if ((turned || first) && reflects && !from_above && rises(at.legs.front())) {
                    at.legs.front().dives = true;
                }
                at.on = step.interface;
                at.layer = from_above == reflects ? step.interface - 1 : step.interface;
                at.down = from_above != reflects;
                at.up = !at.down;
                next.push_back(std::move(at));
            }
        }
        fronts = std::move(next);
    }
    std::vector<Legs> out;
    for (const Wavefront& from : fronts) {
        // To the receiver: within the layer, or through the interfaces between.
        const bool from_below = branch.dives && from.on == 0 && from.down;
        const auto add = [&](Wavefront at) {
            at.legs.push_back({branch.last, receiver_layer, -1, false, false, from_below});
            out.push_back(std::move(at.legs));
        };
        if (receiver_layer > from.layer) {
            if (!from.down) continue;
            Wavefront at = from;
            go_down(at, branch.last, receiver_layer);
            add(std::move(at));
        } else if (receiver_layer == from.layer) {
            add(from);
        } else if (from.up || from.on == from.layer) {
            Wavefront at = from;
            go_up(at, branch.last, receiver_layer + 1);
            add(std::move(at));
        }
        if (!branch.dives || !from.down) continue;
        for (int deepest = std::max(from.layer, receiver_layer) + 1; deepest < layers; ++deepest) {
            Wavefront at = from;
            go_down(at, branch.last, deepest);
            at.layer = deepest;
            at.on = deepest;
            go_up(at, branch.last, receiver_layer + 1);
            add(std::move(at));
        }
    }
    return out;
}

std::string describe(const Legs& legs, const LayeredMedium& medium) {
    std::string out;
    for (const Leg& leg : legs) {
        out += fmt::format(
            "{}{} in layer {} to {}", out.empty() ? "" : ", ", name_of(leg.wave), leg.layer,
            leg.to < 0 ? std::string("the receiver") : "'" + medium.top_of(leg.to).id() + "'");
    }
    return out;
}

}  // namespace fermat
