// Readers report everything that they drop, fill in, guess or cannot use.
#include <gtest/gtest.h>

#include <cmath>

#include "io/geometry.hpp"
#include "io/model_io.hpp"
#include "io/run_io.hpp"
#include "io/sgt.hpp"
#include "io/temp_folder.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using namespace test;

const std::string head = "source_x,source_z,receiver_x,receiver_z,time";

class Readers : public TempFolder {
  protected:
    Survey csv_picks(const std::string& text) { return read_picks(put("p.csv", text), notes); }
    /// A survey of two points with these rows of measurements.
    Survey sgt_picks(const std::string& columns, int count, const std::string& rows) {
        put("p.sgt", "2\n#x y\n0 0\n1 0\n" + std::to_string(count) + "\n#" + columns + "\n" + rows);
        return read_sgt(at("p.sgt"), notes).picks;
    }
    /// The only sentence that was noted.
    std::string note() const {
        EXPECT_EQ(notes.sentences().size(), 1u);
        return notes.sentences().empty() ? "" : notes.sentences().front();
    }
    std::string put_nonlinloc(const std::string& header, int count) {
        std::vector<float> values;
        for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i + 1));
        put("m.buf", {reinterpret_cast<const char*>(values.data()), values.size() * 4});
        return put("m.hdr", header + "\nTRANSFORM NONE\n").string();
    }
};

TEST_F(Readers, NonLinLocsValuesAreThoseOfCells) {
    const std::string file = put_nonlinloc("3 2 4  -1 -2 0.5  0.5 0.5 0.5 VELOCITY", 24);
    const Model model = read_model(file, notes);
    EXPECT_EQ(model.grid(), (Grid{{3, 2, 4}, {-1, -2, 0.5}, {0.5, 0.5, 0.5}}));
    ASSERT_NE(model.cells(), nullptr);
    ASSERT_EQ(model.given().shape(), (Shape{2, 1, 3}));
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) EXPECT_EQ(model.given()(i, 0, k), 8 * i + k + 1);
    }
    EXPECT_TRUE(contains(note(), "`placement=nodes`"));
    EXPECT_TRUE(contains(note(), "2 x 1 x 3 cells between 3 x 2 x 4 nodes"));
}

TEST_F(Readers, NonLinLocsValuesAreNodesWhereThatIsSaidAndNothingIsNotedThen) {
    const std::string file = put_nonlinloc("3 2 4  0 0 0  1 1 1 VELOCITY", 24);
    EXPECT_EQ(read_model(file, notes, {{}, {}, Placement::nodes}).velocity()(2, 1, 3), 24);
    EXPECT_NE(read_model(file, notes, {{}, {}, Placement::cells}).cells(), nullptr);
    EXPECT_TRUE(notes.sentences().empty());
}

TEST_F(Readers, ASectionOfNonLinLocHasCellsAlongItsOwnAxes) {
    const Model model = read_model(put_nonlinloc("1 4 3  7 2 0  9 0.5 2 VELOCITY", 12), notes);
    EXPECT_EQ(model.grid(), (Grid{{4, 1, 3}, {2, 7, 0}, {0.5, 9, 2}}));
    EXPECT_EQ(model.given().shape(), (Shape{3, 1, 2}));
    EXPECT_EQ(model.given()(2, 0, 1), 8);
}

TEST_F(Readers, InvalidRowsOfASurveyAreLeftOutAndCounted) {
    const Survey picks = sgt_picks("s g t valid", 3, "1 2 0.5 1\n0 9 nan 0\n2 1 0.25 1\n");
    ASSERT_EQ(picks.arrivals.size(), 2u);
    EXPECT_EQ(picks.arrivals[1].time, 0.25);
    EXPECT_TRUE(contains(note(), "1 of 3 measurements have valid = 0"));
    EXPECT_TRUE(contains(message_of([&] { sgt_picks("s g t valid", 1, "1 2 0.5 0\n"); }),
                         "all 1 measurements have valid = 0"));
}

TEST_F(Readers, ColumnsOfASurveyMayStandInAnyOrder) {
    const Survey picks = sgt_picks("err t valid s g", 1, "0.125 0.5 1 2 1\n");
    EXPECT_EQ(picks.arrivals[0].time, 0.5);
    EXPECT_EQ(picks.arrivals[0].error, 0.125);
    EXPECT_EQ(picks.events[0].position.x, 1);
}

TEST_F(Readers, ErrorsAreKnownByTheNamesThatPeopleGiveThem) {
    for (const std::string name : {"err", "Error", "t_err", "sigma", "uncertainty", "std", "dt"}) {
        const Survey picks = csv_picks(head + "," + name + "\n0,0,1,0,0.5,0.125\n");
        EXPECT_TRUE(picks.has_errors) << name;
        EXPECT_EQ(picks.arrivals[0].error, 0.125) << name;
        EXPECT_TRUE(sgt_picks("s g t " + name, 1, "1 2 0.5 0.125\n").has_errors) << name;
    }
    Notes none;
    EXPECT_TRUE(read_picks(put("e.csv", head + ",err\n0,0,1,0,0.5,0.1\n"), none).has_errors);
    EXPECT_TRUE(none.sentences().empty());
    read_picks(put("e.csv", head + ",sigma\n0,0,1,0,0.5,0.1\n"), none);
    EXPECT_TRUE(contains(none.sentences().at(0), "'sigma' is taken for the error"));
    EXPECT_TRUE(contains(message_of([&] { csv_picks(head + ",err,sigma\n0,0,1,0,0.5,0.1,0.2\n"); }),
                         "either"));
    const Survey both = csv_picks(head + ",sigma,err,error\n0,0,1,0,0.5,0.1,0.2,0.3\n");
    EXPECT_EQ(both.arrivals[0].error, 0.3);
}

