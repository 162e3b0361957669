#include <hdf5.h>

#include <array>
#include <limits>

#include "io/model_io.hpp"
#include "io/temp_folder.hpp"
#include "io/transpose.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {
namespace {

using namespace test;

Field<float> numbered(Shape shape) {
    Field<float> field(shape);
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<float>(i + 1);
    return field;
}

const Grid box{{5, 4, 3}, {1, 2, 3}, {0.1, 0.2, 0.3}};
const Grid section{{5, 1, 3}, {1, 2, 3}, {0.1, 0.2, 0.3}};

class VtkhdfImage : public TempFolder {
  protected:
    /// Writes a file with the given attributes and one dataset.
    template <class Make>
    fs::path put_hdf5(const std::string& name, Make make) const {
        const hid_t file = H5Fcreate(at(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        make(file);
        H5Fclose(file);
        return at(name);
    }
    static void put_dataset(hid_t parent, const char* name, hid_t type,
                            const std::vector<hsize_t>& shape, const void* values) {
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t links = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(links, 1);
        const hid_t id = H5Dcreate2(parent, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
        if (values) H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(id);
        H5Pclose(links);
        H5Sclose(space);
    }
    /// Replaces the velocity of a good file by another dataset.
    fs::path with_velocity(hid_t type, const std::vector<hsize_t>& shape,
                           const void* values) const {
        {
            ImageWriter writer(at("v.h5"), box);
            writer.commit();
        }
        const hid_t file = H5Fopen(at("v.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        put_dataset(file, "VTKHDF/PointData/velocity", type, shape, values);
        H5Fclose(file);
        return at("v.h5");
    }
    std::string read_error(const fs::path& file) const {
        const std::string text = message_of([&] { read_model(file, notes); });
        EXPECT_TRUE(contains(text, file.filename().string()));
        return text;
    }
};

TEST_F(VtkhdfImage, PointAndCellArraysOfAGridReadBack) {
    for (const Grid& grid : {box, section}) {
        ImageWriter writer(at("a.h5"), grid);
        const auto nodes = numbered(grid.shape);
        const auto cells = numbered(grid.cell_shape());
        writer.add_point_array(time_array_name(0, 2), nodes);
        writer.add_point_array(time_array_name(1, 2), nodes);
        writer.add_cell_array("coverage", cells);
        writer.commit();
        const ImageReader reader(at("a.h5"));
        EXPECT_EQ(reader.grid(), grid);
        EXPECT_EQ(reader.point_arrays(), (std::vector<std::string>{"time_000", "time_001"}));
        EXPECT_EQ(reader.cell_arrays(), (std::vector<std::string>{"coverage"}));
        const auto back = reader.read_point_array("time_001");
        EXPECT_TRUE(std::equal(nodes.begin(), nodes.end(), back.begin()));
        const auto coverage = reader.read_cell_array("coverage");
        EXPECT_TRUE(std::equal(cells.begin(), cells.end(), coverage.begin()));
        EXPECT_EQ(listing(), std::vector<std::string>{"a.h5"});
    }
}

TEST_F(VtkhdfImage, InTheFileXRunsFastest) {
    ImageWriter writer(at("a.h5"), box);
    const auto field = numbered(box.shape);
    writer.add_point_array("velocity", field);
    writer.commit();
    const hid_t file = H5Fopen(at("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t id = H5Dopen2(file, "VTKHDF/PointData/velocity", H5P_DEFAULT);
    float values[3][4][5];
    EXPECT_GE(H5Dread(id, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 5; ++i) EXPECT_EQ(values[k][j][i], field(i, j, k));
        }
    }
    H5Dclose(id);
    H5Fclose(file);
}

TEST_F(VtkhdfImage, FieldsOfManyBlocksReadBack) {
    // With 4100 rows of 1100 nodes a plane is larger than a block, so planes are cut too.
    const Grid grid{{1100, 4100, 2}, {}, {1, 1, 1}};
    ASSERT_GT(file_blocks(grid.shape).size(), 2u);
    const auto field = numbered(grid.shape);
    ImageWriter writer(at("a.h5"), grid);
    writer.add_point_array("velocity", field);
    writer.commit();
    const auto back = ImageReader(at("a.h5")).read_point_array("velocity");
    EXPECT_TRUE(std::equal(field.begin(), field.end(), back.begin()));
}

TEST_F(VtkhdfImage, NamesOfTimesCountSources) {
    EXPECT_EQ(time_array_name(0, 1), "time");
    EXPECT_EQ(time_array_name(7, 20), "time_007");
    EXPECT_EQ(time_array_name(7, 20000), "time_00007");
}

TEST_F(VtkhdfImage, WrongShapesAndNamesAreRefusedAndLeaveNothing) {
    ImageWriter writer(at("a.h5"), box);
    const auto nodes = numbered(box.shape);
    EXPECT_TRUE(contains(message_of([&] { writer.add_cell_array("coverage", nodes); }),
                         "must be (4, 3, 2) cells"));
    EXPECT_TRUE(contains(message_of([&] { writer.add_point_array("a/b", nodes); }), "'/'"));
    writer.add_point_array("a", nodes);
    EXPECT_TRUE(contains(message_of([&] { writer.add_point_array("a", nodes); }), "taken"));
    EXPECT_TRUE(contains(message_of([&] { ImageWriter(at("b.h5"), Grid{}); }), "at least 2"));
    EXPECT_FALSE(fs::exists(at("b.h5")));
}

TEST_F(VtkhdfImage, AFullDiskIsToldAndLeavesTheOldFile) {
    put("a.h5", "old");
    const Grid grid{{100, 100, 100}, {}, {1, 1, 1}};
    const auto field = numbered(grid.shape);
    for (const rlim_t bytes : {0ul, 100ul, 2000ul, 1000000ul, 4000000ul}) {
        const std::string text = message_of<ComputeError>([&] {
            const SmallDisk disk(bytes);
            ImageWriter writer(at("a.h5"), grid);
            writer.add_point_array("velocity", field);
            writer.commit();
        });
        EXPECT_TRUE(contains(text, "a.h5"));
        EXPECT_TRUE(contains(text, "File too large"));
        EXPECT_EQ(content(at("a.h5")), "old");
        EXPECT_EQ(listing(), std::vector<std::string>{"a.h5"});
    }
    // HDF5 still works.
    ImageWriter writer(at("a.h5"), grid);
    writer.add_point_array("velocity", field);
    writer.commit();
    EXPECT_EQ(ImageReader(at("a.h5")).read_point_array("velocity")[7], field[7]);
}

TEST_F(VtkhdfImage, ATruncatedFileIsToldAtEveryLength) {
    ImageWriter writer(at("a.h5"), box);
    writer.add_point_array("velocity", numbered(box.shape));
    writer.commit();
    const std::string whole = content(at("a.h5"));
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 20) {
        const std::string text = read_error(put("t.h5", whole.substr(0, length)));
        EXPECT_TRUE(contains(text, length == 0 ? "empty" : length < 8 ? "not an HDF5 file" : "'"));
    }
}

TEST_F(VtkhdfImage, FilesOfAnotherKindAreRefused) {
    EXPECT_TRUE(contains(read_error(at("none.h5")), "No such file"));
    fs::create_directory(at("folder.h5"));
    EXPECT_TRUE(contains(read_error(at("folder.h5")), "folder"));
    EXPECT_TRUE(contains(read_error(put("text.h5", "velocity")), "not an HDF5 file"));
    EXPECT_TRUE(contains(read_error(put_hdf5("bare.h5", [](hid_t) {})), "no group 'VTKHDF'"));
    const auto group = [](hid_t file) {
        H5Gclose(H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    };
    EXPECT_TRUE(contains(read_error(put_hdf5("group.h5", group)), "'Type'"));
    ImageWriter writer(at("empty.h5"), box);
    writer.commit();
    EXPECT_TRUE(contains(read_error(at("empty.h5")), "no array 'velocity'"));
}

TEST_F(VtkhdfImage, WrongTypesShapesAndSizesAreRefused) {
    const std::vector<double> values(60, 2.0);
    EXPECT_NO_THROW(read_model(with_velocity(H5T_NATIVE_DOUBLE, {3, 4, 5}, values.data()), notes));
    const std::vector<std::int32_t> whole(60, 2);
    EXPECT_TRUE(
        contains(read_error(with_velocity(H5T_NATIVE_INT32, {3, 4, 5}, whole.data())), "int32"));
    EXPECT_TRUE(contains(read_error(with_velocity(H5T_NATIVE_DOUBLE, {5, 4, 3}, values.data())),
                         "[5][4][3] (must be [3][4][5]"));
    EXPECT_TRUE(contains(read_error(with_velocity(H5T_NATIVE_DOUBLE, {60}, values.data())),
                         "[60] (must be [3][4][5]"));
    constexpr hsize_t huge = hsize_t{1} << 20;
    EXPECT_TRUE(contains(read_error(with_velocity(H5T_NATIVE_FLOAT, {huge, huge, 1000}, nullptr)),
                         "never written"));
}

TEST_F(VtkhdfImage, BadVelocitiesAreToldWithFileAndNode) {
    for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), 1e300}) {
        std::vector<double> values(60, 2.0);
        values[5 * 4 * 1 + 5 * 2 + 3] = bad;
        const auto text = read_error(with_velocity(H5T_NATIVE_DOUBLE, {3, 4, 5}, values.data()));
        EXPECT_TRUE(contains(text, "node (3, 2, 1)"));
    }
}

TEST_F(VtkhdfImage, AnAbsurdOrTurnedGridIsRefused) {
    const auto change = [&](const char* name, const auto& values, hid_t type) {
        ImageWriter writer(at("g.h5"), box);
        writer.add_point_array("velocity", numbered(box.shape));
        writer.commit();
        const hid_t file = H5Fopen(at("g.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t group = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
        const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
        H5Awrite(attribute, type, values.data());
        H5Aclose(attribute);
        H5Gclose(group);
        H5Fclose(file);
        return read_error(at("g.h5"));
    };
    using Extent = std::array<std::int64_t, 6>;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    EXPECT_TRUE(
        contains(change("WholeExtent", Extent{0, most, 0, 1, 0, 1}, H5T_NATIVE_INT64), "extent"));
    EXPECT_TRUE(contains(change("WholeExtent", Extent{-most, most, 0, 1, 0, 1}, H5T_NATIVE_INT64),
                         "extent"));
    EXPECT_TRUE(contains(
        change("WholeExtent", Extent{0, 1000000, 0, 1000000, 0, 1000000}, H5T_NATIVE_INT64),
        "nodes"));
    EXPECT_TRUE(contains(change("Spacing", std::array{0.1, -1.0, 0.1}, H5T_NATIVE_DOUBLE),
                         "spacing along y"));
    EXPECT_TRUE(contains(
        change("Direction", std::array{0., 1., 0., 1., 0., 0., 0., 0., 1.}, H5T_NATIVE_DOUBLE),
        "Direction"));
}

}  // namespace
}  // namespace fermat
