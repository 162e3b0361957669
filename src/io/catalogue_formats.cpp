#include "io/catalogue_formats.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/destination.hpp"
#include "io/suffix.hpp"
#include "io/survey_file.hpp"
#include "io/written_catalogue.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

CatalogueTexts texts_of(WrittenFormat format, const fs::path& path, const WrittenPicks& picks,
                        Notes& notes) {
    switch (format) {
        case WrittenFormat::nonlinloc:
            return nonlinloc_texts(path, picks, notes);
        case WrittenFormat::hypodd:
            return hypodd_texts(path, picks, notes);
        case WrittenFormat::src_rec:
            return src_rec_texts(path, picks, notes);
        case WrittenFormat::velest:
            return velest_texts(path, picks, notes);
        case WrittenFormat::simulps:
            return simulps_texts(path, picks, notes);
        case WrittenFormat::lotos:
            return lotos_texts(path, picks, notes);
        case WrittenFormat::quakeml:
            return quakeml_texts(path, picks, notes);
        case WrittenFormat::automatic:
        case WrittenFormat::csv:
        case WrittenFormat::sgt:
            break;
    }
    return {};
}

void write_table(const fs::path& path, WrittenFormat format, const WrittenPicks& picks,
                 const WriteOptions& options, Notes& notes) {
    if (options.stations) {
        throw InputError(
            fmt::format("'{}' has the places of its stations in it (leave `output_stations` out)",
                        path.string()));
    }
    if (format == WrittenFormat::sgt && (picks.file.plane || !picks.file.projection.empty())) {
        notes.add("a .sgt file cannot keep the plane of longitudes and latitudes (write .csv)");
    }
    write_survey_file(path, picks.file, options.geographic);
}

}  // namespace

namespace {

/// By the name alone; nothing if it tells none.
std::optional<WrittenFormat> format_of_name(const fs::path& path) {
    const std::string name = lower_input_name(path);
    const std::string suffix = input_suffix_of(path);
    if (suffix == ".csv") return WrittenFormat::csv;
    if (suffix == ".sgt") return WrittenFormat::sgt;
    if (suffix == ".obs") return WrittenFormat::nonlinloc;
    if (suffix == ".cnv") return WrittenFormat::velest;
    if (suffix == ".xml" || suffix == ".qml" || suffix == ".quakeml") return WrittenFormat::quakeml;
    if (suffix == ".pha" || (suffix == ".dat" && name.starts_with("phase"))) {
        return WrittenFormat::hypodd;
    }
    if (name.starts_with("src_rec")) return WrittenFormat::src_rec;
    if (suffix == ".dat" && name.starts_with("rays")) return WrittenFormat::lotos;
    return std::nullopt;
}

}  // namespace

WrittenFormat written_format(const fs::path& path, WrittenFormat wanted) {
    if (is_catalogue_format(wanted)) return wanted;
    if (destination_of(path).kind != Destination::Kind::file) return WrittenFormat::csv;
    const auto named = format_of_name(path);
    if (named && (wanted == WrittenFormat::automatic || wanted == *named)) return *named;
    throw InputError(fmt::format(
        "cannot write '{}' (must end in .csv or .sgt, or be named as formats of catalogues are: "
        ".obs, .cnv, phase.dat, src_rec, rays.dat, .xml; `output_format` tells others)",
        path.string()));
}

bool is_catalogue_format(WrittenFormat format) {
    return format != WrittenFormat::automatic && format != WrittenFormat::csv &&
           format != WrittenFormat::sgt;
}

Survey with_hypocentres(const Survey& survey, const Catalogue& found) {
    Survey moved = survey;
    for (std::size_t n = 0; n < moved.events.size(); ++n) {
        const Hypocentre& event = found.events[n];
        moved.events[n].position = event.position;
        if (std::isfinite(event.origin_time)) moved.events[n].origin_time = event.origin_time;
    }
    return moved;
}

void write_picks_as(const fs::path& path, const WrittenPicks& picks, const WriteOptions& options,
                    Notes& notes) {
    const WrittenFormat format = written_format(path, options.format);
    if (!is_catalogue_format(format)) return write_table(path, format, picks, options, notes);
    if (options.geographic) {
        throw InputError(
            fmt::format("`geographic` is for .csv ({} has its own coordinates)", name_of(format)));
    }
    if (options.stations && format == WrittenFormat::src_rec) {
        throw InputError(
            "src_rec has the places of its stations in it (leave `output_stations` out)");
    }
    if (!options.stations && format == WrittenFormat::lotos) {
        throw InputError(
            fmt::format("'{}' names stations by their numbers in stat_ft.dat (write it, too: "
                        "`output_stations`)",
                        path.string()));
    }
    const CatalogueTexts texts = texts_of(format, path, picks, notes);
    OutputFile file(path);
    file.write(texts.picks);
    if (options.stations) {
        OutputFile places(*options.stations);
        places.write(texts.stations);
        places.commit();
    } else if (format != WrittenFormat::src_rec) {
        notes.add(
            fmt::format("'{}' names stations without their places (`output_stations` writes them)",
                        path.string()));
    }
    file.commit();
}

}  // namespace fermat
