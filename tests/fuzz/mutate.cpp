#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fermat::fuzz {
namespace {

constexpr std::array<std::string_view, 16> odd_numbers = {"0",
                                                          "-1",
                                                          "1",
                                                          "2147483647",
                                                          "2147483648",
                                                          "nan",
                                                          "inf",
                                                          "-inf",
                                                          "9223372036854775807",
                                                          "18446744073709551616",
                                                          "1e9",
                                                          "1e-320",
                                                          "1e308",
                                                          "0x10",
                                                          "",
                                                          "99999999999999999999999999"};
constexpr std::array<std::uint64_t, 10> odd_values = {0,
                                                      1,
                                                      0x7f,
                                                      0xff,
                                                      0xffff,
                                                      0x7fffffff,
                                                      0xffffffff,
                                                      0x7fffffffffffffff,
                                                      0xffffffffffffffff,
                                                      0x7ff8000000000000};

std::size_t below(std::size_t limit, Random& random) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

void replace_number(std::string& bytes, Random& random) {
    const auto numeric = [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-';
    };
    std::size_t begin = below(bytes.size(), random);
    while (begin < bytes.size() && !numeric(bytes[begin])) ++begin;
    std::size_t end = begin;
    while (end < bytes.size() && numeric(bytes[end])) ++end;
    if (begin < end)
        bytes.replace(begin, end - begin, odd_numbers[below(odd_numbers.size(), random)]);
}

void replace_value(std::string& bytes, Random& random) {
    const std::size_t width = std::size_t{1} << below(4, random);
    if (bytes.size() < width) return;
    const std::uint64_t value = odd_values[below(odd_values.size(), random)];
    std::memcpy(&bytes[below(bytes.size() - width + 1, random)], &value, width);
}

void damage_once(std::string& bytes, Random& random) {
    const std::size_t at = below(bytes.size(), random);
    const std::size_t length = 1 + below(std::min<std::size_t>(64, bytes.size() - at), random);
    switch (below(8, random)) {
        case 0:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8, random)));
            break;
        case 1:
            bytes[at] = static_cast<char>(random());
            break;
        case 2:
            bytes.resize(at);
            break;
        case 3:
            bytes.erase(at, length);
            break;
        case 4:
            bytes.insert(below(bytes.size(), random), bytes.substr(at, length));
            break;
        case 5:
            bytes.replace(below(bytes.size(), random), length, bytes.substr(at, length));
            break;
        case 6:
            replace_number(bytes, random);
            break;
        default:
            replace_value(bytes, random);
    }
}

}  // namespace

std::string mutate(std::string bytes, Random& random) {
    const std::size_t times = 1 + below(4, random);
    for (std::size_t i = 0; i < times && !bytes.empty(); ++i) damage_once(bytes, random);
    return bytes;
}

}  // namespace fermat::fuzz
