#include "io/model_io.hpp"

#include "expect_error.hpp"
#include "io/npy.hpp"
#include "io/temp_folder.hpp"
#include "io/vtkhdf_image.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

using namespace test;
using ModelIo = TempFolder;

Model some_model(Shape shape) {
    Field<float> velocity(shape);
    for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = static_cast<float>(i);
    return Model({shape, {1, 0, -2}, {0.5, 1, 0.25}}, std::move(velocity));
}

bool same_values(const Model& a, const Model& b) {
    return std::equal(a.velocity().begin(), a.velocity().end(), b.velocity().begin(),
                      b.velocity().end());
}

TEST_F(ModelIo, ModelsReadBackBySuffix) {
    for (const Shape shape : {Shape{4, 3, 5}, Shape{4, 1, 5}}) {
        const Model model = some_model(shape);
        for (const char* name : {"m.h5", "m.vtkhdf", "m.HDF", "m.npy"}) {
            write_model(at(name), model);
            ModelReadOptions options;
            if (at(name).extension() == ".npy") {
                options.spacing = model.grid().spacing;
                options.origin = model.grid().origin;
            }
            const Model back = read_model(at(name), notes, options);
            EXPECT_EQ(back.grid(), model.grid()) << name;
            EXPECT_TRUE(same_values(back, model)) << name;
        }
    }
}

TEST_F(ModelIo, ATableInAnyOrderIsAModelIfItsGridIsRegular) {
    put("m.csv", "velocity,z,x\n4,0.2,1\n1,0.1,0\n2,0.2,0\n6,0.3,1\n3,0.3,0\n0,0.1,1\n");
    const Model model = read_model(at("m.csv"), notes);
    EXPECT_EQ(model.grid().shape, (Shape{2, 1, 3}));
    EXPECT_NEAR(model.grid().spacing.z, 0.1, 1e-15);
    EXPECT_EQ(model.velocity()(1, 0, 2), 6);
    EXPECT_TRUE(model.is_air({1, 0, 0}));
    const auto error = [&](std::string_view content) {
        put("m.csv", content);
        const auto text = message_of([&] { read_model(at("m.csv"), notes); });
        EXPECT_TRUE(contains(text, "m.csv"));
        return text;
    };
    EXPECT_TRUE(contains(error("x,z,velocity\n"), "0 rows"));
    EXPECT_TRUE(contains(error("x,z,v\n0,0,1\n"), "'velocity'"));
    EXPECT_TRUE(contains(error("x,z,velocity\n0,0,1\n1,0,1\n1,1,1\n"), "regular grid"));
    EXPECT_TRUE(contains(error("x,z,velocity\n0,0,1\n1,0,1\n1,1,1\n1,1,1\n"), "before"));
    EXPECT_TRUE(
        contains(error("x,z,velocity\n0,0,1\n0,1,1\n0,3,1\n1,0,1\n1,1,1\n1,3,1\n"), "evenly"));
    EXPECT_TRUE(contains(error("x,z,velocity\n0,0,1\n1,0,1\n1,1,1\n0,1,-2\n"), "line 5"));
}

TEST_F(ModelIo, SpacingIsAskedForWhereItIsMissingAndRefusedWhereItIsNot) {
    const Model model = some_model({4, 1, 5});
    write_model(at("m.npy"), model);
    write_model(at("m.h5"), model);
    EXPECT_TRUE(
        contains(message_of([&] { read_model(at("m.npy"), notes); }), "spacing must be given"));
    EXPECT_TRUE(contains(message_of([&] {
                             read_model(at("m.h5"), notes, {Vec3{1, 1, 1}, {}, {}});
                         }),
                         "its own spacing"));
    EXPECT_TRUE(contains(message_of([&] {
                             read_model(at("m.npy"), notes, {Vec3{1, 1, 0}, {}, {}});
                         }),
                         "m.npy': spacing along z"));
}

Model some_cells(Shape nodes) {
    const Grid grid{nodes, {1, 0, -2}, {0.5, 1, 0.25}};
    Field<float> velocity(grid.cell_shape());
    for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = static_cast<float>(i);
    return Model::of_cells(grid, std::move(velocity));
}

bool same_given(const Model& a, const Model& b) {
    return a.given().shape() == b.given().shape() &&
           std::equal(a.given().begin(), a.given().end(), b.given().begin());
}

