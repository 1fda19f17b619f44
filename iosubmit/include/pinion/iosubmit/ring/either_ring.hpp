// SPDX-License-Identifier: Apache-2.0
//
// either_ring: one of two rings, chosen when the program runs.
//
// A closed variant: each call is one branch that always goes the same way, and no virtual call. Code that
// names one of the two rings instead pays not even for that branch.
//
//   either_ring<uring_ring, epoll_ring> ring{epoll_ring{{}}};
//   const bool has_files = ring.second() == nullptr;  // an epoll_ring reads and writes none
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <utility>
#include <variant>

namespace pinion::iosubmit::inline PINION_MODE {

/// Models what both of them do; each call is the same of the one that is there.
template <ring First, ring Second>
class either_ring {
 public:
  /// Over that one.
  explicit either_ring(First ring) noexcept : ring_(std::in_place_index<0>, std::move(ring)) {}
  explicit either_ring(Second ring) noexcept : ring_(std::in_place_index<1>, std::move(ring)) {}

  /// The one that is there; null for the other.
  [[nodiscard]] First* first() noexcept { return std::get_if<0>(&ring_); }
  [[nodiscard]] const First* first() const noexcept { return std::get_if<0>(&ring_); }
  [[nodiscard]] Second* second() noexcept { return std::get_if<1>(&ring_); }
  [[nodiscard]] const Second* second() const noexcept { return std::get_if<1>(&ring_); }

  /// As the ring that is there does (concept.hpp).
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept {
    return first() != nullptr ? first()->supports(operation) : second()->supports(operation);
  }
  [[nodiscard]] std::uint32_t room() const noexcept {
    return first() != nullptr ? first()->room() : second()->room();
  }
  void put(const ring_entry& entry) noexcept {
    first() != nullptr ? first()->put(entry) : second()->put(entry);
  }
  [[nodiscard]] std::uint32_t pending() const noexcept {
    return first() != nullptr ? first()->pending() : second()->pending();
  }
  [[nodiscard]] bool has_completions() const noexcept {
    return first() != nullptr ? first()->has_completions() : second()->has_completions();
  }
  [[nodiscard]] bool wants_enter() const noexcept {
    return first() != nullptr ? first()->wants_enter() : second()->wants_enter();
  }
  ring_entered enter(const ring_wait& wait) noexcept {
    return first() != nullptr ? first()->enter(wait) : second()->enter(wait);
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    return first() != nullptr ? first()->reap(std::move(sink)) : second()->reap(std::move(sink));
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    return first() != nullptr ? first()->withdraw(std::move(sink)) : second()->withdraw(std::move(sink));
  }

  /// Completions that the kernel had no memory to keep; 0 for a ring that loses none.
  [[nodiscard]] std::uint32_t lost() const noexcept {
    return first() != nullptr ? lost_of(*first()) : lost_of(*second());
  }

  /// Of the one that is there; -1, and nobody's, if that is no port: then parts look for another way.
  [[nodiscard]] int descriptor() const noexcept {
    return first() != nullptr ? descriptor_of(*first()) : descriptor_of(*second());
  }
  std::int32_t enlist(std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    return first() != nullptr ? enlist_of(*first(), what, argument, count)
                              : enlist_of(*second(), what, argument, count);
  }
  std::int32_t own() noexcept { return first() != nullptr ? own_of(*first()) : own_of(*second()); }
  [[nodiscard]] bool is_owner() const noexcept {
    return first() != nullptr ? is_owner_of(*first()) : is_owner_of(*second());
  }

 private:
  template <class Ring>
  static int descriptor_of(const Ring& of) noexcept {
    if constexpr (ring_port<Ring>)
      return of.descriptor();
    else
      return -1;
  }
  template <class Ring>
  static bool is_owner_of(const Ring& of) noexcept {
    if constexpr (ring_port<Ring>)
      return of.is_owner();
    else
      return false;
  }

  template <class Ring>
  static std::int32_t enlist_of(Ring& of, std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    if constexpr (requires { of.enlist(what, argument, count); })
      return of.enlist(what, argument, count);
    else
      return -EOPNOTSUPP;
  }

  template <class Ring>
  static std::int32_t own_of(Ring& of) noexcept {
    if constexpr (requires { of.own(); })
      return of.own();
    else
      return 0;
  }

  template <class Ring>
  static std::uint32_t lost_of(const Ring& of) noexcept {
    if constexpr (requires { of.lost(); })
      return of.lost();
    else
      return 0;
  }

  std::variant<First, Second> ring_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
