#include "io/polarity.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "io/text.hpp"

namespace fermat {

Polarity polarity_of(std::string_view text) {
    constexpr std::array<std::string_view, 5> up = {"u", "c", "+", "up", "positive"};
    constexpr std::array<std::string_view, 5> down = {"d", "r", "-", "down", "negative"};
    std::string word(trim(text));
    std::transform(word.begin(), word.end(), word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (std::find(up.begin(), up.end(), word) != up.end()) return 1;
    if (std::find(down.begin(), down.end(), word) != down.end()) return -1;
    const bool sign = word.starts_with('+');
    const auto number = parse_number(std::string_view(word).substr(sign ? 1 : 0));
    if (!number) return 0;
    return static_cast<Polarity>((*number > 0) - (*number < 0));
}

}  // namespace fermat
