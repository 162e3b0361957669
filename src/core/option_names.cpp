#include "core/option_names.hpp"

#include <algorithm>

namespace fermat {
namespace {

bool is_option_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

}  // namespace

std::string with_options_written(std::string_view message, const OptionWriter& write) {
    std::string out;
    for (;;) {
        const std::size_t open = message.find('`');
        const std::size_t close = open == message.npos ? message.npos : message.find('`', open + 1);
        if (close == message.npos) return out.append(message);
        const std::string_view option = message.substr(open + 1, close - open - 1);
        const std::size_t equals = std::min(option.find('='), option.size());
        const std::string_view name = option.substr(0, equals);
        if (is_option_name(name)) {
            const std::string_view value = option.substr(std::min(equals + 1, option.size()));
            out.append(message.substr(0, open)).append(write(name, value));
            message.remove_prefix(close + 1);
        } else {
            // The second backtick may begin an option.
            out.append(message.substr(0, close));
            message.remove_prefix(close);
        }
    }
}

}  // namespace fermat
