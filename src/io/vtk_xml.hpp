#pragma once

#include "io/text_file.hpp"
#include "model/model.hpp"

namespace fermat {

/// Reads VTK's XML files of one piece: `.vti` (ImageData) and `.vtr` (RectilinearGrid with evenly
/// spaced coordinates). The velocity is the point array of that name, else the cell array of that
/// name, else the only point array of the file, or the only cell array if it has no point array.
/// Values may be ascii, base64 or appended, but not compressed. Throws InputError.
Model read_vtk_xml(const TextFile& file);

}  // namespace fermat
