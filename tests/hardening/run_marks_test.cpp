/// Files record which run wrote them, and only one process at a time may use a folder.

#include <sys/wait.h>

#include "io/csv.hpp"
#include "io/folder_lock.hpp"
#include "io/model_io.hpp"
#include "io/run_mark.hpp"
#include "io/temp_folder.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using namespace test;
using RunMarksTest = TempFolder;

TEST_F(RunMarksTest, TablesModelsAndTextsCarryTheRun) {
    CsvWriter table(at("t.csv"), {"a", "b"}, "0123");
    table.add_row({1.0, 2.0});
    table.add_row({3.0, 4.0});
    table.commit();
    EXPECT_EQ(content(at("t.csv")), "a,b,fermat_run\n1,2,0123\n3,4,0123\n");
    EXPECT_EQ(run_of_file(at("t.csv")), "0123");
    const CsvTable read(at("t.csv"));
    EXPECT_EQ(read.run(), "0123");
    EXPECT_EQ(read.names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(read.number(1, 1), 4.0);

    const Model model = constant_model({{3, 1, 3}, {0, 0, 0}, {1, 1, 1}}, 2);
    write_model(at("m.h5"), model, "4567");
    EXPECT_EQ(run_of_file(at("m.h5")), "4567");
    write_model(at("n.h5"), model);
    EXPECT_EQ(run_of_file(at("n.h5")), "");

    put("s.toml", run_comment("89ab") + "model = 1\n");
    EXPECT_EQ(run_of_file(at("s.toml")), "89ab");
    put("e.toml", "");
    EXPECT_EQ(run_of_file(at("e.toml")), "");
    EXPECT_EQ(run_of_file(at("none.h5")), "");
}

TEST_F(RunMarksTest, ATablePastedTogetherIsNoRuns) {
    put("t.csv", "a,fermat_run\n1,x\n2,y\n");
    const std::string run = CsvTable(at("t.csv")).run();
    EXPECT_NE(run, "x");
    EXPECT_NE(run, "y");
}

TEST_F(RunMarksTest, AFolderIsLockedOnceAndFreeWhenItsProcessEnds) {
    {
        const FolderLock lock(folder_);
        EXPECT_TRUE(contains(message_of([&] { const FolderLock second(folder_); }),
                             "an inversion that is running (process "));
    }
    EXPECT_TRUE(listing().empty());
    const pid_t child = ::fork();
    if (child == 0) {
        new FolderLock(folder_);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(listing(), std::vector<std::string>{".fermat.lock"});
    { const FolderLock lock(folder_); }
    EXPECT_TRUE(listing().empty());
}

}  // namespace
}  // namespace fermat
