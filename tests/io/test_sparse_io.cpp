#include "io/sparse_io.hpp"

#include "io/temp_folder.hpp"
#include "io/vtkhdf_rays.hpp"

namespace fermat {
namespace {

using namespace test;
using SparseIo = TempFolder;

SparseRows some_rows() { return {4, {0, 2, 2, 3}, {0, 3, 1}, {0.5, 1.0 / 3, -2}}; }

TEST_F(SparseIo, RowsOfSeveralPartsReadBackAsOneMatrix) {
    SparseWriter writer(at("s.h5"), 4);
    writer.append(some_rows());
    writer.append({4, {0}, {}, {}});
    writer.append({4, {0, 1}, {2}, {7}});
    EXPECT_FALSE(std::filesystem::exists(at("s.h5")));
    writer.commit();
    const SparseRows rows = read_sparse(at("s.h5"));
    EXPECT_EQ(rows.columns, 4);
    EXPECT_EQ(rows.row_start, (std::vector<std::int64_t>{0, 2, 2, 3, 4}));
    EXPECT_EQ(rows.column, (std::vector<std::int64_t>{0, 3, 1, 2}));
    EXPECT_EQ(rows.value, (std::vector<double>{0.5, 1.0 / 3, -2, 7}));
    EXPECT_EQ(listing(), std::vector<std::string>{"s.h5"});
}

TEST_F(SparseIo, NoRowsAreAMatrixToo) {
    SparseWriter(at("s.h5"), 9).commit();
    const SparseRows rows = read_sparse(at("s.h5"));
    EXPECT_EQ(rows.columns, 9);
    EXPECT_EQ(rows.row_start, std::vector<std::int64_t>{0});
}

TEST_F(SparseIo, NothingIsLeftWithoutCommit) {
    { SparseWriter(at("s.h5"), 4).append(some_rows()); }
    EXPECT_TRUE(listing().empty());
}

TEST_F(SparseIo, RowsOfAnotherWidthAreRefused) {
    SparseWriter writer(at("s.h5"), 5);
    EXPECT_THROW(writer.append(some_rows()), InputError);
}

/// Columns and row starts that are out of range must not reach the memory of a reader.
TEST_F(SparseIo, MatricesThatPointOutsideAreRefused) {
    const auto written = [&](const SparseRows& rows) {
        SparseWriter writer(at("s.h5"), rows.columns);
        writer.append(rows);
        writer.commit();
        return at("s.h5");
    };
    EXPECT_THROW(read_sparse(written({4, {0, 1}, {4}, {1}})), InputError);
    EXPECT_THROW(read_sparse(written({4, {0, 1}, {-1}, {1}})), InputError);
    EXPECT_THROW(read_sparse(written({4, {0, 2}, {1}, {1}})), InputError);
    EXPECT_THROW(read_sparse(written({4, {0, 1, 0}, {}, {}})), InputError);
    EXPECT_THROW(read_sparse(written({4, {0, 1}, {1}, {}})), InputError);
}

TEST_F(SparseIo, FilesOfAnotherKindAreRefused) {
    write_rays(at("r.h5"), {});
    EXPECT_THROW(read_sparse(at("r.h5")), InputError);
    EXPECT_THROW(read_sparse(at("none.h5")), InputError);
}

}  // namespace
}  // namespace fermat