TEST_F(Readers, ColumnsWithoutUseAreNamed) {
    csv_picks(head + ",name,weight,quality\n0,0,1,0,0.5,A,1,2\n");
    EXPECT_TRUE(
        contains(note(), "p.csv': columns 'weight', 'quality' are not used (used: " + head));
    EXPECT_TRUE(contains(note(), "name a column of errors 'error'"));
}

TEST_F(Readers, ColumnsWithoutUseAreNamedInEveryKindOfTable) {
    const auto noted = [&](const std::string& part) {
        const auto& all = notes.sentences();
        return contains(all.empty() ? "" : all.back(), part);
    };
    sgt_picks("s g t weight", 1, "1 2 0.5 3\n");
    EXPECT_TRUE(noted("'weight' is not used (used: s,g,t"));
    read_points(put("s.csv", "x,z,tstart\n0,0,1\n"), PointRole::source, notes);
    EXPECT_TRUE(noted("'tstart' is not used (used: x,z"));
    read_profile(put("v.csv", "depth,velocity,vs\n0,2,1\n"), notes);
    EXPECT_TRUE(noted("'vs'"));
    read_schedule(put("n.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z,passes\n1,2,2,3,3,9\n"),
                  notes);
    EXPECT_TRUE(noted("'passes'"));
    read_model(put("m.csv", "x,z,velocity,rho\n0,0,1,9\n0,1,2,9\n1,0,3,9\n1,1,4,9\n"), notes);
    EXPECT_TRUE(noted("'rho'"));
}

TEST_F(Readers, ATableOfPicksServesAsPointsWithoutAWord) {
    read_points(put("p.csv", head + ",sigma\n0,0,1,0,0.5,0.1\n"), PointRole::source, notes);
    EXPECT_TRUE(notes.sentences().empty());
}

TEST_F(Readers, MissingErrorsBecomeTheMedianAndNeverZero) {
    const Survey picks = csv_picks(head +
                                   ",error\n0,0,1,0,1,0.1\n0,0,2,0,1,\n0,0,3,0,1,nan\n"
                                   "0,0,4,0,1,0.2\n0,0,5,0,1,0.4\n");
    EXPECT_TRUE(picks.has_errors);
    EXPECT_EQ(picks.arrivals[1].error, 0.2);
    EXPECT_EQ(picks.arrivals[2].error, 0.2);
    EXPECT_TRUE(contains(note(), "2 of 5 errors are missing and became 0.2, the median"));
    EXPECT_EQ(sgt_picks("s g t err", 2, "1 2 0.5 0.125\n2 1 0.5 nan\n").arrivals[1].error, 0.125);
}

TEST_F(Readers, PicksWhoseErrorsAllAreMissingHaveNone) {
    EXPECT_FALSE(csv_picks(head + ",error\n0,0,1,0,1,\n0,0,2,0,1,NaN\n").has_errors);
    EXPECT_TRUE(contains(note(), "all 2 errors are missing"));
}

TEST_F(Readers, ZeroErrorsAndNegativeTimesAreRefusedWithTheirNumber) {
    const auto refused = [&](const std::string& rows) {
        return message_of([&] { csv_picks(head + ",error\n" + rows); });
    };
    const std::string zeros = refused("0,0,1,0,1,0.1\n0,0,2,0,1,0\n0,0,3,0,1,0\n");
    EXPECT_TRUE(contains(zeros, "line 3: error is 0 (must be finite and > 0"));
    EXPECT_TRUE(contains(zeros, "left empty or nan"));
    EXPECT_TRUE(contains(zeros, "2 of 3 picks"));
    const std::string early = refused("0,0,1,0,-1,0.1\n0,0,2,0,1,0.1\n");
    EXPECT_TRUE(contains(early, "line 2: time is -1 (must not be negative"));
    EXPECT_TRUE(contains(early, "1 of 2 picks"));
    EXPECT_TRUE(contains(message_of([&] { sgt_picks("s g t err", 1, "1 2 1 0\n"); }),
                         "line 7: error is 0"));
}

TEST(Gradient, HasItsFirstVelocityAtTheTopOfTheGrid) {
    for (const double top : {-608.0, 0.0, 3.5}) {
        const Grid grid{{3, 1, 5}, {0, 0, top}, {1, 1, 2}};
        const Model model = gradient_model(grid, 350, 60);
        for (int k = 0; k < 5; ++k) {
            EXPECT_FLOAT_EQ(model.velocity()(1, 0, k), static_cast<float>(350 + 60 * 2 * k));
        }
        const Model cells = gradient_model(grid, 350, 60, Placement::cells);
        EXPECT_FLOAT_EQ(cells.given()(0, 0, 0), 410);
    }
}

}  // namespace
}  // namespace fermat
