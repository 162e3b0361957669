#include "core/huge_pages.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <cstdint>
#endif

namespace fermat {

#if defined(__linux__)
namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
/// Available since Linux 6.1; older C libraries do not define it.
constexpr int collapse_now = 25;

struct PageRange {
    void* begin = nullptr;
    std::size_t bytes = 0;
};

/// The complete huge pages inside a block of memory.
PageRange huge_pages_inside(const void* data, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t begin = (address + huge_page - 1) & ~(huge_page - 1);
    const std::uintptr_t end = (address + bytes) & ~(huge_page - 1);
    if (end <= begin) return {};
    return {reinterpret_cast<void*>(begin), end - begin};
}

}  // namespace

void advise_huge_pages(void* data, std::size_t bytes) {
    const PageRange pages = huge_pages_inside(data, bytes);
    if (pages.bytes > 0) madvise(pages.begin, pages.bytes, MADV_HUGEPAGE);
}

void gather_into_huge_pages(const void* data, std::size_t bytes) {
    const PageRange pages = huge_pages_inside(data, bytes);
    if (pages.bytes == 0) return;
    if (madvise(pages.begin, pages.bytes, MADV_HUGEPAGE) == 0) {
        madvise(pages.begin, pages.bytes, collapse_now);
    }
}
#else
void advise_huge_pages(void*, std::size_t) {}
void gather_into_huge_pages(const void*, std::size_t) {}
#endif

}  // namespace fermat
