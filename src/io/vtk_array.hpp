#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "io/xml.hpp"

namespace fermat {

/// Where and how a VTK XML file stores its binary values.
struct VtkStorage {
    std::string_view appended;  ///< bytes after the '_' of AppendedData; empty if there are none
    bool appended_base64 = false;
    bool swapped = false;
    bool compressed = false;
    std::size_t header_size = 4;  ///< bytes of the byte count before the values
};

/// Reads the `count` values of a DataArray of Float32 or Float64. Throws InputError; the caller
/// puts the file's name before the message.
std::vector<float> read_vtk_array(const XmlElement& array, const VtkStorage& storage,
                                  std::size_t count);

}  // namespace fermat
