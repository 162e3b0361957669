#pragma once

#include <memory>

#include "tomography/gauss_newton/row_store.hpp"

namespace fermat {

/// Moves rows to the CUDA device in use: 8 bytes per entry.
std::unique_ptr<RowStore> make_cuda_rows(HostRows&& rows, std::size_t columns);

}  // namespace fermat
