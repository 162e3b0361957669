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
    std::string_view text;  ///< what stands before the first child or the end tag
    std::vector<XmlElement> children;

    std::optional<std::string_view> attribute(std::string_view key) const;
    const XmlElement* child(std::string_view key) const;
};

/// Reads as much of XML as VTK writes: elements, attributes, comments, declarations; no entities,
/// no CDATA. Stops at the element `stop_at` (raw bytes may follow it) and gives the position behind
/// its start tag. Throws InputError whose message follows the file's name.
struct XmlDocument {
    XmlElement root;
    std::size_t stopped_at = std::string_view::npos;
    XmlElement stop_element;
};
XmlDocument parse_xml(std::string_view text, std::string_view stop_at);

}  // namespace fermat
