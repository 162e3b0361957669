#include "io/survey_file.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/destination.hpp"
#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"
#include "io/waveforms.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// Options that only a table has are refused elsewhere, rather than not used.
void require_table(PickFormat format, const fs::path& path, const PickReadOptions& options) {
    if (format == PickFormat::table) return;
    if (options.columns.empty() && options.column_units.empty()) return;
    throw InputError(fmt::format(
        "'{}' is read as {}, whose columns are fixed (leave out `columns`, or say `format=table`)",
        path.string(), name_of(format)));
}

}  // namespace

PickFormat pick_format_of(const TextFile& file) {
    for (const PickReader* reader : pick_readers()) {
        if (reader->named != nullptr && reader->named(file)) return reader->format;
    }
    if (file.is_binary()) {
        constexpr std::string_view hdf5_mark = "\x89HDF\r\n\x1a\n";
        const bool is_hdf5 = file.head(hdf5_mark.size()) == hdf5_mark;
        throw InputError(fmt::format("{} is {} (picks are text, or .gtt)", file.quoted(),
                                     is_hdf5 ? "an HDF5 file, such as a model, and no file of picks"
                                             : "a binary file that is not known"));
    }
    NumberLines lines(file);
    const Words first = lines.next();
    const Words second = lines.next();
    for (const PickReader* reader : pick_readers()) {
        if (!second.empty() && reader->looks != nullptr && reader->looks(first, second)) {
            return reader->format;
        }
    }
    return PickFormat::table;
}

SurveyFile read_survey_file(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    refuse_waveforms(file);
    const PickFormat format =
        options.format == PickFormat::automatic ? pick_format_of(file) : options.format;
    require_table(format, file.path(), options);
    if (options.heights && options.depths) {
        throw InputError("z is said to be both height and depth (must be one of them)");
    }
    return pick_reader(format).read(file, options, notes);
}

void write_survey_file(const fs::path& path, const SurveyFile& survey, bool geographic) {
    if (geographic && !survey.plane) {
        if (!survey.projection.empty()) {
            throw InputError(fmt::format(
                "the plane of the picks, '{}', is one of PROJ, which the Python package knows "
                "(fermat.picks(FILE).save(..., geographic=True))",
                survey.projection));
        }
        throw InputError(
            "the picks have no plane to give longitudes and latitudes back from (it is the "
            "line '# local plane: ...' of a table that was converted from them)");
    }
    const bool is_file = destination_of(path).kind == Destination::Kind::file;
    const std::string suffix = input_suffix_of(path);
    if (suffix == ".sgt" && !geographic) {
        write_sgt(path, survey);
    } else if (!is_file || suffix == ".csv") {
        write_pick_table(path, survey, geographic);
    } else {
        throw InputError(fmt::format("cannot write '{}' (picks are written as .csv{})",
                                     path.string(), geographic ? "" : " or .sgt"));
    }
}

}  // namespace fermat
