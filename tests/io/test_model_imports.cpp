// Models as the programs of others write them, made small.
#include <bit>
#include <cstring>

#include "io/model_files.hpp"
#include "io/temp_folder.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

using namespace test;

/// Bytes of headers and samples, of either order.
class SegyFile {
  public:
    SegyFile(int traces, int samples, int code, int interval, bool little = false)
        : samples_(samples), code_(code), little_(little), bytes(3600, '\0') {
        put(3217, 2, static_cast<std::uint32_t>(interval));
        put(3221, 2, static_cast<std::uint32_t>(samples));
        put(3225, 2, static_cast<std::uint32_t>(code));
        for (int n = 0; n < traces; ++n) {
            const std::size_t start = bytes.size();
            bytes.resize(start + 240 + 4 * static_cast<std::size_t>(samples), '\0');
        }
    }
    std::size_t trace(int n) const {
        return 3600 + static_cast<std::size_t>(n) * (240 + 4 * static_cast<std::size_t>(samples_));
    }
    void put(std::size_t at, std::size_t size, std::uint32_t value) {
        for (std::size_t n = 0; n < size; ++n) {
            const std::size_t shift = 8 * (little_ ? n : size - 1 - n);
            bytes[at - 1 + n] = static_cast<char>(value >> shift & 0xff);
        }
    }
    void place(int n, std::int32_t x, std::int32_t y, int in = 0, int cross = 0, int scale = 1) {
        put(trace(n) + 71, 2, static_cast<std::uint16_t>(scale));
        put(trace(n) + 181, 4, static_cast<std::uint32_t>(x));
        put(trace(n) + 185, 4, static_cast<std::uint32_t>(y));
        put(trace(n) + 189, 4, static_cast<std::uint32_t>(in));
        put(trace(n) + 193, 4, static_cast<std::uint32_t>(cross));
    }
    void sample(int n, int z, float value) {
        const std::size_t at = trace(n) + 241 + 4 * static_cast<std::size_t>(z);
        put(at, 4, code_ == 1 ? ibm(value) : std::bit_cast<std::uint32_t>(value));
    }

  private:
    /// IBM's float by its definition: a fraction from 1/16 to 1 times a power of 16.
    static std::uint32_t ibm(float value) {
        if (value == 0) return 0;
        double fraction = value;
        std::uint32_t power = 64;
        while (fraction >= 1) {
            fraction /= 16;
            ++power;
        }
        return power << 24 | static_cast<std::uint32_t>(fraction * 0x1000000);
    }

    int samples_;
    int code_;
    bool little_;

  public:
    std::string bytes;
};

class ModelImports : public TempFolder {
  protected:
    Model read(const std::string& name, const ModelFileOptions& options = {}) {
        notes = {};
        return read_model_file(at(name), notes, options);
    }
    std::string error(const std::string& name, const ModelFileOptions& options = {}) {
        return message_of([&] { read(name, options); });
    }
    bool noted(const std::string& part) const {
        for (const std::string& sentence : notes.sentences()) {
            if (sentence.find(part) != std::string::npos) return true;
        }
        return false;
    }
    template <class Number>
    std::string bytes(const std::vector<Number>& numbers) {
        std::string text(numbers.size() * sizeof(Number), '\0');
        std::memcpy(text.data(), numbers.data(), text.size());
        return text;
    }
};

TEST_F(ModelImports, SegyOfEitherFloatAndOrderIsASection) {
    for (const int code : {1, 5}) {
        for (const bool little : {false, true}) {
            SegyFile file(3, 2, code, 1250, little);
            for (int n = 0; n < 3; ++n) {
                file.place(n, 10000 + 125 * n, 700, 0, 0, -100);
                file.sample(n, 0, 1500.5F + static_cast<float>(n));
                file.sample(n, 1, 4700);
            }
            put("m.segy", file.bytes);
            const Model model = read("m.segy");
            EXPECT_EQ(model.grid().shape, (Shape{3, 1, 2}));
            EXPECT_NEAR(model.grid().origin.x, 100, 1e-9);
            EXPECT_NEAR(model.grid().spacing.x, 1.25, 1e-9);
            EXPECT_NEAR(model.grid().spacing.z, 1.25, 1e-9);
            EXPECT_EQ(model.given()(2, 0, 0), 1502.5F);
            EXPECT_EQ(model.given()(1, 0, 1), 4700.0F);
            EXPECT_TRUE(noted("the sample interval 1250 is taken as a step of depth of 1.25"));
        }
    }
}

