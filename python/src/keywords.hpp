#pragma once

#include <string>
#include <string_view>

namespace fermat::python {

/// A message of the library with its options (core/option_names.hpp) as keywords: "use
/// `device=cpu`" becomes "use device='cpu'".
std::string with_keywords(std::string_view message);

}  // namespace fermat::python
