// One function takes points of users to the grid, in every system of coordinates.
#include "model/place.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "model/metric_makers.hpp"

namespace fermat {
namespace {

const Grid box{{9, 7, 6}, {40, 178, 0}, {0.5, 0.5, 10}};

Place place_of(Coordinates system, const Grid& grid = box) {
    CoordinateNumbers numbers;
    numbers.system = system;
    numbers.geodetic = system == Coordinates::spherical;
    if (system == Coordinates::graded) {
        for (int axis = 0; axis < 3; ++axis) {
            for (int n = 0; n < grid.shape[axis]; ++n) {
                const double end = grid.shape[axis] - 1;
                numbers.axes[static_cast<std::size_t>(axis)].push_back(
                    grid.coordinate(axis, end * std::pow(n / end, 1.2)));
            }
        }
    }
    for (int i = 0; system == Coordinates::terrain && i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) numbers.surface.push_back(0.5 * i - 0.2 * j);
    }
    return {grid, make_mapping(grid, numbers)};
}

class Places : public testing::TestWithParam<Coordinates> {
  protected:
    Place place_ = place_of(GetParam());
    Vec3 inner_{41.3, 179.2, 23};  ///< in grid coordinates
};

void expect_near(Vec3 a, Vec3 b, double tolerance) {
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(a[axis], b[axis], tolerance) << axis;
}

TEST_P(Places, PointsOfUsersComeBackAsTheyWere) {
    const Vec3 user = place_.mapping().to_user(inner_);
    EXPECT_TRUE(place_.holds(user));
    expect_near(place_.inside(user, "source"), inner_, 1e-9);
    const Vec3 flat = place_.mapping().flat_from_user(user);
    EXPECT_TRUE(place_.holds_flat(flat));
    expect_near(place_.flat_to_grid(flat), inner_, 1e-9);
    expect_near(place_.mapping().flat_to_user(flat), user, 1e-9);
}

TEST_P(Places, PointsOutsideAreRefusedInOneSentence) {
    Vec3 user = place_.mapping().to_user(inner_);
    user.z = 1000;
    EXPECT_FALSE(place_.holds(user));
    EXPECT_LE(place_.nearest(user).z, 50);
    test::expect_error<InputError>([&] { place_.inside(user, "source 3"); }, "source 3 at (",
                                   "is outside the model (must lie between (", ", 50)");
    user.z = std::nan("");
    EXPECT_FALSE(place_.holds(user));
    test::expect_error<InputError>([&] { place_.inside(user, "source 3"); }, "source 3 at (",
                                   "nan");
}

/// Columns by centred differences of where(at).
template <class Where>
Mat3 slopes_of(Vec3 at, double step, Where where) {
    Mat3 out;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 low = at;
        Vec3 high = at;
        low[axis] -= step;
        high[axis] += step;
        const Vec3 slope = (where(high) - where(low)) / (2 * step);
        for (int row = 0; row < 3; ++row) out(row, axis) = slope[row];
    }
    return out;
}

void expect_near(const Mat3& a, const Mat3& b, double tolerance) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            EXPECT_NEAR(a(row, column), b(row, column), tolerance) << row << ", " << column;
        }
    }
}

TEST_P(Places, SlopesAreThoseOfThePlaces) {
    const Mapping& mapping = place_.mapping();
    const auto of_user = [&](Vec3 user) { return mapping.place(mapping.to_grid(user)); };
    expect_near(mapping.user_jacobian(inner_), slopes_of(mapping.to_user(inner_), 1e-4, of_user),
                1e-5);
    const Vec3 flat = mapping.flat_from_user(mapping.to_user(inner_));
    const auto of_flat = [&](Vec3 at) { return place_.flat_to_grid(at); };
    expect_near(mapping.flat_slope(flat), slopes_of(flat, 1e-3, of_flat), 1e-7);
}

TEST_P(Places, FlatCoordinatesAreLengths) {
    const Mapping& mapping = place_.mapping();
    const Vec3 flat = mapping.flat_from_user(mapping.to_user(inner_));
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 other = flat;
        other[axis] += 0.5;
        const double apart =
            place_.distance(mapping.flat_to_user(flat), mapping.flat_to_user(other));
        EXPECT_NEAR(apart, 0.5 * mapping.flat_lengths(flat)[axis], 1e-5);
    }
    const Corners corners = place_.flat_corners();
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_LT(corners.low[axis], flat[axis]);
        EXPECT_GT(corners.high[axis], flat[axis]);
    }
}

INSTANTIATE_TEST_SUITE_P(EverySystem, Places,
                         testing::Values(Coordinates::cartesian, Coordinates::graded,
                                         Coordinates::spherical, Coordinates::terrain));

TEST(Place, InTwoDimensionsHasTheYOfItsGrid) {
    const Grid flat{{9, 1, 6}, {0, 7, 0}, {1, 1, 1}};
    EXPECT_EQ(Place(flat).inside({3, 0, 2}, "receiver"), (Vec3{3, 7, 2}));
}

TEST(CoordinateNumbers, AreAllNamed) {
    CoordinateNumbers numbers;
    std::map<std::string, int> seen;
    visit_numbers(numbers, [&](const char* name, auto&) { ++seen[name]; });
    const std::map<std::string, int> wanted = {{"axes", 1},  {"coordinates", 1}, {"geodetic", 1},
                                               {"jumps", 1}, {"radius", 1},      {"surface", 1}};
    EXPECT_EQ(seen, wanted);
}

TEST(Model, OfAnyKindHasAPlace) {
    const Model plain(box, Field<float>(box.shape, 4.0F));
    EXPECT_TRUE(plain.is_plain());
    EXPECT_FALSE(plain.mapping().geographic());
    const Model sphere = spherical_model(plain, 6371, false);
    EXPECT_TRUE(sphere.mapping().geographic());
    EXPECT_TRUE(sphere.copy().mapping().geographic());
    EXPECT_FALSE(sphere.with_metric(nullptr).mapping().geographic());
    EXPECT_FALSE(same_coordinates(plain, sphere));
    test::expect_error<InputError>(
        [&] {
            require_rock(plain, {0, 0, 0}, "receiver 1");
        },
        "receiver 1 at (0, 0, 0) is outside the model");
}

}  // namespace
}  // namespace fermat
