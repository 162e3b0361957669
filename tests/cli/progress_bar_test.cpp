#include "cli/progress_bar.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace fermat::cli {
namespace {

/// The output of a bar while `work` reports progress.
template <class Work>
std::string shown(ProgressStyle style, Work work) {
    std::FILE* file = std::tmpfile();
    {
        ProgressBar bar(style, file);
        work(bar);
    }
    std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}

void half_a_second(ProgressBar& bar) {
    bar.show({"times", 0, 10, false});
    std::this_thread::sleep_for(std::chrono::milliseconds(350));
    bar.show({"times", 5, 10, false});
}

TEST(ProgressBar, QuickWorkShowsNothing) {
    for (const auto style : {ProgressStyle::bar, ProgressStyle::lines}) {
        EXPECT_EQ(shown(style,
                        [](ProgressBar& bar) {
                            bar.show({"times", 0, 2, false});
                            bar.show({"times", 1, 2, false});
                            bar.show({"times", 2, 2, true});
                        }),
                  "");
    }
}

TEST(ProgressBar, ABarIsDrawnAndEndsItsLine) {
    const std::string text = shown(ProgressStyle::bar, [](ProgressBar& bar) {
        half_a_second(bar);
        bar.show({"times", 10, 10, true});
    });
    EXPECT_NE(text.find("\rtimes [###############...............]  50%"), std::string::npos)
        << text;
    EXPECT_NE(text.find("100%"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("\n")) << text;
}

TEST(ProgressBar, AHalfDrawnBarIsTakenAway) {
    EXPECT_TRUE(shown(ProgressStyle::bar, half_a_second).ends_with("\r\033[K"));
}

TEST(ProgressBar, ALogHearsLittleAndQuietNothing) {
    EXPECT_EQ(shown(ProgressStyle::lines, half_a_second), "");
    EXPECT_EQ(shown(ProgressStyle::silent, half_a_second), "");
}

TEST(ProgressBar, NonsenseCountsAreHarmless) {
    shown(ProgressStyle::bar, [](ProgressBar& bar) {
        bar.show({"x", 0, 0, false});
        std::this_thread::sleep_for(std::chrono::milliseconds(350));
        bar.show({"x", 7, 0, false});
        bar.show({"x", 9, 3, true});
        bar.show({"x", -1, 3, true});
    });
}

}  // namespace
}  // namespace fermat::cli
