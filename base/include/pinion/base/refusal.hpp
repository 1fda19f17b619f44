// SPDX-License-Identifier: Apache-2.0
//
// refusal: why something that was asked for can't be had, for a program and for the person who runs it.
//
// Whatever opens, builds or adds something answers with one, where a caller can meet the refusal:
//
//   expected<uring_ring, refusal> opened = uring_ring::open({.entries = 512});
//   if (!opened && opened.error().code == std::errc::operation_not_permitted) use_epoll();
//   if (!opened) log(to_string(opened.error()));
//   // "an io_uring of 512 entries and 2048 completions (…): io_uring_setup answers errno 1 (Operation not
//   // permitted), most likely since a seccomp profile or a security module forbids io_uring, …; allow
//   // io_uring_setup, … in the profile, or take an epoll_ring"
//
// A constructor can't answer, so it throws the refusal: a std::system_error with that code and that text.
#pragma once

#include <pinion/base/export.hpp>
#include <string>
#include <system_error>

namespace pinion {

/// Why something that was asked for can't be had.
struct refusal {
  std::error_code code;  ///< for a program: the errno, in the generic category, or an errc
  std::string asked;     ///< what was asked for, with its numbers: "an io_uring of 512 entries"
  std::string reason;    ///< what said no, and the likely cause
  std::string remedy;    ///< what to do about it, in the imperative
};

/// The refusal in a sentence: "asked: reason; remedy". Fields that are empty are left out.
PINION_EXPORT [[nodiscard]] std::string to_string(const refusal& why);

/// Throws std::system_error with the refusal's code; its what() holds to_string(why).
PINION_EXPORT [[noreturn]] void throw_refusal(const refusal& why);

}  // namespace pinion
