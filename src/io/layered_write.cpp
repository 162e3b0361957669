#include <fmt/format.h>

#include "core/error.hpp"
#include "io/layered_io.hpp"
#include "io/model_formats.hpp"

namespace fermat {

namespace fs = std::filesystem;

LayeredFormat layered_format_of(const fs::path& path) {
    const std::string name = lower_name(path);
    if (has_suffix(".h5 .hdf5 .hdf .vtkhdf", suffix_of(path))) return LayeredFormat::h5;
    if (name.starts_with("vgrids") && name.ends_with(".in")) return LayeredFormat::fmtomo;
    if (name.starts_with('v') && name.ends_with(".in")) return LayeredFormat::rayinvr;
    if (name.find("smesh") != std::string::npos) return LayeredFormat::tomo2d;
    throw InputError(fmt::format(
        "cannot write '{}' (layered media are written as .h5, rayinvr's v.in, tomo2d's .smesh or "
        "FMTOMO's vgrids.in; `format` chooses one for another name)",
        path.string()));
}

void write_layered(const fs::path& path, const LayeredMedium& medium,
                   const LayeredWriteOptions& options, Notes& notes) {
    const LayeredFormat format = options.format ? *options.format : layered_format_of(path);
    const bool two_files = format == LayeredFormat::tomo2d || format == LayeredFormat::fmtomo;
    if (options.interfaces && !two_files) {
        throw InputError(
            fmt::format("'{}' has its interfaces in it (leave `interfaces` out)", path.string()));
    }
    if (!options.reflector.empty() && format != LayeredFormat::tomo2d) {
        throw InputError(
            fmt::format("`reflector` is tomo2d's, and '{}' is not (leave it out)", path.string()));
    }
    switch (format) {
        case LayeredFormat::h5:
            return write_layered(path, medium);
        case LayeredFormat::rayinvr:
            return write_zelt_layers(path, medium, notes);
        case LayeredFormat::tomo2d:
            return write_smesh_layers(
                path, options.interfaces.value_or(fs::path(path).replace_extension(".refl")),
                medium, options.reflector, notes);
        case LayeredFormat::fmtomo:
            return write_fmtomo_layers(
                path, options.interfaces.value_or(path.parent_path() / "interfaces.in"), medium,
                notes);
    }
}

}  // namespace fermat
