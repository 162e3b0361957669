#pragma once

#include <cstdio>
#include <cstdlib>

#include "core/host_device.hpp"

/// FERMAT_EXPECT(condition) stands at the head of a function and says what its caller owes it.
/// Builds with FERMAT_CHECKED (debug and sanitizers) check it on host and device, print the
/// condition with its place and end the program; other builds do not evaluate it. It is for
/// mistakes of ours: what a user gives is refused by an InputError.
#if defined(FERMAT_CHECKED)
#define FERMAT_EXPECT(...)   \
    ((__VA_ARGS__) ? (void)0 \
                   : ::fermat::detail::break_expectation(#__VA_ARGS__, __FILE__, __LINE__))
#else
#define FERMAT_EXPECT(...) ((void)sizeof(!(__VA_ARGS__)))
#endif

namespace fermat::detail {

#if defined(FERMAT_CHECKED)
[[noreturn]] FERMAT_HD inline void break_expectation(const char* condition, const char* file,
                                                     int line) {
#if defined(__CUDA_ARCH__)
    printf("%s:%d: expected %s\n", file, line, condition);
    __trap();
    __builtin_unreachable();
#else
    std::fprintf(stderr, "%s:%d: expected %s\n", file, line, condition);
    std::abort();
#endif
}
#endif

}  // namespace fermat::detail
