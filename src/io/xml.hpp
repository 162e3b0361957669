#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace fermat {

/// An element of an XML text. Views point into the text.
struct XmlElement {
    std::string_view name;
    std::vector<std::pair<std::string_view, std::string_view>> attributes;
    std::string_view text;  ///< text before the first child or the end tag
    std::vector<XmlElement> children;

    std::optional<std::string_view> attribute(std::string_view key) const;
    const XmlElement* child(std::string_view key) const;
};

/// Reads the part of XML that VTK writes: elements, attributes, comments, declarations; no
/// entities, no CDATA. Stops at the element `stop_at` (raw bytes may follow it) and gives the
/// position after its start tag. Throws InputError, also for more than `most_elements`; the caller
/// puts the file's name before the message.
struct XmlDocument {
    XmlElement root;
    std::size_t end = 0;  ///< position after the root element, unless it stopped before
    std::size_t stopped_at = std::string_view::npos;
    XmlElement stop_element;
};
XmlDocument parse_xml(std::string_view text, std::string_view stop_at,
                      std::size_t most_elements = 100000);

/// Position of the next element or end tag: behind blanks, comments and declarations.
std::size_t skip_xml_remarks(std::string_view text, std::size_t at);

}  // namespace fermat
