#pragma once

#include <random>
#include <string>

namespace fermat::fuzz {

using Random = std::mt19937_64;

/// Damages a file: a few of bit flips, odd bytes, truncation, moved, doubled and lost parts, and
/// numbers replaced by troublesome ones, in text and in binary.
std::string mutate(std::string bytes, Random& random);

}  // namespace fermat::fuzz
