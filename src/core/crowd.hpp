#pragma once

#include <chrono>

namespace fermat::detail {

/// Whether other programs want the cores of this one: true for a while after a thread was kept off
/// its core or woke late. Only how work is shared among threads may depend on it.
bool is_crowded();

/// A delay from which a thread was kept off its core: longer than a thread takes to wake, shorter
/// than the turns that the system gives to each program.
inline constexpr std::chrono::microseconds long_delay{500};

/// Tells is_crowded() of a thread that was delayed for long.
void note_delay();

}  // namespace fermat::detail
