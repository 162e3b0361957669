#include "core/option_names.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fermat {
namespace {

std::string shown(std::string_view message) {
    return with_options_written(message, [](std::string_view name, std::string_view value) {
        return fmt::format("<{}|{}>", name, value);
    });
}

TEST(OptionNames, EveryOptionInBackticksIsWritten) {
    EXPECT_EQ(shown("use `device=cpu`, or `order=1`"), "use <device|cpu>, or <order|1>");
    EXPECT_EQ(shown("`min_velocity=2` `resume`"), "<min_velocity|2> <resume|>");
    EXPECT_EQ(shown("`axis_weights=1,0.5`"), "<axis_weights|1,0.5>");
    EXPECT_EQ(shown("`step=`"), "<step|>");
}

TEST(OptionNames, OtherTextStays) {
    for (const char* text : {"", "no option", "`", "one ` alone", "``", "`=1`", "`A Name`",
                             "'a`b.h5' is damaged", "`two words=1`", "```"}) {
        EXPECT_EQ(shown(text), text);
    }
    EXPECT_EQ(shown("'a`b c' has one (use `device=cpu`)"), "'a`b c' has one (use <device|cpu>)");
}

}  // namespace
}  // namespace fermat
