/// The bytes of the file do not depend on the order in which fields become ready.

#include <algorithm>
#include <string>
#include <vector>

#include "io/temp_folder.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {
namespace {

using namespace test;
using SameBytesTest = TempFolder;

TEST_F(SameBytesTest, ReservedArraysLieWhereTheyWereReserved) {
    const Grid grid{{7, 5, 3}, {0, 0, 0}, {1, 1, 1}};
    constexpr std::size_t count = 20;
    std::vector<std::string> names;
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n < count; ++n) {
        names.push_back(time_array_name(n, count));
        order.push_back(n);
    }
    const auto write = [&](const std::string& file) {
        ImageWriter image(at(file), grid);
        image.reserve_point_arrays(names);
        for (const std::size_t n : order) {
            Field<float> values(grid.shape);
            std::fill(values.begin(), values.end(), static_cast<float>(n));
            image.add_point_array(names[n], values);
        }
        image.commit();
        return content(at(file));
    };
    const std::string first = write("a.h5");
    std::reverse(order.begin(), order.end());
    EXPECT_EQ(write("b.h5"), first);
    std::rotate(order.begin(), order.begin() + 7, order.end());
    EXPECT_EQ(write("c.h5"), first);
    const Field<float> last = ImageReader(at("c.h5")).read_point_array(names.back());
    EXPECT_EQ(last({6, 4, 2}), static_cast<float>(count - 1));
}

TEST_F(SameBytesTest, AReservedArrayMustComeAndComesOnce) {
    const Grid grid{{2, 2, 2}, {0, 0, 0}, {1, 1, 1}};
    ImageWriter image(at("a.h5"), grid);
    image.reserve_point_arrays(std::vector<std::string>{"time_000", "time_001"});
    const Field<float> values(grid.shape);
    image.add_point_array("time_001", values);
    EXPECT_TRUE(contains(message_of([&] { image.add_point_array("time_001", values); }), "taken"));
    EXPECT_TRUE(contains(message_of([&] { image.commit(); }), "'time_000'"));
}

}  // namespace
}  // namespace fermat
