#include "io/xml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr std::string_view white = " \t\r\n";
/// VTK files are less deep. The limit keeps a hostile file from exhausting the stack.
constexpr int max_depth = 32;

class XmlParser {
  public:
    XmlParser(std::string_view text, std::string_view stop_at, std::size_t most_elements = 0)
        : text_(text), stop_at_(stop_at), most_elements_(most_elements) {}

    XmlDocument parse() {
        skip_misc();
        document_.root = element(0);
        document_.end = at_;
        return std::move(document_);
    }

    std::size_t skip_from(std::size_t at) {
        at_ = std::min(at, text_.size());
        skip_misc();
        return at_;
    }

  private:
    [[noreturn]] void fail(std::string_view problem) const {
        throw InputError(fmt::format("is not XML that can be read: {} at byte {}", problem, at_));
    }
    bool stopped() const { return document_.stopped_at != std::string_view::npos; }
    bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    void skip_white() { at_ = std::min(text_.find_first_not_of(white, at_), text_.size()); }
    void skip_past(std::string_view mark) {
        const std::size_t found = text_.find(mark, at_);
        if (found == std::string_view::npos) fail("the file ends (it is truncated)");
        at_ = found + mark.size();
    }
    /// Skips declarations and comments between elements.
    void skip_misc() {
        for (skip_white();; skip_white()) {
            if (looking_at("<!--")) {
                skip_past("-->");
            } else if (looking_at("<?")) {
                skip_past("?>");
            } else if (looking_at("<!")) {
                skip_past(">");
            } else {
                return;
            }
        }
    }

    std::string_view name() {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n/>=<\"'", at_), text_.size());
        if (end == at_) fail("a name is missing");
        const std::string_view found = text_.substr(at_, end - at_);
        at_ = end;
        return found;
    }

    std::pair<std::string_view, std::string_view> attribute() {
        const std::string_view key = name();
        skip_white();
        if (!looking_at("=")) fail("'=' is missing");
        ++at_;
        skip_white();
        if (!looking_at("\"") && !looking_at("'")) fail("a quote is missing");
        const char quote = text_[at_++];
        const std::size_t end = text_.find(quote, at_);
        if (end == std::string_view::npos) fail("a quote is not closed");
        const std::string_view value = text_.substr(at_, end - at_);
        at_ = end + 1;
        return {key, value};
    }

    XmlElement element(int depth) {
        if (depth > max_depth || ++elements_ > most_elements_) fail("too many elements");
        if (!looking_at("<")) fail("an element is missing");
        ++at_;
        XmlElement found;
        found.name = name();
        for (skip_white(); !looking_at(">") && !looking_at("/>"); skip_white()) {
            found.attributes.push_back(attribute());
        }
        if (looking_at("/>")) {
            at_ += 2;
            return found;
        }
        ++at_;
        if (found.name == stop_at_) {
            document_.stopped_at = at_;
            document_.stop_element = found;
            return found;
        }
        read_content(found, depth);
        return found;
    }

    void read_content(XmlElement& parent, int depth) {
        const std::size_t begin = at_;
        at_ = std::min(text_.find('<', at_), text_.size());
        parent.text = text_.substr(begin, at_ - begin);
        while (true) {
            skip_misc();
            if (looking_at("</")) {
                at_ += 2;
                if (name() != parent.name) fail("an end tag does not match");
                skip_past(">");
                return;
            }
            parent.children.push_back(element(depth + 1));
            if (stopped()) return;
        }
    }

    std::string_view text_;
    std::string_view stop_at_;
    std::size_t at_ = 0;
    std::size_t most_elements_;
    std::size_t elements_ = 0;
    XmlDocument document_;
};

}  // namespace

std::optional<std::string_view> XmlElement::attribute(std::string_view key) const {
    for (const auto& [there, value] : attributes) {
        if (there == key) return value;
    }
    return std::nullopt;
}

const XmlElement* XmlElement::child(std::string_view key) const {
    for (const XmlElement& element : children) {
        if (element.name == key) return &element;
    }
    return nullptr;
}

XmlDocument parse_xml(std::string_view text, std::string_view stop_at, std::size_t most_elements) {
    return XmlParser(text, stop_at, most_elements).parse();
}

std::size_t skip_xml_remarks(std::string_view text, std::size_t at) {
    return XmlParser(text, "").skip_from(at);
}

}  // namespace fermat
