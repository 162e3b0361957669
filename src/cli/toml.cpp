#include "cli/toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

struct Value {
    enum class Kind { text, bare, array };
    Kind kind = Kind::bare;
    std::string text;
    std::vector<Value> items;
};

constexpr int deepest_array = 8;

bool is_key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    std::vector<TomlEntry> entries() {
        std::vector<TomlEntry> found;
        std::vector<std::string> section;
        for (skip_lines(); !rest_.empty(); skip_lines()) {
            if (take('[')) {
                if (peek() == '[') fail("[[...]] is not known here (write [command])");
                section = key_path();
                if (!take(']')) fail("a table ends with ']'");
                end_line();
            } else {
                found.push_back(entry(section));
            }
        }
        return found;
    }

  private:
    [[noreturn]] void fail(std::string_view problem) const {
        throw InputError(fmt::format("line {}: {}", line_, problem));
    }
    char peek() const { return rest_.empty() ? '\n' : rest_.front(); }
    char next() {
        const char c = rest_.front();
        line_ += c == '\n';
        rest_.remove_prefix(1);
        return c;
    }
    void skip_blanks() {
        while (!rest_.empty() && (peek() == ' ' || peek() == '\t' || peek() == '\r')) next();
    }
    void skip_comment() {
        skip_blanks();
        if (peek() != '#') return;
        while (!rest_.empty() && peek() != '\n') next();
    }
    void skip_lines() {
        for (skip_comment(); !rest_.empty() && peek() == '\n'; skip_comment()) next();
    }
    bool take(char wanted) {
        skip_blanks();
        if (rest_.empty() || peek() != wanted) return false;
        next();
        return true;
    }
    void end_line() {
        skip_comment();
        if (peek() != '\n') {
            fail(
                fmt::format("{} is left over", in_quotes(trim(rest_.substr(0, rest_.find('\n'))))));
        }
    }

    std::string key_part() {
        skip_blanks();
        if (peek() == '"' || peek() == '\'') return quoted();
        std::string key;
        while (!rest_.empty() && is_key_character(peek())) key += next();
        if (key.empty()) fail("a key = value or a [command] must stand here");
        return key;
    }
    std::vector<std::string> key_path() {
        std::vector<std::string> path = {key_part()};
        while (take('.')) path.push_back(key_part());
        return path;
    }

    std::string quoted() {
        const char quote = next();
        if (rest_.starts_with(std::string(2, quote)))
            fail("strings of several lines are not known");
        std::string text;
        for (;;) {
            if (peek() == '\n') fail("a string has no end");
            const char c = next();
            if (c == quote) return text;
            text += c == '\\' && quote == '"' ? escaped() : c;
        }
    }
    char escaped() {
        constexpr std::string_view letters = "\"\\tnr";
        constexpr std::string_view meanings = "\"\\\t\n\r";
        const char c = peek();
        const std::size_t at = letters.find(c);
        if (at == std::string_view::npos) {
            fail(fmt::format("{} is no escape known here (use '...' for text as it stands)",
                             in_quotes(std::string{'\\', c})));
        }
        next();
        return meanings[at];
    }

    Value value(int depth = 0) {
        skip_blanks();
        if (peek() == '"' || peek() == '\'') return {Value::Kind::text, quoted(), {}};
        if (take('[')) {
            if (depth == deepest_array) fail("arrays are nested too deep");
            return array(depth);
        }
        std::string text;
        while (!rest_.empty() && std::string_view(",]# \t\r\n").find(peek()) == std::string::npos) {
            text += next();
        }
        std::string number = text;
        number.erase(std::remove(number.begin(), number.end(), '_'), number.end());
        if (text == "true" || text == "false") return {Value::Kind::bare, text, {}};
        if (!parse_number(number)) {
            fail(
                fmt::format("{} is no value (must be text in quotes, a number, true, false or an "
                            "array)",
                            in_quotes(text)));
        }
        return {Value::Kind::bare, number, {}};
    }
    Value array(int depth) {
        Value list{Value::Kind::array, {}, {}};
        for (;;) {
            skip_lines();
            if (take(']')) return list;
            if (rest_.empty()) fail("an array has no end");
            list.items.push_back(value(depth + 1));
            skip_lines();
            if (!take(',') && !rest_.empty() && peek() != ']') {
                fail("values of an array need ',' between them");
            }
        }
    }

    std::string joined(const Value& list) const {
        std::string text;
        for (const Value& item : list.items) {
            if (item.kind != Value::Kind::bare) fail("an array must hold values of one kind");
            text += (text.empty() ? "" : ",") + item.text;
        }
        return text;
    }
    std::vector<std::string> texts(const Value& found) const {
        if (found.kind != Value::Kind::array) return {found.text};
        if (found.items.empty()) fail("an array must not be empty");
        const Value::Kind kind = found.items.front().kind;
        if (kind == Value::Kind::bare) return {joined(found)};
        std::vector<std::string> each;
        for (const Value& item : found.items) {
            if (item.kind != kind) fail("an array must hold values of one kind");
            each.push_back(kind == Value::Kind::text ? item.text : joined(item));
        }
        return each;
    }

    TomlEntry entry(const std::vector<std::string>& section) {
        TomlEntry found;
        found.line = line_;
        found.section = section;
        std::vector<std::string> path = key_path();
        found.key = std::move(path.back());
        path.pop_back();
        found.section.insert(found.section.end(), path.begin(), path.end());
        if (!take('=')) fail(fmt::format("key {} needs '= value'", in_quotes(found.key)));
        if (!seen_.emplace(found.section, found.key).second) {
            fail(fmt::format("key {} is given twice", in_quotes(found.key)));
        }
        found.texts = texts(value());
        end_line();
        return found;
    }

    std::string_view rest_;
    int line_ = 1;
    std::set<std::pair<std::vector<std::string>, std::string>> seen_;
};

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text) { return Reader(text).entries(); }

}  // namespace fermat::cli
