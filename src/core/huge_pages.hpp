#pragma once

#include <cstddef>

namespace fermat {

/// Asks the system to back memory by pages of 2 MiB, before it is first written. Rays and marching
/// fronts cross a grid along its slow axes, where every step is in another page of 4 KiB and the
/// processor's table of pages is soon too small. A hint only: small blocks are left alone, and
/// where the system has no such pages nothing happens.
void advise_huge_pages(void* data, std::size_t bytes);

/// The same for memory that holds values already.
void gather_into_huge_pages(const void* data, std::size_t bytes);

}  // namespace fermat
