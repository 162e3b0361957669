#pragma once

#include <cstddef>

namespace fermat {

/// Asks the system to back memory by pages of 2 MiB, before it is first written. Rays and
/// wavefronts cross a grid along its slow axes, where every step reads another page of 4 KiB and
/// the TLB of the processor is too small. This is only a hint: it has no effect on small blocks and
/// on systems without such pages.
void advise_huge_pages(void* data, std::size_t bytes);

/// Asks the system to move memory that already holds values to pages of 2 MiB.
void gather_into_huge_pages(const void* data, std::size_t bytes);

}  // namespace fermat