TEST_F(ModelImports, SegyOfInlinesAndCrosslinesIsAVolumeInAnyOrderOfTraces) {
    SegyFile file(6, 2, 5, 25000);
    int n = 0;
    for (const int cross : {3, 2, 1}) {
        for (const int in : {10, 20}) {
            file.place(n, 25 * cross, 1000 + 5 * in, in, cross);
            file.sample(n, 0, static_cast<float>(100 * in + cross));
            file.sample(n++, 1, 9);
        }
    }
    put("o.sgy", file.bytes);
    const Model model = read("o.sgy");
    EXPECT_EQ(model.grid(), (Grid{{3, 2, 2}, {25, 1050, 0}, {25, 50, 25}}));
    EXPECT_EQ(model.given()(0, 1, 0), 2001.0F);
    EXPECT_EQ(model.given()(2, 0, 0), 1003.0F);
}

TEST_F(ModelImports, SegyThatLacksWhatAModelNeedsIsToldInASentence) {
    SegyFile file(2, 2, 5, 4000);
    for (const int n : {0, 1}) {
        file.sample(n, 0, 2);
        file.sample(n, 1, 3);
    }
    put("m.segy", file.bytes);
    EXPECT_TRUE(contains(error("m.segy"), "does not tell where its traces are (give `spacing`)"));
    ModelFileOptions options;
    options.spacing = Vec3{10, 1, 5};
    EXPECT_EQ(read("m.segy", options).grid(), (Grid{{2, 1, 2}, {0, 0, 0}, {10, 1, 5}}));
    put("cut.segy", file.bytes.substr(0, file.bytes.size() - 1));
    EXPECT_TRUE(contains(error("cut.segy"), "no whole number of traces"));
    put("short.segy", "C 1");
    EXPECT_TRUE(contains(error("short.segy"), "truncated"));
    file.put(3225, 2, 4);
    put("code.segy", file.bytes);
    EXPECT_TRUE(contains(error("code.segy"), "format code 4"));
    file.put(3225, 2, 999);
    put("none.segy", file.bytes);
    EXPECT_TRUE(contains(error("none.segy"), "is not SEG-Y"));
}

TEST_F(ModelImports, SegyIsReadAgainAsItWasWritten) {
    for (const double step : {0.25, 12.5, 0.0125, 100.0}) {
        for (const Shape shape : {Shape{4, 1, 3}, Shape{3, 2, 4}}) {
            Field<float> velocity(shape);
            for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = 1.5F + float(i);
            const Vec3 spacing{0.5, shape.y == 1 ? 1.0 : 0.25, step};
            const Model model(Grid{shape, {1.5, shape.y == 1 ? 0.0 : -2.0, 3}, spacing},
                              std::move(velocity));
            write_model(at("m.sgy"), model);
            const Model again = read("m.sgy");
            EXPECT_NEAR(again.grid().spacing.z, step, 1e-12);
            EXPECT_NEAR(again.grid().spacing.x, 0.5, 1e-12);
            EXPECT_NEAR(again.grid().origin.x, 1.5, 1e-12);
            EXPECT_NEAR(again.grid().origin.z, 3, 1e-12);
            ASSERT_EQ(again.given().shape(), shape);
            for (std::size_t i = 0; i < again.given().size(); ++i) {
                EXPECT_EQ(again.given()[i], model.given()[i]);
            }
        }
    }
    const Model low(Grid{{2, 1, 2}, {0, 0, 0.5}, {1, 1, 1}}, Field<float>({2, 1, 2}, 2.0F));
    EXPECT_TRUE(contains(message_of([&] { write_model(at("m.sgy"), low); }), "a whole depth"));
}

