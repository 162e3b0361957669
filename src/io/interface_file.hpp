#pragma once

#include <string>

#include "core/notes.hpp"
#include "io/text_file.hpp"
#include "model/interface.hpp"
#include "model/place.hpp"

namespace fermat {

struct InterfaceFileOptions {
    InterfaceShape shape = InterfaceShape::smooth;
    bool heights = false;  ///< values of the file grow upwards
};

/// Reads the depths of an interface from what people hold. The content tells the format:
///
/// | file | has |
/// |---|---|
/// | Surfer's grids (DSAA, DSBB, DSRB) | x, y; on a sphere longitude, latitude |
/// | NetCDF (GMT, xarray; classic or NetCDF-4) | x and y, or lon and lat |
/// | table with commas, semicolons, tabs or blanks | columns by name, or x depth; x y depth; on a
/// sphere longitude latitude depth |
/// | .sgt, table of picks | the points of the ground, the receivers |
///
/// A grid stays on its own points, of which those far from the model are left out. Points that fill
/// no grid are interpolated at the model's columns (Surface). Notes what was filled in, turned or
/// lies beyond the file. Throws InputError that names the file, also where it and the model have no
/// place in common.
Interface interface_from_file(const TextFile& file, const std::string& id, const Place& place,
                              const InterfaceFileOptions& options, Notes& notes);

}  // namespace fermat
