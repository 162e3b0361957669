#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/notes.hpp"

namespace fermat::test {

namespace fs = std::filesystem;

/// A folder for each test, which is removed afterwards.
class TempFolder : public ::testing::Test {
  protected:
    TempFolder() {
        std::string name = (fs::temp_directory_path() / "fermat-test-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~TempFolder() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    fs::path at(const std::string& name) const { return folder_ / name; }
    fs::path put(const std::string& name, std::string_view content) const {
        std::ofstream(at(name), std::ios::binary).write(content.data(), std::ssize(content));
        return at(name);
    }
    std::string content(const fs::path& file) const {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Names of the files in the folder. A failed write must not add to them.
    std::vector<std::string> listing() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_)) {
            names.push_back(entry.path().filename().string());
        }
        return names;
    }

    fs::path folder_;
    mutable Notes notes;  ///< what readers said
};

/// While alive, files cannot grow beyond `bytes`, as on a full disk.
class SmallDisk {
  public:
    explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit now{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~SmallDisk() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, handler_);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

  private:
    rlimit old_{};
    void (*handler_)(int);
};

/// The message of the Expected error that `act` must throw. It must have one line.
template <class Expected = InputError, class Act>
std::string message_of(Act&& act) {
    try {
        act();
    } catch (const Expected& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        return text;
    } catch (const std::exception& other) {
        ADD_FAILURE() << "another kind of error: " << other.what();
        return other.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

}  // namespace fermat::test
