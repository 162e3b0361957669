#include "io/npy.hpp"

#include <bit>
#include <cstring>

#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;

class NpyTest : public TempFolder {
  protected:
    /// Writes a file like NumPy's, of format `version`, with the given bytes as values.
    fs::path put_npy(const std::string& header, std::string_view data, int version = 1) const {
        std::string text = "\x93NUMPY";
        text += static_cast<char>(version);
        text += '\0';
        const std::size_t length_bytes = version == 1 ? 2 : 4;
        for (std::size_t i = 0; i < length_bytes; ++i) {
            text += static_cast<char>(header.size() >> (8 * i) & 0xff);
        }
        return put("a.npy", text + header + std::string(data));
    }
    template <class T>
    static std::string bytes(int count, bool reversed = false) {
        std::string all;
        for (int i = 0; i < count; ++i) {
            const T value = static_cast<T>(i + 0.5);
            std::string one(sizeof value, '\0');
            std::memcpy(one.data(), &value, sizeof value);
            if (reversed) std::reverse(one.begin(), one.end());
            all += one;
        }
        return all;
    }
    static std::string header(const std::string& type, const std::string& fortran,
                              const std::string& shape) {
        return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
               ", }\n";
    }
    std::string error() const {
        return message_of([&] { read_npy(at("a.npy")); });
    }
};

TEST_F(NpyTest, WhatIsWrittenReadsBackIn2DAnd3D) {
    for (const Shape shape : {Shape{3, 4, 5}, Shape{3, 1, 5}}) {
        Field<float> field(shape);
        for (std::size_t i = 0; i < field.size(); ++i) field[i] = 0.1F * static_cast<float>(i);
        write_npy(at("a.npy"), field);
        const auto back = read_npy(at("a.npy"));
        EXPECT_EQ(back.shape(), shape);
        EXPECT_TRUE(std::equal(field.begin(), field.end(), back.begin()));
        EXPECT_EQ(content(at("a.npy")).size() % 64, (field.size() * 4) % 64);
    }
}

TEST_F(NpyTest, EveryTypeByteOrderAndVersionGivesTheSameValues) {
    for (int version = 1; version <= 3; ++version) {
        put_npy(header("<f8", "False", "(2, 3, 4)"), bytes<double>(24), version);
        EXPECT_EQ(read_npy(at("a.npy"))(1, 2, 3), 23.5F);
        put_npy(header(">f8", "False", "(2, 3, 4)"), bytes<double>(24, true), version);
        EXPECT_EQ(read_npy(at("a.npy"))(1, 2, 3), 23.5F);
        put_npy(header(">f4", "False", "(6, 4)"), bytes<float>(24, true), version);
        EXPECT_EQ(read_npy(at("a.npy"))(5, 0, 3), 23.5F);
    }
}

TEST_F(NpyTest, FortranOrderRunsAlongXFirst) {
    put_npy(header("<f4", "True", "(2, 3, 4)"), bytes<float>(24));
    const auto field = read_npy(at("a.npy"));
    EXPECT_EQ(field(1, 0, 0), 1.5F);
    EXPECT_EQ(field(0, 1, 0), 2.5F);
    EXPECT_EQ(field(0, 0, 1), 6.5F);
    EXPECT_EQ(field(1, 2, 3), 23.5F);
}

TEST_F(NpyTest, WrongFilesAreRefused) {
    put("a.npy", "");
    EXPECT_TRUE(contains(error(), "too short"));
    put("a.npy", "not a NumPy file at all");
    EXPECT_TRUE(contains(error(), "not a .npy"));
    put_npy(header("<i4", "False", "(2, 3)"), bytes<float>(6));
    EXPECT_TRUE(contains(error(), "<i4"));
    put_npy(header("<f4", "False", "(6,)"), bytes<float>(6));
    EXPECT_TRUE(contains(error(), "1 dimensions"));
    put_npy(header("<f4", "False", "(2, -3)"), bytes<float>(6));
    EXPECT_TRUE(contains(error(), "positive"));
    put_npy(header("<f4", "False", "(2, 3)"), bytes<float>(5));
    EXPECT_TRUE(contains(error(), "truncated"));
    put_npy(header("<f4", "False", "(2000000000, 2000000000, 2000000000)"), bytes<float>(5));
    EXPECT_TRUE(contains(error(), "truncated"));
    put_npy("{}", bytes<float>(5));
    EXPECT_TRUE(contains(error(), "descr"));
    put_npy(header("<f4", "False", "(2, 3)"), bytes<float>(6), 9);
    EXPECT_TRUE(contains(error(), "version 9"));
}

TEST_F(NpyTest, AFullDiskLeavesTheOldFile) {
    put("a.npy", "old");
    const Field<float> field(Shape{1000, 1, 1000}, 1.0F);
    const auto text = message_of<ComputeError>([&] {
        const SmallDisk disk(100000);
        write_npy(at("a.npy"), field);
    });
    EXPECT_TRUE(contains(text, "a.npy"));
    EXPECT_EQ(content(at("a.npy")), "old");
    EXPECT_EQ(listing().size(), 1u);
}

}  // namespace
}  // namespace fermat
