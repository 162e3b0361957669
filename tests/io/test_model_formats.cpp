#include <cstring>

#include "io/model_files.hpp"
#include "io/temp_folder.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using namespace test;

class ModelFormats : public TempFolder {
  protected:
    Model read(const std::string& name, const ModelFileOptions& options = {}) {
        notes = {};
        return read_model_file(at(name), notes, options);
    }
    /// A model whose values all differ.
    static Model counted(Shape shape, Placement placement = Placement::nodes) {
        const Grid grid{
            shape, {1, shape.y == 1 ? 0.0 : 2.0, 3}, {0.5, shape.y == 1 ? 1.0 : 0.5, 0.5}};
        Field<float> velocity(placement == Placement::nodes ? shape : grid.cell_shape());
        for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = static_cast<float>(i + 1);
        return make_model(grid, std::move(velocity), placement);
    }
    static void expect_same(const Model& a, const Model& b, float tolerance = 0) {
        Grid grid = a.grid();
        // Across a section there is no distance; files have some number there.
        if (grid.is_2d()) grid.spacing.y = b.grid().spacing.y;
        EXPECT_EQ(grid, b.grid());
        ASSERT_EQ(a.given().shape(), b.given().shape());
        for (std::size_t i = 0; i < a.given().size(); ++i) {
            EXPECT_NEAR(a.given()[i], b.given()[i], tolerance * a.given()[i]);
        }
    }
    template <class Number>
    std::string bytes(const std::vector<Number>& numbers) {
        std::string text(numbers.size() * sizeof(Number), '\0');
        std::memcpy(text.data(), numbers.data(), text.size());
        return text;
    }
};

TEST_F(ModelFormats, WhatIsWrittenIsReadAgain) {
    for (const Placement placement : {Placement::nodes, Placement::cells}) {
        for (const Shape shape : {Shape{4, 1, 3}, Shape{4, 3, 5}}) {
            const Model model = counted(shape, placement);
            write_model(at("a.vti"), model);
            expect_same(read("a.vti"), model);
            ModelFileOptions options;
            options.placement = placement;
            write_model(at("a.hdr"), model);
            expect_same(read("a.hdr", options), model, 1e-6F);
            write_model(at("a.csv"), model);
            expect_same(read("a.csv", options), model);
            if (shape.y > 1) continue;
            write_model(at("a.grd"), model);
            expect_same(read("a.grd", options), model);
        }
    }
    EXPECT_TRUE(contains(message_of([&] { write_model(at("b.grd"), counted({4, 3, 5})); }), "3-D"));
    EXPECT_TRUE(contains(message_of([&] {
                             write_model(at("b.txt"), counted({4, 3, 5}));
                         }),
                         ".vti"));
}

TEST_F(ModelFormats, NamesThatEndInGzArePackedAndReadAgain) {
    const Model model = counted({4, 1, 3});
    for (const char* name : {"a.csv", "a.vti", "a.grd", "a.segy"}) {
        const std::string packed = std::string(name) + ".gz";
        write_model(at(name), model);
        write_model(at(packed), model);
        EXPECT_NE(content(at(name)), content(at(packed))) << name;
        EXPECT_TRUE(content(at(packed)).starts_with("\x1f\x8b")) << name;
        expect_same(read(packed), read(name));
    }
    for (const char* name : {"a.h5.gz", "a.hdr.gz", "a.gz"}) {
        EXPECT_TRUE(contains(message_of([&] { write_model(at(name), model); }), "cannot write"));
    }
}

TEST_F(ModelFormats, AMissingFileIsToldOnce) {
    for (const char* name : {"no.vti", "no.grd", "no.rsf", "no.csv", "no.h5"}) {
        EXPECT_EQ(message_of([&] { read(name); }),
                  "cannot read '" + at(name).string() + "': No such file or directory");
    }
}

