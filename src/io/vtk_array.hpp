#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "io/xml.hpp"

namespace fermat {

/// Where and how a VTK XML file stores its binary values.
struct VtkStorage {
    std::string_view appended;  ///< what follows the '_' of AppendedData; empty if there is none
    bool appended_base64 = false;
    bool swapped = false;
    bool compressed = false;
    std::size_t header_size = 4;  ///< of the byte count before the values
};

/// The `count` values of a DataArray of Float32 or Float64. Throws InputError whose message
/// follows the file's name.
std::vector<float> read_vtk_array(const XmlElement& array, const VtkStorage& storage,
                                  std::size_t count);

}  // namespace fermat
