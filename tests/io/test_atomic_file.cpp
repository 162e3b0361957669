#include "io/atomic_file.hpp"

#include <stdexcept>

#include "io/gzip.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;
using AtomicFileTest = TempFolder;

TEST_F(AtomicFileTest, NothingIsVisibleBeforeCommitAndEverythingAfter) {
    OutputFile file(at("a.txt"));
    file.write("hello");
    EXPECT_FALSE(fs::exists(at("a.txt")));
    file.commit();
    EXPECT_EQ(content(at("a.txt")), "hello");
    EXPECT_EQ(listing(), std::vector<std::string>{"a.txt"});
}

TEST_F(AtomicFileTest, ANameOfGzipMakesAFileOfGzipThatIsTheSameForTheSameContent) {
    std::string text;
    for (int n = 0; n < 300000; ++n) text += std::to_string(n * 31 % 10007) + "\n";
    for (const char* name : {"a.csv.gz", "b.csv.GZ"}) {
        OutputFile file(at(name));
        file.write(text);
        file.commit();
    }
    const std::string packed = content(at("a.csv.gz"));
    ASSERT_TRUE(is_gzip(packed));
    EXPECT_LT(packed.size(), text.size() / 2);
    EXPECT_EQ(unpack_gzip(packed, "a.csv.gz", text.size()), text);
    EXPECT_EQ(content(at("b.csv.GZ")), packed);
}

TEST_F(AtomicFileTest, AnExceptionLeavesTheOldFileAndNothingElse) {
    put("a.txt", "old");
    try {
        OutputFile file(at("a.txt"));
        file.write("new");
        throw std::runtime_error("interrupted");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(content(at("a.txt")), "old");
    EXPECT_EQ(listing(), std::vector<std::string>{"a.txt"});
}

TEST_F(AtomicFileTest, AFullDiskIsToldWithFileAndReasonAndLeavesTheOldFile) {
    put("a.txt", "old");
    const std::string text = message_of<ComputeError>([&] {
        const SmallDisk disk(1000);
        OutputFile file(at("a.txt"));
        file.write(std::string(5000, 'x'));
        file.commit();
    });
    EXPECT_TRUE(contains(text, "a.txt"));
    EXPECT_TRUE(contains(text, "File too large"));
    EXPECT_EQ(content(at("a.txt")), "old");
    EXPECT_EQ(listing(), std::vector<std::string>{"a.txt"});
}

TEST_F(AtomicFileTest, ADeviceIsWrittenDirectlyAndItsFailureTold) {
    if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const std::string text = message_of<ComputeError>([&] {
        OutputFile file("/dev/full");
        file.write("x");
        file.commit();
    });
    EXPECT_TRUE(contains(text, "No space left on device"));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    // A device cannot be written with seeks, and a rename would replace it.
    EXPECT_TRUE(contains(message_of([] { AtomicFile file("/dev/full"); }), "not a regular file"));
}

TEST_F(AtomicFileTest, AMissingFolderAndAFolderAsFileAreToldAtOnce) {
    EXPECT_TRUE(contains(message_of([&] { AtomicFile file(at("no/a.txt")); }), "does not exist"));
    EXPECT_TRUE(contains(message_of([&] { AtomicFile file(folder_); }), "is a folder"));
    put("file", "");
    EXPECT_TRUE(contains(message_of([&] { AtomicFile file(at("file/a.txt")); }), "file/a.txt"));
}

TEST_F(AtomicFileTest, AProtectedFileOrFolderIsNotReplaced) {
    if (::geteuid() == 0) GTEST_SKIP() << "permissions do not bind root";
    put("a.txt", "old");
    fs::permissions(at("a.txt"), fs::perms::owner_read);
    EXPECT_TRUE(contains(message_of([&] { AtomicFile file(at("a.txt")); }), "Permission denied"));
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_TRUE(contains(message_of([&] { AtomicFile file(at("b.txt")); }), "Permission denied"));
    fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(AtomicFileTest, ALinkStaysALinkAndPermissionsStay) {
    put("real.txt", "old");
    fs::permissions(at("real.txt"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink(at("real.txt"), at("link.txt"));
    OutputFile file(at("link.txt"));
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(at("link.txt")));
    EXPECT_EQ(content(at("real.txt")), "new");
    EXPECT_EQ(fs::status(at("real.txt")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, ANameAsLongAsTheFileSystemAllowsWorks) {
    OutputFile file(at(std::string(255, 'n')));
    file.commit();
    EXPECT_TRUE(fs::exists(at(std::string(255, 'n'))));
}

}  // namespace
}  // namespace fermat
