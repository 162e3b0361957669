#include "core/choice.hpp"

#include <gtest/gtest.h>

#include "expect_error.hpp"

namespace fermat {

enum class Fruit { apple, pear };
template <>
inline constexpr auto choices<Fruit> = choice_table<Fruit>("fruit", {{"apple", Fruit::apple},
                                                                     {"pear", Fruit::pear}});

namespace {

using test::expect_error;

TEST(Choice, NamesAndValuesAreInverse) {
    for (const Fruit fruit : {Fruit::apple, Fruit::pear}) {
        EXPECT_EQ(parse_choice<Fruit>(name_of(fruit)), fruit);
    }
    static_assert(name_of(Fruit::pear) == "pear");
}

TEST(Choice, ListsItsNames) { EXPECT_EQ(names_of<Fruit>(), "apple, pear"); }

TEST(Choice, AnUnknownNameIsToldWithTheKnownOnes) {
    expect_error<InputError>([] { parse_choice<Fruit>("plum"); }, "fruit", "'plum'", "apple, pear");
    expect_error<InputError>([] { parse_choice<Fruit>(""); }, "''");
    expect_error<InputError>([] { parse_choice<Fruit>("Apple"); }, "'Apple'");
}

}  // namespace
}  // namespace fermat
