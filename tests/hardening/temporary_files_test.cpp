/// The next writer removes temporary files of a killed writer, and leaves those that are in use.

#include <sys/wait.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/temp_folder.hpp"
#include "io/temporary_file.hpp"

namespace fermat {
namespace {

using namespace test;
using TemporaryFilesTest = TempFolder;

/// Acts like kill -9: a child creates a file and ends without running destructors.
void die_while_writing(const fs::path& target) {
    const pid_t child = ::fork();
    if (child == 0) {
        new AtomicFile(target);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
}

TEST_F(TemporaryFilesTest, LeavingsOfTheSameOutputAreRemoved) {
    for (int kill = 0; kill < 20; ++kill) die_while_writing(at("a.h5"));
    EXPECT_EQ(listing().size(), 1U);
    die_while_writing(at("b.h5"));
    OutputFile file(at("a.h5"));
    file.commit();
    // The temporary file of another output is left alone.
    EXPECT_EQ(listing().size(), 2U);
    EXPECT_TRUE(fs::exists(at("a.h5")));
}

TEST_F(TemporaryFilesTest, WritersOfOneOutputDoNotMeet) {
    std::vector<std::unique_ptr<OutputFile>> files;
    for (int n = 0; n < 20; ++n) {
        files.push_back(std::make_unique<OutputFile>(at("a.txt")));
        files.back()->write(std::to_string(n));
    }
    EXPECT_EQ(listing().size(), 20U);
    for (int n = 0; n < 20; ++n) {
        files[static_cast<std::size_t>(n)]->commit();
        EXPECT_EQ(content(at("a.txt")), std::to_string(n));
    }
    files.clear();
    EXPECT_EQ(listing(), std::vector<std::string>{"a.txt"});
}

TEST_F(TemporaryFilesTest, LeavingsOfSeveralWritersAreRemovedByOne) {
    const pid_t child = ::fork();
    if (child == 0) {
        for (int n = 0; n < 5; ++n) new AtomicFile(at("a.h5"));
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(listing().size(), 5U);
    { const AtomicFile file(at("a.h5")); }
    EXPECT_TRUE(listing().empty());
}

TEST_F(TemporaryFilesTest, APlantedLinkIsNotWrittenThrough) {
    die_while_writing(at("a.txt"));
    const std::string name = listing().front();
    fs::remove(at(name));
    put("victim", "kept");
    fs::create_symlink("victim", at(name));
    OutputFile file(at("a.txt"));
    file.write("new");
    file.commit();
    EXPECT_EQ(content(at("victim")), "kept");
    EXPECT_EQ(content(at("a.txt")), "new");
}

TEST_F(TemporaryFilesTest, AHandlerOfSignalsRemovesWhatIsUnderWork) {
    put("a.txt", "old");
    AtomicFile one(at("a.txt"));
    AtomicFile two(at("b.txt"));
    two.commit();
    remove_temporary_files();
    std::vector<std::string> names = listing();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"a.txt", "b.txt"}));
    EXPECT_EQ(content(at("a.txt")), "old");
}

}  // namespace
}  // namespace fermat