TEST_F(ModelImports, RsfHasItsNumbersBehindItsHeaderOrBesideIt) {
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    put("v.rsf@", bytes(values));
    const std::string keys =
        "sfmath  work:  someone@host\n\tn1=2 o1=0 d1=10 label1=\"Depth\" unit1=m\n"
        "\tn2=3 o2=100 d2=25 label2=\"X\"\n\tesize=4\n\tdata_format=\"native_float\"\n";
    put("v.rsf", keys + "\tin=\"/no/such/folder/v.rsf@\"\n");
    const Model model = read("v.rsf");
    EXPECT_EQ(model.grid(), (Grid{{3, 1, 2}, {100, 0, 0}, {25, 1, 10}}));
    EXPECT_EQ(model.given()(2, 0, 1), 6.0F);
    EXPECT_EQ(model.given()(1, 0, 0), 3.0F);
    EXPECT_TRUE(noted("taken as z, x and y"));
    put("p.rsf", keys + "\tin=\"stdin\"\n\x0c\x0c\x04" + bytes(values));
    EXPECT_EQ(read("p.rsf").given()(2, 0, 1), 6.0F);
    put("a.rsf", "n1=3 n2=2 label1=x label2=z data_format=\"ascii_float\" in=\"a.txt\"\n");
    put("a.txt", "1 2 3\n4 5 6\n");
    EXPECT_EQ(read("a.rsf").given()(2, 0, 0), 3.0F);
    put("cut.rsf", keys + "\tin=\"stdin\"\n\x0c\x0c\x04" + bytes(values).substr(1));
    EXPECT_TRUE(contains(error("cut.rsf"), "23 bytes of numbers"));
    put("in.rsf", keys);
    EXPECT_TRUE(contains(error("in.rsf"), "no key 'in'"));
    put("gone.rsf", keys + "in=gone\n");
    EXPECT_TRUE(contains(error("gone.rsf"), "No such file"));
}

TEST_F(ModelImports, GocadsVoxetOfElevationsOrDepths) {
    std::string big;
    for (const float value : {1500.0F, 1600.0F, 1700.0F, -99999.0F}) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (const int shift : {24, 16, 8, 0}) big += static_cast<char>(bits >> shift & 0xff);
    }
    put("m_vp@@", big);
    const auto voxet = [](const std::string& sense) {
        return "GOCAD Voxet 1\nHEADER {\nname:m\n}\nGOCAD_ORIGINAL_COORDINATE_SYSTEM\nZPOSITIVE " +
               sense +
               "\nEND_ORIGINAL_COORDINATE_SYSTEM\nAXIS_O 100 0 -50\nAXIS_U 20 0 0\nAXIS_V 0 1 0\n"
               "AXIS_W 0 0 40\nAXIS_MIN 0 0 0\nAXIS_MAX 1 1 1\nAXIS_N 2 1 2\n"
               "PROPERTY 1 \"vp\"\nPROP_NO_DATA_VALUE 1 -99999\nPROP_ETYPE 1 IEEE\n"
               "PROP_FORMAT 1 RAW\nPROP_ESIZE 1 4\nPROP_OFFSET 1 0\nPROP_FILE 1 m_vp@@\nEND\n";
    };
    put("m.vo", voxet("Elevation"));
    const Model model = read("m.vo");
    EXPECT_EQ(model.grid(), (Grid{{2, 1, 2}, {100, 0, 10}, {20, 1, 40}}));
    EXPECT_EQ(model.given()(0, 0, 1), 1500.0F);
    EXPECT_EQ(model.given()(0, 0, 0), 1700.0F);
    EXPECT_EQ(model.given()(1, 0, 0), 0.0F);
    EXPECT_TRUE(noted("1 of 4 nodes have no data and became air"));
    put("d.vo", voxet("Depth"));
    EXPECT_EQ(read("d.vo").grid().origin.z, -50);
    EXPECT_EQ(read("d.vo").given()(0, 0, 0), 1500.0F);
    put("m_vp@@", big.substr(1));
    EXPECT_TRUE(contains(error("m.vo"), "has 15 bytes (16 are needed)"));
    put("x.vo", "GOCAD TSurf 1\n");
    EXPECT_TRUE(contains(error("x.vo"), "no voxet"));
}

TEST_F(ModelImports, FmtomosGridIsASphereWithTheSplinesValues) {
    // A linear function is its own spline: 4 + the depth's row.
    std::string text = "1 1\n5 4 4\n10 0.01 0.02\n6331 -0.01 0.5\n";
    for (int r = 0; r < 5; ++r) {
        for (int n = 0; n < 16; ++n) text += std::to_string(8 - r) + ".0\n";
    }
    put("vgrids.in", text);
    const Model model = read("vgrids.in");
    EXPECT_EQ(model.grid().shape, (Shape{2, 2, 3}));
    ASSERT_NE(model.metric(), nullptr);
    EXPECT_NEAR(model.grid().origin.x, 0, 1e-9);
    EXPECT_NEAR(model.grid().origin.y, 0.52 * 180 / 3.14159265358979, 1e-9);
    EXPECT_NEAR(model.grid().origin.z, 10, 1e-9);
    EXPECT_NEAR(model.given()(0, 0, 0), 5, 1e-6);
    EXPECT_NEAR(model.given()(1, 1, 2), 7, 1e-6);
    EXPECT_TRUE(noted("splines were evaluated"));
    put("vgridsref.in", text.substr(0, text.size() - 4));
    EXPECT_TRUE(contains(error("vgridsref.in"), "truncated"));
}

