#pragma once

#include <random>
#include <string>

namespace fermat::fuzz {

using Random = std::mt19937_64;

/// Damages a file by a few random changes: flipped bits, odd bytes, truncation, moved, doubled or
/// lost parts, and troublesome numbers in text or binary.
std::string mutate(std::string bytes, Random& random);

}  // namespace fermat::fuzz
