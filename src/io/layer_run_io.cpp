#include "io/layer_run_io.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/text.hpp"
#include "io/text_file.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// The numbers of a Fortran namelist's list, as texts: "ray=1.1,1.2,2*2.3,".
std::vector<std::string> list_named(const std::string& text, std::string_view name) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        std::size_t next = at + name.size();
        while (next < text.size() && text[next] == ' ') ++next;
        const bool whole = at == 0 || !is_word(text[at - 1]);
        if (!whole || next >= text.size() || text[next] != '=') continue;
        const std::size_t end =
            std::min(text.find_first_not_of("0123456789.,*- \t\r\n", next + 1), text.size());
        std::vector<std::string> out;
        std::string word;
        const auto take = [&] {
            if (word.empty()) return;
            const std::size_t star = word.find('*');
            int count = 1;
            if (star != std::string::npos) {
                count = static_cast<int>(parse_integer(word.substr(0, star)).value_or(1));
                word = word.substr(star + 1);
            }
            for (int i = 0; i < std::min(count, 1000); ++i) out.push_back(word);
            word.clear();
        };
        for (std::size_t i = next + 1; i < end; ++i) {
            if (text[i] == ',' || std::isspace(static_cast<unsigned char>(text[i]))) {
                take();
            } else {
                word += text[i];
            }
        }
        // The name of the next entry may begin where a number seems to go on.
        if (end == text.size() || !is_word(text[end]) || word.empty()) take();
        return out;
    }
    return {};
}

}  // namespace

void write_layer_changes(const fs::path& path, const LayerInversion& found, bool is_2d,
                         const std::string& run) {
    std::vector<std::string> names = {"of", "kind", "x"};
    if (!is_2d) names.emplace_back("y");
    names.insert(names.end(), {"z", "change", "deviation", "prior", "resolution", "trade_off"});
    CsvWriter table(path, names, run);
    for (const LayerDeviation& one : found.deviations) {
        for (std::size_t n = 0; n < one.points.size(); ++n) {
            std::vector<CsvCell> cells = {std::string_view(one.of),
                                          std::string_view(one.is_depth ? "depth" : "velocity"),
                                          one.points[n].x};
            if (!is_2d) cells.emplace_back(one.points[n].y);
            for (const double value :
                 {one.points[n].z, one.change[n], one.deviation[n], one.prior, one.resolution[n]}) {
                cells.emplace_back(value);
            }
            if (std::isnan(one.trade_off[n])) {
                cells.emplace_back(std::string_view());
            } else {
                cells.emplace_back(one.trade_off[n]);
            }
            table.add_row(cells);
        }
    }
    table.commit();
}

std::vector<DepthDatum> read_depth_data(const fs::path& path, const std::string& interface,
                                        Notes& notes) {
    const CsvTable table(path);
    const std::size_t x = table.column("x");
    const auto y = table.find_column("y");
    const std::size_t depth = table.column("depth");
    const std::size_t error = table.column("error");
    constexpr std::array<std::string_view, 4> known = {"x", "y", "depth", "error"};
    note_unused_columns(fmt::format("'{}'", path.string()), table.names(), known,
                        "measured depths are x,y,depth,error", notes);
    std::vector<DepthDatum> out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        DepthDatum datum{
            interface,
            {table.number(row, x), y ? table.number(row, *y) : 0.0, table.number(row, depth)},
            table.number(row, error)};
        if (!(datum.error > 0)) {
            throw InputError(
                fmt::format("{}error is {:g} (must be > 0)", table.where(row), datum.error));
        }
        out.push_back(std::move(datum));
    }
    if (out.empty()) {
        throw InputError(fmt::format("'{}' has a header and no rows", path.string()));
    }
    return out;
}

std::string name_of_ray_code(const std::string& text) {
    const std::size_t dot = text.find('.');
    if (dot == 0 || dot == std::string::npos || dot + 2 != text.size()) return text;
    const auto layer = parse_integer(text.substr(0, dot));
    if (!layer || *layer < 1) return text;
    switch (text.back()) {
        case '1':
            return fmt::format("P{}", *layer - 1);
        case '2':
            return fmt::format("P{}P", *layer);
        case '3':
            return fmt::format("P{}", *layer);
        default:
            return text;
    }
}

PhaseNames read_rayinvr_codes(const fs::path& path, Notes& notes) {
    const TextFile file = path;
    const std::string text(file.text());
    const std::vector<std::string> rays = list_named(text, "ray");
    const std::vector<std::string> codes = list_named(text, "ivray");
    if (rays.empty() || codes.empty()) {
        throw InputError(
            fmt::format("{} has no {} (rayinvr's r.in names ray groups by ray and the "
                        "codes of their picks by ivray)",
                        file.quoted(), rays.empty() ? "ray" : "ivray"));
    }
    PhaseNames out;
    for (std::size_t n = 0; n < std::min(rays.size(), codes.size()); ++n) {
        const std::string name = name_of_ray_code(rays[n]);
        if (codes[n] == "0") continue;  // a group without picks
        const auto found = std::find_if(out.begin(), out.end(),
                                        [&](const auto& one) { return one.first == codes[n]; });
        if (found == out.end()) {
            out.emplace_back(codes[n], name);
        } else if (found->second != name) {
            const bool turns = !found->second.ends_with("P") && !name.ends_with("P");
            const std::string taken = turns ? "P" : found->second;
            notes.add(fmt::format("{}: code {} stands for {} and {}, and is taken for {}",
                                  file.quoted(), codes[n], found->second, name, taken));
            found->second = taken;
        }
    }
    return out;
}

}  // namespace fermat
