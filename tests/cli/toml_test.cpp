#include "cli/toml.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/error.hpp"

namespace fermat::cli {
namespace {

using Texts = std::vector<std::string>;

TEST(Toml, ValuesBecomeTheTextsOfACommandLine) {
    const auto entries = parse_toml(
        "a = 1\nb = -2.5e3\nc = true\nd = \"x,y # z\"\ne = 'C:\\x'\nf = [1, 2, 3]\n"
        "g = [\n  \"0:2\",  # top\n  \"5:4\",\n]\nh = [[1, 2], [3, 4]]\ni = inf\nj = 1_000\n");
    ASSERT_EQ(entries.size(), 10u);
    EXPECT_EQ(entries[0].texts, Texts{"1"});
    EXPECT_EQ(entries[1].texts, Texts{"-2.5e3"});
    EXPECT_EQ(entries[2].texts, Texts{"true"});
    EXPECT_EQ(entries[3].texts, Texts{"x,y # z"});
    EXPECT_EQ(entries[4].texts, Texts{"C:\\x"});
    EXPECT_EQ(entries[5].texts, Texts{"1,2,3"});
    EXPECT_EQ(entries[6].texts, (Texts{"0:2", "5:4"}));
    EXPECT_EQ(entries[7].texts, (Texts{"1,2", "3,4"}));
    EXPECT_EQ(entries[8].texts, Texts{"inf"});
    EXPECT_EQ(entries[9].texts, Texts{"1000"});
    EXPECT_EQ(entries[7].line, 11);
}

TEST(Toml, TablesAndDottedKeysNameTheSection) {
    const auto entries = parse_toml("x = 1\n[a.b] # c\ny = 2\nc.'d' = 3\n[e]\nf = 4");
    ASSERT_EQ(entries.size(), 4u);
    EXPECT_EQ(entries[0].section, Texts{});
    EXPECT_EQ(entries[1].section, (Texts{"a", "b"}));
    EXPECT_EQ(entries[2].section, (Texts{"a", "b", "c"}));
    EXPECT_EQ(entries[2].key, "d");
    EXPECT_EQ(entries[3].section, Texts{"e"});
}

TEST(Toml, EscapesOfBasicStrings) {
    EXPECT_EQ(parse_toml("a = \"q\\\"b\\\\t\\tn\"")[0].texts, Texts{"q\"b\\t\tn"});
}

TEST(Toml, NothingInNothingOut) {
    EXPECT_TRUE(parse_toml("").empty());
    EXPECT_TRUE(parse_toml(" \r\n# only a comment").empty());
}

TEST(Toml, MistakesNameTheirLine) {
    for (const std::string text : {"a",
                                   "a =",
                                   "a = b",
                                   "a = 1 2",
                                   "= 1",
                                   "[a",
                                   "[]",
                                   "[[a]]",
                                   "a = \"x",
                                   "a = 'x\n'",
                                   "a = \"\\q\"",
                                   "a = \"\\",
                                   "a = \"\"\"x\"\"\"",
                                   "a = [1, 2",
                                   "a = [1 2]",
                                   "a = [1, 'x']",
                                   "a = [[1], 2]",
                                   "a = [['x']]",
                                   "a = []",
                                   "a = {b = 1}",
                                   "a = 2020-01-01",
                                   "a = 1\na = 2",
                                   "[t]\na = 1\n[t]\na = 2"}) {
        SCOPED_TRACE(text);
        EXPECT_THROW(parse_toml(text), InputError);
        try {
            parse_toml("\n" + text);
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).rfind("line ", 0), 0u) << error.what();
        }
    }
}

TEST(Toml, DeepNestingIsRefusedAndNotFollowed) {
    EXPECT_THROW(parse_toml("a = " + std::string(100000, '[')), InputError);
}

TEST(Toml, RandomBytesNeverCrash) {
    std::mt19937 random(1);
    const std::string letters = "ab=.[]\"'\\#,\n\t 1-_e\xff";
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (auto n = random() % 24; n > 0; --n) text += letters[random() % letters.size()];
        try {
            parse_toml(text);
        } catch (const InputError&) {
        }
    }
}

}  // namespace
}  // namespace fermat::cli
