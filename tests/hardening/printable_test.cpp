/// No text that a message quotes can control a terminal.

#include "core/printable.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace fermat {
namespace {

TEST(Printable, ControlCharactersAndBrokenBytesAreQuestionMarks) {
    EXPECT_EQ(printable("plain 'name'.h5"), "plain 'name'.h5");
    EXPECT_EQ(printable("a\x1b[31mb\x7f\x01"), "a?[31mb??");
    EXPECT_EQ(printable("two\nlines\tand\r"), "two lines and ");
    EXPECT_EQ(printable("Königssee → µ 𝛁"), "Königssee → µ 𝛁");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "??31m");  // U+009B is an escape too
    EXPECT_EQ(printable("\x9b"
                        "31m"),
              "?31m");
    EXPECT_EQ(printable("cut \xe2\x86"), "cut ??");
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, EveryErrorIs) {
    EXPECT_STREQ(InputError("cannot read '\x1b]0;x\x07'").what(), "cannot read '?]0;x?'");
}

}  // namespace
}  // namespace fermat