TEST_F(ModelImports, ZeltsLayersAreSampledAndToldSo) {
    // Two layers: 0 to 2 (left) or 4 (right) km deep, then down to 10; the second has no gradient.
    put("v.in",
        " 1    0.00 100.00\n 0    0.00   0.00\n         0      0\n"
        " 1  100.00\n 0    2.00\n         0\n"
        " 1  100.00\n 0    3.00\n         0\n"
        " 2    0.00 100.00\n 0    2.00   4.00\n         0      0\n"
        " 2  100.00\n 0    5.00\n         0\n"
        " 2  100.00\n 0    0.00\n         0\n"
        " 3    0.00 100.00\n 0   10.00  10.00\n");
    ModelFileOptions options;
    options.spacing = Vec3{50, 1, 1};
    const Model model = read("v.in", options);
    EXPECT_EQ(model.grid(), (Grid{{3, 1, 11}, {0, 0, 0}, {50, 1, 1}}));
    EXPECT_NEAR(model.given()(0, 0, 1), 2.5, 1e-6);
    EXPECT_NEAR(model.given()(2, 0, 2), 2.5, 1e-6);
    EXPECT_NEAR(model.given()(2, 0, 3), 2.75, 1e-6);
    EXPECT_NEAR(model.given()(0, 0, 3), 5, 1e-6);
    EXPECT_NEAR(model.given()(1, 0, 10), 5, 1e-6);
    EXPECT_TRUE(noted("2 layers between boundaries of any shape were sampled at nodes every 50"));
    EXPECT_EQ(read("v.in").grid().spacing.z, 0.1);
    options.placement = Placement::cells;
    EXPECT_NEAR(read("v.in", options).given()(0, 0, 1), 2.75 + 0, 0.3);
    put("vcut.in", " 1    0.00 100.00\n 0    0.00   0.00\n         0      0\n 1  100.00\n 0 2.0\n");
    EXPECT_TRUE(contains(error("vcut.in"), "truncated"));
    // Fortran's columns need no blanks between them.
    put("v2.in",
        " 1 -100.00-050.00\n 0    0.00   0.00\n         0      0\n"
        " 1 -050.00\n 0    2.00\n         0\n 1 -050.00\n 0    3.00\n         0\n"
        " 2 -100.00-050.00\n 0   10.00  10.00\n");
    EXPECT_EQ(read("v2.in").grid().origin.x, -100);
}

TEST_F(ModelImports, SmeshHangsFromTheGroundBelowWaterAndAir) {
    // The ground lies 1 km high on the left and 1 km deep on the right.
    put("start.smesh", "2 3 1.5 0.33\n0 10\n-1 1\n0 2 4\n4 5 6\n4 5 6\n");
    ModelFileOptions options;
    options.spacing = Vec3{5, 1, 0.5};
    const Model model = read("start.smesh", options);
    EXPECT_EQ(model.grid(), (Grid{{3, 1, 13}, {0, 0, -1}, {5, 1, 0.5}}));
    EXPECT_NEAR(model.given()(0, 0, 0), 4, 1e-6);
    EXPECT_NEAR(model.given()(0, 0, 4), 5, 1e-6);
    EXPECT_NEAR(model.given()(1, 0, 2), 4, 1e-6);
    EXPECT_EQ(model.given()(1, 0, 1), 0.0F);  // air
    EXPECT_EQ(model.given()(2, 0, 3), 1.5F);  // water
    EXPECT_NEAR(model.given()(2, 0, 12), 6, 1e-6);
    put("smesh.dat", "2 3 1.5 0.33\n0 10\n-1 1\n0 2 4\n4 5 6\n4 5\n");
    EXPECT_TRUE(contains(error("smesh.dat"), "truncated"));
    put("back.smesh", "2 2 1.5 0.33\n10 0\n0 0\n0 2\n4 5\n4 5\n");
    EXPECT_TRUE(contains(error("back.smesh"), "must grow"));
}

}  // namespace
}  // namespace fermat
