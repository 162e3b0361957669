#include "tomography/smoothing/smoothing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "executions.hpp"
#include "expect_error.hpp"

namespace fermat {
using test::expect_error;
namespace {

constexpr Smoother all_smoothers[] = {Smoother::basic, Smoother::cached, Smoother::table,
                                      Smoother::running};

Field<double> random_field(Shape shape, unsigned seed, double low = -1, double high = 1) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    Field<double> field(shape);
    for (double& value : field) value = uniform(engine);
    return field;
}

SmoothingOptions by(Smoother smoother, int passes = 1) { return {smoother, passes}; }

/// Mean over the box of one node, written as in the definition.
double plain_mean(const Field<double>& field, Index3 at, const SmoothingSize& size) {
    const Shape shape = field.shape();
    double sum = 0;
    int count = 0;
    for (int i = at.x - size.x / 2; i <= at.x + (size.x - 1) / 2; ++i) {
        for (int j = at.y - size.y / 2; j <= at.y + (size.y - 1) / 2; ++j) {
            for (int k = at.z - size.z / 2; k <= at.z + (size.z - 1) / 2; ++k) {
                if (i < 0 || j < 0 || k < 0 || i >= shape.x || j >= shape.y || k >= shape.z) {
                    continue;
                }
                sum += field(i, j, k);
                ++count;
            }
        }
    }
    return sum / count;
}

void expect_close(const Field<double>& expected, const Field<double>& found, double tolerance,
                  const std::string& what) {
    double scale = 0;
    for (const double value : expected) scale = std::max(scale, std::abs(value));
    double worst = 0;
    for (std::size_t n = 0; n < expected.size(); ++n) {
        worst = std::max(worst, std::abs(expected[n] - found[n]));
    }
    EXPECT_LE(worst, tolerance * scale) << what;
}

const std::vector<SmoothingSize> sizes = {{1, 1, 1},  {3, 3, 3},   {5, 3, 3},    {4, 2, 2},
                                          {7, 5, 3},  {6, 4, 2},   {13, 9, 7},   {12, 8, 6},
                                          {1, 25, 1}, {97, 1, 25}, {96, 24, 24}, {2, 1, 1}};

TEST(Smoothing, EveryMethodGivesTheMeanOfTheClippedBox) {
    for (const Shape shape : {Shape{19, 11, 10}, Shape{40, 1, 17}, Shape{1, 1, 9}, Shape{3, 2, 35},
                              Shape{33, 40, 3}, Shape{1, 1, 1}}) {
        const Field<double> field = random_field(shape, 7, 1, 2);
        for (const SmoothingSize& size : sizes) {
            Field<double> expected(shape);
            for (int i = 0; i < shape.x; ++i) {
                for (int j = 0; j < shape.y; ++j) {
                    for (int k = 0; k < shape.z; ++k) {
                        expected(i, j, k) = plain_mean(field, {i, j, k}, size);
                    }
                }
            }
            for (const Smoother smoother : all_smoothers) {
                Field<double> found = field.copy();
                smooth_vertices(found.view(), size, by(smoother));
                expect_close(expected, found, 1e-12,
                             std::string(name_of(smoother)) + " " + to_string(size));
            }
        }
    }
}

TEST(Smoothing, MethodsAgreeOnCellsWithCoverage) {
    const Shape shape{31, 17, 12};
    Field<double> coverage = random_field(shape, 3, -4, 4);
    for (double& value : coverage) value = value < 0 ? 0 : std::floor(value);
    Field<double> sums = random_field(shape, 4);
    for (std::size_t n = 0; n < sums.size(); ++n) {
        if (coverage[n] == 0) sums[n] = 0;
    }
    for (const SmoothingSize& size : sizes) {
        for (const int passes : {1, 3}) {
            Field<double> expected = sums.copy();
            smooth_cells(expected, coverage, size, by(Smoother::basic, passes));
            for (const Smoother smoother : all_smoothers) {
                Field<double> found = sums.copy();
                smooth_cells(found, coverage, size, by(smoother, passes));
                expect_close(expected, found, 1e-9,
                             std::string(name_of(smoother)) + " " + to_string(size));
            }
        }
    }
}

TEST(Smoothing, CellMeanIsSumOfPerturbationsOverSumOfCoverage) {
    const Shape shape{7, 1, 1};
    const std::vector<double> rays = {2, 0, 1, 0, 0, 0, 0};
    const std::vector<double> sums = {6, 0, -1, 0, 0, 0, 0.25};
    // An even box of 4 takes two cells back and one on: it is centred on the cell's lower node.
    const std::vector<double> expected = {6. / 2, 5. / 3, 5. / 3, -1, -1, 0, 0.25};
    for (const Smoother smoother : all_smoothers) {
        Field<double> found(shape), coverage(shape);
        std::copy(sums.begin(), sums.end(), found.begin());
        std::copy(rays.begin(), rays.end(), coverage.begin());
        smooth_cells(found, coverage, {4, 1, 1}, by(smoother));
        for (int i = 0; i < shape.x; ++i) {
            EXPECT_NEAR(found(i, 0, 0), expected[i], 1e-14) << name_of(smoother) << " cell " << i;
        }
    }
}

TEST(Smoothing, CellsWithoutCoverageInTheirBoxStayAsTheyAre) {
    // Fractions of rays, so that differences of a table leave rounding where no ray lies.
    const Shape shape{40, 9, 8};
    Field<double> coverage(shape, 0.0);
    Field<double> sums = random_field(shape, 11);
    for (int i = 0; i < 10; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) coverage(i, j, k) = 0.1 * (i + 1) / (j + k + 3);
        }
    }
    for (const Smoother smoother : all_smoothers) {
        Field<double> found = sums.copy();
        smooth_cells(found, coverage, {5, 3, 3}, by(smoother));
        for (int i = 12; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) {
                    ASSERT_EQ(found(i, j, k), sums(i, j, k)) << name_of(smoother);
                }
            }
        }
        EXPECT_NE(found(11, 4, 4), sums(11, 4, 4)) << name_of(smoother);
    }
}

