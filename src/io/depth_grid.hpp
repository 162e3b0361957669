#pragma once

#include <string>
#include <vector>

#include "io/text_file.hpp"
#include "model/interface_view.hpp"

namespace fermat {

/// Values on an even grid of x and y, or of longitude and latitude, as files of surfaces have them.
struct DepthGrid {
    Lattice at{};                  ///< its x is x or longitude, its y is y or latitude
    std::vector<double> values{};  ///< in C order [x][y]; NaN where the file has none
    bool degrees = false;          ///< the file says that x and y are longitudes and latitudes
    bool heights = false;          ///< the file says that its values grow upwards
    bool metres = false;           ///< the file says that its values are metres
};

/// Whether a file is NetCDF by its first bytes: the classic format, or HDF5, which NetCDF-4 is.
bool is_netcdf(const TextFile& file);

/// Reads the grid of a NetCDF file, as GMT and others write it: its variable of two dimensions
/// (`z` or `depth` if it has several) with the coordinates x and y, or lon and lat. Classic and
/// 64-bit files are read without the NetCDF library; NetCDF-4 by HDF5. Throws InputError that names
/// the file.
DepthGrid read_netcdf_grid(const TextFile& file);

// What both kinds of files have.

/// A variable with the names of its dimensions.
struct NetcdfVariable {
    std::string name{};
    std::vector<std::string> dims{};
    std::vector<std::size_t> sizes{};
    std::vector<double> values{};  ///< scaled; NaN where missing
    std::string units{};
    std::string positive{};
};
std::vector<NetcdfVariable> read_classic_netcdf(const TextFile& file);
std::vector<NetcdfVariable> read_netcdf4(const TextFile& file);

/// A stored value as it is meant: missing ones are NaN, others scaled.
struct NetcdfScale {
    double factor = 1;
    double offset = 0;
    std::vector<double> missing{};

    double operator()(double stored) const;
};

}  // namespace fermat