TEST_F(ModelIo, CellsReadBackAsCells) {
    for (const Shape shape : {Shape{4, 3, 5}, Shape{4, 2, 5}, Shape{4, 1, 5}}) {
        const Model model = some_cells(shape);
        write_model(at("m.h5"), model);
        const Model back = read_model(at("m.h5"), notes);
        EXPECT_EQ(back.grid(), model.grid());
        ASSERT_NE(back.cells(), nullptr);
        EXPECT_TRUE(same_given(back, model));
        if (shape.y == 2) continue;  // .npy reads a single layer as a 2-D section
        write_model(at("m.npy"), model);
        ModelReadOptions options{model.grid().spacing, model.grid().origin, Placement::cells};
        EXPECT_TRUE(same_given(read_model(at("m.npy"), notes, options), model));
        EXPECT_EQ(read_model(at("m.npy"), notes, options).grid(), model.grid());
    }
}

TEST_F(ModelIo, ATableOfCellsHasTheirMiddles) {
    put("m.csv", "x,z,velocity\n0.5,1,1\n1.5,1,2\n0.5,3,3\n1.5,3,4\n");
    const Model model = read_model(at("m.csv"), notes, {{}, {}, Placement::cells});
    EXPECT_EQ(model.grid(), (Grid{{3, 1, 3}, {0, 0, 0}, {1, 1, 2}}));
    EXPECT_EQ(model.given()(1, 0, 0), 2);
}

TEST_F(ModelIo, PointsGoBeforeCellsAndTheFileTellsWhichItHas) {
    const Model cells = some_cells({4, 3, 5});
    ImageWriter both(at("both.h5"), cells.grid());
    both.add_cell_array("velocity", cells.given());
    both.add_point_array("velocity", cells.velocity());
    both.commit();
    EXPECT_EQ(read_model(at("both.h5"), notes).cells(), nullptr);
    EXPECT_TRUE(contains(message_of([&] {
                             read_model(at("both.h5"), notes, {{}, {}, Placement::cells});
                         }),
                         "tells itself"));
    ImageWriter other(at("other.h5"), cells.grid());
    other.add_cell_array("density", cells.given());
    other.commit();
    const auto text = message_of([&] { read_model(at("other.h5"), notes); });
    EXPECT_TRUE(contains(text, "other.h5"));
    EXPECT_TRUE(contains(text, "no array 'velocity'"));
    ImageWriter bad(at("bad.h5"), cells.grid());
    bad.add_cell_array("velocity", Field<float>(cells.grid().cell_shape(), -1.0F));
    bad.commit();
    EXPECT_TRUE(contains(message_of([&] { read_model(at("bad.h5"), notes); }), "cell (0, 0, 0)"));
}

CoordinateNumbers with_jump(Coordinates system, int rows) {
    CoordinateNumbers numbers;
    numbers.system = system;
    numbers.jumps.assign(static_cast<std::size_t>(rows), 1);
    numbers.jumps[2] = 1.5;
    return numbers;
}

TEST_F(ModelIo, CoordinatesReadBackByTheirNames) {
    const Model plain = some_model({4, 3, 5});
    for (const Coordinates system : {Coordinates::cartesian, Coordinates::spherical}) {
        CoordinateNumbers numbers = with_jump(system, 5);
        numbers.radius = 1737;
        const Model model =
            plain.with_metric(std::make_shared<const Metric>(plain.grid(), numbers));
        write_model(at("m.h5"), model);
        EXPECT_EQ(ImageReader(at("m.h5")).read_label("coordinates", "system"), name_of(system));
        const Model back = read_model(at("m.h5"), notes);
        EXPECT_FALSE(back.is_plain());
        EXPECT_EQ(back.coordinates(), numbers);
    }
}

TEST_F(ModelIo, CoordinatesOfOlderFilesAreNumbered) {
    const Model plain = some_model({4, 3, 5});
    const auto write = [&](std::vector<double> numbers) {
        ImageWriter image(at("m.h5"), plain.grid());
        image.add_point_array("velocity", plain.given());
        image.add_numbers("coordinates", numbers);
        image.commit();
    };
    write({2, 6371, 1});
    const Model back = read_model(at("m.h5"), notes);
    EXPECT_EQ(back.coordinates().system, Coordinates::spherical);
    EXPECT_TRUE(back.coordinates().geodetic);
    write({7, 6371, 1});
    expect_error<InputError>([&] { read_model(at("m.h5"), notes); }, "m.h5",
                             "the coordinates are [7, 6371, 1]");
}

TEST_F(ModelIo, UnknownSuffixesAreToldWithTheKnownOnes) {
    EXPECT_TRUE(contains(message_of([&] { read_model(at("m.obj"), notes); }), ".vti"));
    EXPECT_TRUE(contains(message_of([&] {
                             write_model(at("m.txt"), some_model({2, 1, 2}));
                         }),
                         ".npy"));
    EXPECT_TRUE(listing().empty());
}

}  // namespace
}  // namespace fermat
