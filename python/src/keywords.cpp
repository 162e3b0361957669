#include "keywords.hpp"

#include <algorithm>

#include "core/option_names.hpp"

namespace fermat::python {
namespace {

/// Whether a value is a number or several numbers: "2", "1,0.5".
bool is_numbers(std::string_view value) {
    return value.find_first_not_of("0123456789.,+-e") == value.npos;
}

std::string as_keyword(std::string_view name, std::string_view value) {
    // A method of the model, and a keyword of Model.load.
    if (name == "to_nodes") return "model.to_nodes()";
    if (name == "placement") return value == "nodes" ? "cells=False" : "cells=True";
    std::string out(name);
    if (value.empty()) return out;
    const bool several = value.find(',') != value.npos;
    const std::string_view quote = is_numbers(value) ? "" : "'";
    if (!quote.empty() || !several)
        return out.append("=").append(quote).append(value).append(quote);
    out += "=(";
    for (const char c : value) out.append(1, c).append(c == ',' ? " " : "");
    return out + ")";
}

}  // namespace

std::string with_keywords(std::string_view message) {
    return with_options_written(message, &as_keyword);
}

}  // namespace fermat::python
