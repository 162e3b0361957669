#include "cli/values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"

namespace fermat::cli {
namespace {

Grid grid_of(Shape shape) { return {shape, {0, 4, 0}, {1, 1, 1}}; }

TEST(Values, TwoNumbersOfAShapeMeanXAndZ) {
    EXPECT_EQ(parse_shape("--shape", "501,301"), (Shape{501, 1, 301}));
    EXPECT_EQ(parse_shape("--shape", "5, 6 ,7"), (Shape{5, 6, 7}));
}

TEST(Values, OneNumberServesEveryAxis) {
    EXPECT_EQ(to_axes(parse_axes("--spacing", "0.5"), false, 1), (Vec3{0.5, 0.5, 0.5}));
    EXPECT_EQ(to_axes(parse_axes("--spacing", "0.5"), true, 1), (Vec3{0.5, 1, 0.5}));
    EXPECT_EQ(to_axes(parse_axes("--spacing", "2,3"), true, 1), (Vec3{2, 1, 3}));
    EXPECT_EQ(to_axes(parse_axes("--spacing", "2,3,4"), false, 1), (Vec3{2, 3, 4}));
}

TEST(Values, APointOfASectionHasTheGridsOwnY) {
    EXPECT_EQ(to_point(parse_axes("--source", "5,-0.5"), grid_of({9, 1, 9})), (Vec3{5, 4, -0.5}));
    EXPECT_EQ(to_point(parse_axes("--source", "5,6,7"), grid_of({9, 9, 9})), (Vec3{5, 6, 7}));
}

TEST(Values, LengthsMayBeInfinite) {
    EXPECT_TRUE(std::isinf(parse_lengths("--size", "1,inf").numbers[1]));
}

TEST(Values, RefusalsNameFlagAndText) {
    const auto refusal = [](auto&& parse) -> std::string {
        try {
            parse();
        } catch (const InputError& error) {
            return error.what();
        }
        return "nothing";
    };
    const auto starts = [&](auto&& parse, const std::string& with) {
        EXPECT_EQ(refusal(parse).rfind(with, 0), 0u) << refusal(parse);
    };
    for (const std::string text :
         {"", "5", "5,", "5,0", "5,-1", "5,x", "5.5,5", "1,2,3,4", "99999999999,5"}) {
        starts([&] { parse_shape("--shape", text); }, "--shape is '" + text + "' (");
    }
    for (const std::string text : {"", ",", "1,,2", "nan", "inf", "1,2,3,4", "0x1", "1;2"}) {
        starts([&] { parse_axes("--source", text); }, "--source is '" + text + "' (");
    }
    for (const std::string text : {"", ":", "1", "1:", "1:2:3", "1:nan"}) {
        starts([&] { parse_layer("--layer", text); }, "--layer is '" + text + "' (");
    }
    starts([] { parse_lengths("--size", "nan"); }, "--size is 'nan' (");
    starts([] { parse_seed("--seed", "-1"); }, "--seed is '-1' (");
    starts([] { parse_whole("--order", "3", 1, 2); }, "--order is '3' (");
    starts([] { to_block(parse_axes("--block", "0"), false); }, "--block is '0' (");
    starts([] { to_axes(parse_axes("--size", "1,2"), false, 1); }, "--size is '1,2' (the model");
    starts(
        [] {
            to_point(parse_axes("--source", "1"), grid_of({9, 1, 9}));
        },
        "--source is '1' (the model is 2-D");
}

}  // namespace
}  // namespace fermat::cli