TEST(Smoothing, MaskedNodesKeepTheirValueAndFeedNoMean) {
    const Shape shape{12, 10, 9};
    const Field<double> clean = random_field(shape, 21);
    Field<std::uint8_t> mask(shape, 1);
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < (i + j) % 4; ++k) mask(i, j, k) = 0;
        }
    }
    for (const Smoother smoother : all_smoothers) {
        for (const double air : {0.0, 1e6}) {
            Field<double> found = clean.copy();
            for (std::size_t n = 0; n < found.size(); ++n) {
                if (!mask[n]) found[n] = air;
            }
            smooth_vertices(found.view(), {5, 3, 4}, by(smoother), mask);
            Field<double> weight(shape), weighted(shape);
            for (std::size_t n = 0; n < found.size(); ++n) {
                weight[n] = mask[n];
                weighted[n] = mask[n] ? clean[n] : 0;
            }
            for (int i = 0; i < shape.x; ++i) {
                for (int j = 0; j < shape.y; ++j) {
                    for (int k = 0; k < shape.z; ++k) {
                        const Index3 at{i, j, k};
                        const double mean =
                            plain_mean(weighted, at, {5, 3, 4}) / plain_mean(weight, at, {5, 3, 4});
                        EXPECT_NEAR(found(at), mask(at) ? mean : air, 1e-13) << name_of(smoother);
                    }
                }
            }
        }
    }
}

TEST(Smoothing, SamePassesAsOneAfterAnother) {
    const Field<double> field = random_field({20, 6, 9}, 5);
    for (const Smoother smoother : all_smoothers) {
        Field<double> once = field.copy();
        for (int pass = 0; pass < 3; ++pass) smooth_vertices(once.view(), {5, 3, 4}, by(smoother));
        Field<double> thrice = field.copy();
        smooth_vertices(thrice.view(), {5, 3, 4}, by(smoother, 3));
        EXPECT_TRUE(std::equal(once.begin(), once.end(), thrice.begin())) << name_of(smoother);
        Field<double> never = field.copy();
        smooth_vertices(never.view(), {5, 3, 4}, by(smoother, 0));
        EXPECT_TRUE(std::equal(never.begin(), never.end(), field.begin())) << name_of(smoother);
    }
}

TEST(Smoothing, ThreadsGiveTheSameBits) {
    const Shape shape{37, 13, 11};
    const Field<double> field = random_field(shape, 8);
    const Field<double> coverage = random_field(shape, 9, 0, 3);
    for (const Smoother smoother : all_smoothers) {
        Field<double> vertices = field.copy(), cells = field.copy();
        smooth_vertices(vertices.view(), {9, 4, 5}, by(smoother), {}, test::on_cpu());
        smooth_cells(cells, coverage, {9, 4, 5}, by(smoother), test::on_cpu());
        for (const int threads : {2, 3, 8}) {
            Field<double> other = field.copy(), other_cells = field.copy();
            smooth_vertices(other.view(), {9, 4, 5}, by(smoother), {}, test::on_cpu(threads));
            smooth_cells(other_cells, coverage, {9, 4, 5}, by(smoother), test::on_cpu(threads));
            EXPECT_TRUE(std::equal(other.begin(), other.end(), vertices.begin()));
            EXPECT_TRUE(std::equal(other_cells.begin(), other_cells.end(), cells.begin()));
        }
    }
}

