#include "cli/run_settings.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/flags.hpp"
#include "cli/tell.hpp"
#include "core/option.hpp"
#include "io/text.hpp"
#include "tomography/start/first_guess.hpp"

namespace fermat::cli {
namespace {

/// The settings as they grow.
class Settings {
  public:
    Settings(std::string text, bool is_2d) : text_(std::move(text)), is_2d_(is_2d) {}

    bool has(std::string_view key) const {
        const std::string begin = fmt::format("{} = ", key);
        return text_.starts_with(begin) || text_.find("\n" + begin) != std::string::npos;
    }

    template <class Value>
    void add(std::string_view option, const Value& value) {
        const std::string key = flag_of(option).substr(2);
        const std::string toml = toml_of(value);
        if (!toml.empty() && !has(key)) text_ += fmt::format("{} = {}\n", key, toml);
    }
    void add_comment(const std::string& sentence) {
        text_ += fmt::format("# chosen: {}\n", printable(with_flags(sentence)));
    }
    std::string take() { return std::move(text_); }

  private:
    template <class Value>
    std::string toml_of(const Value& value) const {
        if constexpr (std::is_enum_v<Value>) {
            return fmt::format("\"{}\"", name_of(value));
        } else if constexpr (std::is_same_v<Value, std::string>) {
            return fmt::format("\"{}\"", value);
        } else if constexpr (std::is_arithmetic_v<Value>) {
            return fmt::format("{}", value);
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
            return value ? fmt::format("{}", *value) : "";
        } else if constexpr (std::is_same_v<Value, Vec3> || std::is_same_v<Value, Index3>) {
            return is_2d_ ? fmt::format("\"{},{}\"", value.x, value.z)
                          : fmt::format("\"{},{},{}\"", value.x, value.y, value.z);
        } else {
            return "";
        }
    }

    std::string text_;
    bool is_2d_;
};

}  // namespace

std::string with_choices(std::string settings, const ChosenSettings& chosen) {
    Settings out(std::move(settings), chosen.grid.is_2d());
    const InversionOptions open;
    if (chosen.guessed_start) out.add("spacing", chosen.grid.spacing.x);
    if (!chosen.phases.empty()) out.add("phases", chosen.phases);
    for_each_option(chosen.options, [&](const auto& option, const auto& value) {
        // The weight that --choose found is found again.
        if (option.name == "smoothing" && out.has("choose")) return;
        for_each_option(open, [&](const auto& other, const auto& unset) {
            if constexpr (std::is_same_v<decltype(value), decltype(unset)>) {
                if constexpr (requires { value == unset; }) {
                    if (other.name == option.name && !(value == unset)) out.add(option.name, value);
                }
            }
        });
    });
    for (const std::string& sentence : chosen.choices) out.add_comment(sentence);
    return out.take();
}

}  // namespace fermat::cli
