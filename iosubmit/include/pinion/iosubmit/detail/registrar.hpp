// SPDX-License-Identifier: Apache-2.0
//
// registrar: how what is registered with a ring reaches it, whatever the submission is. Not for users.
#pragma once

#include <cerrno>
#include <cstdint>

namespace pinion::iosubmit::registrar_detail {

struct registrar {
  void* io = nullptr;
  std::int32_t (*enlist)(void* io, std::uint32_t what, void* argument,
                         std::uint32_t count) noexcept = nullptr;

  /// What the kernel answers; -EOPNOTSUPP where it is not to be asked.
  std::int32_t operator()(std::uint32_t what, void* argument, std::uint32_t count) const noexcept {
    return enlist == nullptr ? -EOPNOTSUPP : enlist(io, what, argument, count);
  }
};

/// That of a submission whose kernel knows that operation, by which its age is told; else one that asks
/// nothing.
template <class Io>
registrar registrar_of(Io& io, std::uint8_t known) noexcept {
  if constexpr (requires { io.enlist(0U, nullptr, 0U); }) {
    if (io.ring().supports(known)) {
      return {.io = &io,
              .enlist = [](void* to, std::uint32_t what, void* argument, std::uint32_t count) noexcept {
                return static_cast<Io*>(to)->enlist(what, argument, count);
              }};
    }
  }
  return {};
}

}  // namespace pinion::iosubmit::registrar_detail
