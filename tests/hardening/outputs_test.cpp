/// Outputs: plain files are written under a temporary name and renamed, links are followed,
/// anything else is written directly.

#include <fcntl.h>

#include <string>

#include "io/atomic_file.hpp"
#include "io/destination.hpp"
#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;
using OutputsTest = TempFolder;

void write_to(const fs::path& target, const std::string& text) {
    OutputFile file(target);
    file.write(text);
    file.commit();
}

TEST_F(OutputsTest, ADescriptorKeepsItsPlaceAndWhatWasThere) {
    const int descriptor =
        ::open(put("all.csv", "precious\n").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    const std::string name = "/dev/fd/" + std::to_string(descriptor);
    EXPECT_EQ(destination_of(name).kind, Destination::Kind::descriptor);
    write_to(name, "one\n");
    write_to("/proc/self/fd/" + std::to_string(descriptor), "two\n");
    fs::create_symlink(name, at("link"));
    write_to(at("link"), "three\n");
    ::close(descriptor);
    EXPECT_EQ(content(at("all.csv")), "precious\none\ntwo\nthree\n");
    EXPECT_TRUE(fs::is_symlink(at("link")));
}

TEST_F(OutputsTest, ADescriptorOfARemovedFileIsNoNameToWrite) {
    const int descriptor = ::open(put("gone", "").c_str(), O_WRONLY | O_CLOEXEC);
    fs::remove(at("gone"));
    write_to("/dev/fd/" + std::to_string(descriptor), "text");
    ::close(descriptor);
    EXPECT_TRUE(listing().empty());
}

TEST_F(OutputsTest, WhatCannotBeWrittenIsToldAtOnce) {
    const int descriptor = ::open(put("in", "kept").c_str(), O_RDONLY | O_CLOEXEC);
    const std::string name = "/dev/fd/" + std::to_string(descriptor);
    EXPECT_TRUE(contains(message_of([&] { OutputFile file(name); }), "open for reading only"));
    EXPECT_TRUE(contains(message_of([&] { AtomicFile file(name); }), "not a regular file"));
    ::close(descriptor);
    EXPECT_EQ(content(at("in")), "kept");
    EXPECT_TRUE(contains(message_of([] { OutputFile file("/dev/fd/987654"); }), "/dev/fd/987654"));
}

TEST_F(OutputsTest, LinksAreFollowedAlsoToNothingAndNotForEver) {
    fs::create_directory(at("data"));
    fs::create_symlink("data/new.txt", at("first"));  // relative to the link's folder
    fs::create_symlink(at("first"), at("second"));
    write_to(at("second"), "text");
    EXPECT_TRUE(fs::is_symlink(at("first")) && fs::is_symlink(at("second")));
    EXPECT_EQ(content(at("data/new.txt")), "text");
    fs::create_symlink("nowhere/new.txt", at("lost"));
    EXPECT_TRUE(contains(message_of([&] { write_to(at("lost"), "x"); }), "does not exist"));
    fs::create_symlink("round", at("trip"));
    fs::create_symlink("trip", at("round"));
    EXPECT_TRUE(contains(message_of([&] { write_to(at("trip"), "x"); }), "symbolic links"));
}

TEST_F(OutputsTest, OneFileIsKnownUnderAllItsNames) {
    put("a", "");
    fs::create_hard_link(at("a"), at("hard"));
    fs::create_symlink("a", at("soft"));
    fs::create_symlink("to-be", at("dangling"));
    fs::create_directory(at("sub"));
    EXPECT_TRUE(same_file(at("a"), at("hard")));
    EXPECT_TRUE(same_file(at("a"), at("sub/../soft")));
    EXPECT_TRUE(same_file(at("dangling"), at("sub/../to-be")));
    EXPECT_FALSE(same_file(at("a"), at("b")));
    EXPECT_FALSE(same_file(at("b"), at("c")));
    EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace fermat
