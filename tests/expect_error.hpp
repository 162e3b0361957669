#pragma once

#include <gtest/gtest.h>

#include <string>

namespace fermat::test {

/// Expects `work` to throw `Error` with a one-line message that contains all of `parts`.
template <class Error, class Work, class... Parts>
void expect_error(Work work, const Parts&... parts) {
    try {
        work();
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        const std::string message = error.what();
        for (const std::string& part : {std::string(parts)...}) {
            EXPECT_NE(message.find(part), std::string::npos)
                << "'" << message << "' does not name '" << part << "'";
        }
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

}  // namespace fermat::test