TEST_F(ModelFormats, SurferHasHeightsAndBlanksInAllItsDialects) {
    put("a.grd", "DSAA\n3 2\n0 2\n-1 4\n1 6\n1 2 3\n4 5 1.70141e+38\n");
    const Model model = read("a.grd");
    EXPECT_EQ(model.grid(), (Grid{{3, 1, 2}, {0, 0, -4}, {1, 1, 5}}));
    EXPECT_EQ(model.given()(0, 0, 0), 4);
    EXPECT_EQ(model.given()(2, 0, 0), 0);
    EXPECT_EQ(model.given()(2, 0, 1), 3);
    ASSERT_EQ(notes.sentences().size(), 1u);
    EXPECT_TRUE(contains(notes.sentences()[0], "1 of 6 nodes are blanked"));
    ModelFileOptions options;
    options.depths = true;
    EXPECT_EQ(read("a.grd", options).given()(0, 0, 0), 1);

    put("six.grd", "DSBB" + bytes<std::int16_t>({3, 2}) + bytes<double>({0, 2, -1, 4, 1, 6}) +
                       bytes<float>({1, 2, 3, 4, 5, 1.70141e38F}));
    expect_same(read("six.grd"), model);
    put("seven.grd", "DSRB" + bytes<std::int32_t>({4, 1}) + "GRID" +
                         bytes<std::int32_t>({72, 2, 3}) +
                         bytes<double>({0, -1, 1, 5, 1, 6, 0, 1.70141e38}) + "DATA" +
                         bytes<std::int32_t>({48}) + bytes<double>({1, 2, 3, 4, 5, 1.8e38}));
    expect_same(read("seven.grd"), model);
    put("cut.grd", content(at("seven.grd")).substr(0, 130));
    EXPECT_TRUE(contains(message_of([&] { read("cut.grd"); }), "truncated"));
    put("odd.grd", "CDF");
    EXPECT_TRUE(contains(message_of([&] { read("odd.grd"); }), "DSAA"));
}

TEST_F(ModelFormats, RawNumbersAreReadInAnyOrderAndType) {
    put("v.bin", bytes<float>({1, 2, 3, 4, 5, 6}));
    ModelFileOptions options;
    options.spacing = Vec3{2, 1, 3};
    options.raw.shape = Shape{3, 1, 2};
    EXPECT_EQ(read("v.bin", options).given()(1, 0, 0), 3);
    options.raw.order = "zx";
    EXPECT_EQ(read("v.bin", options).given()(1, 0, 0), 2);
    options.raw.upward = true;
    EXPECT_EQ(read("v.bin", options).given()(1, 0, 0), 5);
    put("v.bin", std::string("\0\1\0\2\0\3\0\4\0\5\1\0", 12));
    options.raw = {Shape{3, 1, 2}, "int16", true, "", false};
    EXPECT_EQ(read("v.bin", options).given()(2, 0, 1), 256);
    options.raw.type = "float32";
    EXPECT_TRUE(contains(message_of([&] { read("v.bin", options); }), "needs 24"));
    options.raw.type = "f4";
    EXPECT_TRUE(contains(message_of([&] { read("v.bin", options); }), "must be one of float32"));
    options.raw.type = "int16";
    options.raw.order = "xx";
    EXPECT_TRUE(contains(message_of([&] { read("v.bin", options); }), "order"));
    options.spacing.reset();
    options.raw.order.clear();
    EXPECT_TRUE(contains(message_of([&] { read("v.bin", options); }), "spacing"));
    EXPECT_TRUE(contains(message_of([&] { read("v.bin"); }), "`shape`"));
}

TEST_F(ModelFormats, GslibHasXFastestAndZUpward) {
    put("v.eas", "grid (2x1x3)\n2\nfacies\nvelocity\n0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n");
    ModelFileOptions options;
    options.spacing = Vec3{1, 1, 1};
    const Model model = read("v.eas", options);
    EXPECT_EQ(model.given()(0, 0, 0), 5);
    EXPECT_EQ(model.given()(1, 0, 2), 2);
    EXPECT_TRUE(contains(notes.sentences().at(0), "'velocity' is taken"));
    put("v.eas", "grid\n1\nv\n1\n");
    EXPECT_TRUE(contains(message_of([&] { read("v.eas", options); }), "`shape`"));
}

}  // namespace
}  // namespace fermat
