#include "core/platform.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <vector>

#if !defined(_WIN32)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace fermat {
namespace {

namespace fs = std::filesystem;

TEST(Platform, TheSystemTellsWhatItHas) {
    EXPECT_GE(usable_processors(), 1);
    EXPECT_FALSE(processor_name().empty());
    EXPECT_GT(physical_memory(), 1e8);
    EXPECT_TRUE(fs::is_regular_file(own_program()));
    EXPECT_EQ(own_program().stem().string().substr(0, 4), "test");
}

TEST(Platform, ThePeakGrowsWithMemoryThatIsHeld) {
    const double before = peak_memory();
    std::vector<char> held(static_cast<std::size_t>(before) + 50'000'000, 'x');
    EXPECT_GT(held[held.size() / 2], 0);
    EXPECT_GT(peak_memory(), before + 1e7);
}

#if !defined(_WIN32)
TEST(Platform, ALockIsTakenOnceAlone) {
    const fs::path file =
        fs::temp_directory_path() / ("fermat_platform_lock_" + std::to_string(::getpid()));
    std::ofstream(file) << "x";
    const int first = ::open(file.c_str(), O_RDWR);
    const int second = ::open(file.c_str(), O_RDWR);
    EXPECT_EQ(lock_file(first, FileLock::shared), Locked::yes);
    EXPECT_EQ(lock_file(second, FileLock::shared), Locked::yes);
    EXPECT_EQ(lock_file(second, FileLock::alone), Locked::taken);
    ::close(first);
    EXPECT_EQ(lock_file(second, FileLock::alone), Locked::yes);
    ::close(second);
    fs::remove(file);
}
#endif

}  // namespace
}  // namespace fermat
