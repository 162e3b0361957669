#pragma once

#include <vector>

#include "core/notes.hpp"
#include "model/layered_medium.hpp"

namespace fermat {

/// Layers whose velocities are all on nodes, as LayeredMedium wants them. One that has them in
/// cells gets nodes of its own side: the cells whose middles lie in the layer are continued beyond
/// it, with their gradient for two cells, and nodes take what the cells round them say
/// (cell_medium.hpp), which is of second order where velocity varies smoothly. Notes which layers
/// were in cells. Throws InputError where velocity jumps from cell to cell within a layer, since
/// paths bend smoothly in one, and where a layer holds no cell.
std::vector<Layer> layers_on_nodes(const std::vector<Interface>& interfaces,
                                   std::vector<Layer> layers, Notes& notes);

}  // namespace fermat
