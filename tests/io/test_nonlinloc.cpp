#include "io/nonlinloc.hpp"

#include <cmath>

#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;

class NonLinLocTest : public TempFolder {
  protected:
    template <class T>
    fs::path put_grid(const std::string& header, const std::vector<T>& values) const {
        put("m.buf", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
        return put("m.hdr", header + "\nTRANSFORM NONE\n");
    }
    template <class T>
    static std::vector<T> counted(T factor, bool inverse) {
        std::vector<T> values;
        for (int i = 0; i < 24; ++i) {
            const T v = static_cast<T>(i + 1);
            values.push_back(inverse ? factor / v : factor * v);
        }
        return values;
    }
    std::string error(const std::string& header, const std::vector<float>& values) const {
        put_grid(header, values);
        const std::string text =
            message_of([&] { read_nonlinloc(at("m.hdr"), Placement::nodes, notes); });
        EXPECT_TRUE(contains(text, "m.hdr"));
        return text;
    }
};

TEST_F(NonLinLocTest, EveryKindOfGridGivesTheSameVelocities) {
    const std::string start = "2 3 4  -1.0 -2.0 0.5  0.5 0.5 0.5 ";
    const auto check = [&](const std::string& kind, const std::vector<float>& values) {
        const Model model = read_nonlinloc(put_grid(start + kind, values), Placement::nodes, notes);
        EXPECT_EQ(model.grid(), (Grid{{2, 3, 4}, {-1, -2, 0.5}, {0.5, 0.5, 0.5}}));
        for (std::size_t i = 0; i < 24; ++i) {
            EXPECT_NEAR(model.velocity()[i], static_cast<double>(i + 1), 1e-5) << kind;
        }
    };
    check("VELOCITY", counted(1.0F, false));
    check("VELOCITY FLOAT", counted(1.0F, false));
    check("VELOCITY_METERS", counted(1000.0F, false));
    check("SLOWNESS", counted(1.0F, true));
    check("SLOW_LEN FLOAT", counted(0.5F, true));
    auto squares = counted(1.0F, false);
    for (float& v : squares) v *= v;
    check("VEL2", squares);
    for (float& v : squares) v = 1 / v;
    check("SLOW2", squares);
    for (float& v : squares) v *= 1e-6F;
    check("SLOW2_METERS", squares);
    const Model model = read_nonlinloc(put_grid(start + "VELOCITY DOUBLE", counted(1.0, false)),
                                       Placement::nodes, notes);
    EXPECT_EQ(model.velocity()(1, 2, 3), 24);
}

TEST_F(NonLinLocTest, AGridOfOneXIsASection) {
    const Model model = read_nonlinloc(
        put_grid("1 6 4  0 7 0  1 2 3 VELOCITY", counted(1.0F, false)), Placement::nodes, notes);
    EXPECT_EQ(model.grid(), (Grid{{6, 1, 4}, {7, 0, 0}, {2, 1, 3}}));
    EXPECT_EQ(model.velocity()(1, 0, 0), 5);
}

TEST_F(NonLinLocTest, WrongGridsAreRefused) {
    const auto values = counted(1.0F, false);
    EXPECT_TRUE(contains(error("", values), "0 words"));
    EXPECT_TRUE(contains(error("2 3 x 0 0 0 1 1 1 VELOCITY", values), "'x'"));
    EXPECT_TRUE(contains(error("2 3 4 0 0 nan 1 1 1 VELOCITY", values), "'nan'"));
    EXPECT_TRUE(contains(error("2 3 4 0 0 0 1 1 1 TIME", values), "'TIME'"));
    EXPECT_TRUE(contains(error("2 3 4 0 0 0 1 2 1 SLOW_LEN", values), "cubes"));
    EXPECT_TRUE(contains(error("2 3 4 0 0 0 1 0 1 VELOCITY", values), "spacing along y"));
    EXPECT_TRUE(contains(error("2 3 5 0 0 0 1 1 1 VELOCITY", values), "needs 120"));
    EXPECT_TRUE(contains(error("2 3 2000000000 0 0 0 1 1 1 VELOCITY", values), "needs"));
    EXPECT_TRUE(contains(error("2 3 4 0 0 0 1 1 1 SLOWNESS", std::vector<float>(24, 0)), "node"));
    EXPECT_TRUE(contains(error("2 3 4 0 0 0 1 1 1 VEL2", std::vector<float>(24, -1)), "node"));
    fs::remove(at("m.buf"));
    EXPECT_TRUE(contains(message_of([&] { read_nonlinloc(at("m.hdr"), Placement::nodes, notes); }),
                         "m.buf"));
}

}  // namespace
}  // namespace fermat
