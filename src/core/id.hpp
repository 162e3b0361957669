#pragma once

#include <concepts>
#include <cstdint>

namespace fermat {

/// The number of a thing of one kind, which is never taken for that of another: an `Id<Event>` is
/// made of a number, and is one wherever a number is wanted, but no `Id<Station>`.
template <class Thing>
class Id {
  public:
    constexpr Id() = default;
    constexpr Id(std::int32_t number) : number_(number) {}  // NOLINT: numbers become ids
    template <class Other>
    constexpr Id(Id<Other>) = delete;
    constexpr operator std::int32_t() const { return number_; }  // NOLINT: and ids numbers

  private:
    std::int32_t number_ = 0;
};

/// Ids of one kind compare as their numbers.
template <class One, class Other>
requires(!std::same_as<One, Other>) bool operator==(Id<One>, Id<Other>) = delete;

}  // namespace fermat
