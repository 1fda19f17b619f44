// SPDX-License-Identifier: Apache-2.0
//
// default_ring: what a build recommends, chosen by the option PINION_RING_DEFAULT.
//
// either_ring is the kernel's io_uring, or an epoll_ring where that is forbidden (a seccomp profile, a
// setting of the machine's), missing, or too old; which each opening says, through report(). A limit that was
// met is no reason: that is a refusal, and can be mended. It is decided when the ring is opened, by
// io_uring_setup and the first io_uring_register: what forbids only io_uring_enter, or is set later, is
// reported, and what is queued is answered with the error.
//
//   auto opened = open_ring({.uring = {.entries = 512}});
//   if (!opened) return to_string(opened.error());
//   submission<default_policy, default_ring> io{std::move(*opened)};
//
// Aliases and templates: whatever is compiled on the default names the concrete type, so two builds with
// different defaults have different symbols.
#pragma once

#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/ring/either_ring.hpp>
#include <pinion/iosubmit/ring/epoll_ring.hpp>
#include <pinion/iosubmit/ring/uring_ring.hpp>
#include <utility>

namespace pinion::iosubmit {

namespace fallback_detail {
/// Whether io_uring can't be had here at all, whatever the program does.
PINION_EXPORT [[nodiscard]] bool is_out_of_reach(const refusal& why) noexcept;
/// Says which ring serves instead, and what it can't.
PINION_EXPORT void tell_of_fallback(const refusal& why);
}  // namespace fallback_detail

inline namespace PINION_MODE {

/// The knobs of the ring that is opened; the other's are without effect.
struct ring_options {
  uring_options uring{};
  epoll_ring_options epoll{};
};

// The option's values as types.
namespace default_detail {
using either_ring = iosubmit::either_ring<iosubmit::uring_ring, iosubmit::epoll_ring>;
using uring_ring = iosubmit::uring_ring;
using epoll_ring = iosubmit::epoll_ring;
}  // namespace default_detail

/// The ring for nearly everybody: io_uring or else epoll, unless the build was told otherwise.
using default_ring = default_detail::PINION_RING_DEFAULT;

namespace default_ring_detail {
template <class Ring>
struct opener {
  static expected<Ring, refusal> open(const ring_options& options) {
    if constexpr (requires { Ring::open(options.uring); })
      return Ring::open(options.uring);
    else
      return Ring::open(options.epoll);
  }
};
template <class First, class Second>
struct opener<iosubmit::either_ring<First, Second>> {
  using either = iosubmit::either_ring<First, Second>;
  static expected<either, refusal> open(const ring_options& options) {
    auto first = opener<First>::open(options);
    if (first) return either{std::move(*first)};
    if (!fallback_detail::is_out_of_reach(first.error())) return unexpected<refusal>(first.error());
    auto second = opener<Second>::open(options);
    if (!second) return unexpected<refusal>(second.error());
    fallback_detail::tell_of_fallback(first.error());
    return either{std::move(*second)};
  }
};
}  // namespace default_ring_detail

/// A ring of that kind, or why there is none.
template <ring Ring = default_ring>
[[nodiscard]] expected<Ring, refusal> open_ring(const ring_options& options = {}) {
  return default_ring_detail::opener<Ring>::open(options);
}

}  // namespace PINION_MODE
}  // namespace pinion::iosubmit
