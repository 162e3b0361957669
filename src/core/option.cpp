#include "core/option.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fermat {

std::string option_text(double value) { return fmt::format("{}", value); }
std::string option_text(int value) { return fmt::format("{}", value); }
std::string option_text(Vec3 value) {
    return fmt::format("({}, {}, {})", value.x, value.y, value.z);
}
std::string option_text(Index3 value) {
    return fmt::format("({}, {}, {})", value.x, value.y, value.z);
}

std::string quoted(std::string_view name) { return fmt::format("'{}'", name); }

std::string spoken_name(std::string_view name) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

void refuse_option(std::string_view name, const std::string& value, std::string_view words) {
    throw InputError(fmt::format("{} is {} (must be {})", spoken_name(name), value, words));
}

}  // namespace fermat
