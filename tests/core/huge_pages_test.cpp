// Huge pages are a hint: values do not change, and any block of memory is accepted.
#include "core/huge_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace fermat {
namespace {

TEST(HugePages, GatheringKeepsTheValues) {
    std::vector<int> values(3 << 20);
    std::iota(values.begin(), values.end(), 7);
    gather_into_huge_pages(values.data(), values.size() * sizeof(int));
    for (std::size_t n = 0; n < values.size(); ++n) ASSERT_EQ(values[n], static_cast<int>(n) + 7);
}

TEST(HugePages, AdvisedMemoryIsMemory) {
    constexpr std::size_t count = 5 << 20;
    const std::unique_ptr<char[]> memory(new char[count]);
    advise_huge_pages(memory.get(), count);
    std::fill_n(memory.get(), count, 'x');
    EXPECT_EQ(std::count(memory.get(), memory.get() + count, 'x'), std::ptrdiff_t{count});
}

TEST(HugePages, SmallAndEmptyBlocksAreLeftAlone) {
    std::vector<char> small(100, 'a');
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, small.size()}) {
        advise_huge_pages(small.data(), bytes);
        gather_into_huge_pages(small.data(), bytes);
    }
    advise_huge_pages(nullptr, 0);
    EXPECT_EQ(small, std::vector<char>(100, 'a'));
}

}  // namespace
}  // namespace fermat