TEST(Smoothing, RunningSumsForgetWhatLeftTheBox) {
    // A sum that adds and takes away would keep the rounding of 1e300 for ever.
    const Shape shape{300, 3, 40};
    Field<double> field = random_field(shape, 13, 1e-9, 1e-8);
    for (int i = 0; i < 30; ++i) field(i, i % 3, i % 7) = 1e300;
    Field<double> expected = field.copy();
    Field<double> found = field.copy();
    smooth_vertices(expected.view(), {11, 3, 5}, by(Smoother::basic));
    smooth_vertices(found.view(), {11, 3, 5}, by(Smoother::running));
    for (std::size_t n = 0; n < field.size(); ++n) {
        ASSERT_NEAR(found[n] / expected[n], 1, 1e-12) << "element " << n;
    }
}

TEST(Smoothing, LongLinesDoNotDrift) {
    Field<double> field({200000, 1, 2}, 0.1);
    smooth_vertices(field.view(), {97, 1, 1});
    for (const double value : field) ASSERT_NEAR(value, 0.1, 1e-16 * 97);
}

TEST(Smoothing, SizesBeyondTheModelMeanTheWholeModel) {
    const Field<double> field = random_field({9, 4, 5}, 17);
    constexpr int huge = std::numeric_limits<int>::max();
    double mean = 0;
    for (const double value : field) mean += value / static_cast<double>(field.size());
    for (const Smoother smoother : all_smoothers) {
        Field<double> found = field.copy();
        smooth_vertices(found.view(), {huge, huge - 1, huge}, by(smoother));
        for (const double value : found) EXPECT_NEAR(value, mean, 1e-14) << name_of(smoother);
    }
}

TEST(Smoothing, SingleValuesAreSummedInDouble) {
    const Shape shape{30, 5, 6};
    const Field<double> field = random_field(shape, 23, 1e6, 1e6 + 1);
    Field<float> narrow(shape);
    std::transform(field.begin(), field.end(), narrow.begin(),
                   [](double value) { return static_cast<float>(value); });
    Field<double> wide(shape);
    std::copy(narrow.begin(), narrow.end(), wide.begin());
    smooth_vertices(narrow.view(), {9, 5, 5});
    smooth_vertices(wide.view(), {9, 5, 5});
    for (std::size_t n = 0; n < wide.size(); ++n) {
        EXPECT_EQ(narrow[n], static_cast<float>(wide[n]));
    }
}

TEST(Smoothing, BadCallsAreSentences) {
    Field<double> field({4, 3, 2}, 1.0);
    Field<double> coverage({4, 3, 3}, 1.0);
    Field<std::uint8_t> mask({4, 3, 1}, 1);
    expect_error<InputError>(
        [&] {
            smooth_vertices(field.view(), {3, 0, 3});
        },
        "smoothing size 3x0x3 has 0 along y");
    expect_error<InputError>(
        [&] {
            smooth_vertices(field.view(), {3, 3, 3}, {.passes = -1});
        },
        "passes is -1");
    expect_error<InputError>(
        [&] {
            smooth_vertices(field.view(), {3, 3, 3}, {}, {}, test::on_cpu(-2));
        },
        "threads is -2");
    expect_error<InputError>(
        [&] {
            smooth_cells(field, coverage, {3, 3, 3});
        },
        "coverage of shape (4, 3, 3) cannot weigh values of shape (4, 3, 2)");
    expect_error<InputError>(
        [&] {
            smooth_vertices(field.view(), {3, 3, 3}, {}, mask);
        },
        "mask of shape (4, 3, 1)");
    EXPECT_THROW(smooth_vertices(field.view(), {3, 3, 3}, {Smoother::basic}, {}, test::on_gpu()),
                 InputError);
    EXPECT_EQ(parse_choice<Smoother>("table"), Smoother::table);
}

TEST(Smoothing, StopsWhenAsked) {
    Field<double> field({40, 30, 20}, 1.0);
    Monitor stop({}, [] { return true; });
    for (const Smoother smoother : all_smoothers) {
        EXPECT_THROW(
            smooth_vertices(field.view(), {9, 9, 9}, by(smoother), {}, test::on_cpu(1, stop)),
            Cancelled);
    }
}

}  // namespace
}  // namespace fermat
