#pragma once

#include <filesystem>

#include "model/model.hpp"

namespace fermat {

/// Reads VTK's XML files of one piece: `.vti` (ImageData) and `.vtr` (RectilinearGrid whose
/// coordinates are evenly spaced). The velocity is the point array of that name, or the only one of
/// the file. Values may be ascii, base64 or appended; compressed ones are refused. Throws
/// InputError.
Model read_vtk_xml(const std::filesystem::path& path);

}  // namespace fermat
