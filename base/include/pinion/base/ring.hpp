// SPDX-License-Identifier: Apache-2.0
//
// ring_entry, ring_wait, ring_completion: what passes between a ring and its owner. ring_port: a ring as
// other parts see it.
//
// A ring takes entries, hands them to the kernel in one call that may also wait, and gives back completions.
// The words are the same for the kernel's ring, for one made of readiness calls, and for one in virtual time.
//
//   const ring_entered done = ring.enter({.count = 1, .timeout = deadline - now});
//
// ring_port: what a part takes from somebody's io_uring, which it does not own, does not map and can't wait
// on.
//
// Three calls, and every owner of a ring can offer them: the owner of a raw one, a user of liburing, a host
// that runs a ring beside its own loop. The part fills in an entry, the port puts it into its submission
// queue as it stands and remembers whom to answer. No header of the kernel's or of liburing's is needed on
// either side.
//
//   struct my_port {  // over liburing
//     io_uring& ring;
//     std::thread::id thread = std::this_thread::get_id();
//     int descriptor() const noexcept { return ring.ring_fd; }
//     bool is_owner() const noexcept { return thread == std::this_thread::get_id(); }
//     bool queue(const ring_entry& entry, ring_answer& answer) noexcept {
//       io_uring_sqe* place = io_uring_get_sqe(&ring);
//       if (place == nullptr) return false;
//       std::memcpy(place, &entry, sizeof entry);
//       place->user_data = kernel::address_of(&answer);  // or an index: the loop's choice
//       return true;
//     }
//   };
//
//   // in the owner's loop, for each io_uring_cqe* of an answer
//   auto& answer = *reinterpret_cast<ring_answer*>(completion->user_data);
//   answer.answered(answer, completion->res);
//
// What syntax cannot say:
//
// R1  The descriptor names the ring for as long as the port lives. Any thread may ask for the descriptor, and
//     whether it is the owner.
// R2  One thread may call queue(), and is_owner() is true on no other. Where queue() says false it has
//     changed nothing: there is no room, and there would be none after a submission either.
// R3  What was queued is submitted before the owner waits, also if the owner waits in something other than
//     the ring.
// R4  Each entry that was queued is answered once, on the owner's thread, with the completion's result; by
//     the port itself with -ECANCELED if the port goes first or never submits the entry. An answer may queue
//     again.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/callback.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>

namespace pinion {

/// One entry of a submission queue, as the kernel has it since 5.1: 64 bytes. The names are ours; what a
/// field means depends on the operation. `user_data` belongs to the port.
struct ring_entry {
  std::uint8_t operation = 0;
  std::uint8_t flags = 0;
  std::uint16_t priority = 0;
  std::int32_t descriptor = -1;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint32_t operation_flags = 0;
  std::uint64_t user_data = 0;
  std::uint64_t others[3] = {};
};
static_assert(sizeof(ring_entry) == 64, "an entry is copied into the kernel's as it stands");

/// Is told the result of an entry. It lives until then; one may wait for several entries.
struct ring_answer {
  /// Called by the port on the owner's thread, with the completion's result: negative is an error.
  void (*answered)(ring_answer& self, std::int32_t result) noexcept;
};

/// How long an enter stays in the kernel. The default does not wait.
struct ring_wait {
  std::uint32_t count = 0;     ///< until that many completions are there …
  duration gather{0};          ///< … but not longer than this for more than one; unused if count is below 2
  duration timeout = forever;  ///< and in no case longer than this
  bool keeps_pending = false;  ///< without handing over what is pending, which was refused
  bool fetches = true;         ///< false, where it does not wait: what the ring keeps back stays there
  friend constexpr bool operator==(const ring_wait&, const ring_wait&) noexcept = default;
};

/// What became of an enter.
struct ring_entered {
  std::uint32_t accepted = 0;  ///< so many entries are the kernel's now; the others are still pending
  std::int32_t error = 0;      ///< 0, or the negative errno; ETIME is none
  friend constexpr bool operator==(const ring_entered&, const ring_entered&) noexcept = default;
};

/// One completion: the entry's user_data, or what another ring sent.
struct ring_completion {
  std::uint64_t user_data;
  std::int32_t result;  ///< negative is an error
  std::uint32_t flags;  ///< the kernel's; 0 from others

  /// The kernel's flag that says: this entry will be answered again.
  static constexpr std::uint32_t more = 2;
};

/// What bits 48 to 63 of a user_data say if it names an answer:
///
///   bits 0 to 2     a mark, 0 to 7
///   bits 3 to 47    the address of the answer
///   bits 48 to 63   answer_tag
///
/// The user_data of a message is what its sender wrote: without the tag it would be taken for an address, and
/// called. The tag is against mistakes; a sender that means harm can write it.
inline constexpr std::uint64_t answer_tag = 0xA25E;

namespace ring_detail {
inline constexpr std::uint64_t address_bits = 0x0000'FFFF'FFFF'FFF8;
}  // namespace ring_detail

inline namespace PINION_MODE {
/// How an answer is named in an entry's user_data, with a mark of 0 to 7. An entry that cancels another one
/// names it by this, too.
[[nodiscard]] inline std::uint64_t user_data_of(const ring_answer& answer, std::uint8_t mark) noexcept {
  const std::uint64_t address = kernel::address_of(&answer);
  PINION_ASSERT(
      (address & ~ring_detail::address_bits) == 0,
      "the address of an answer has bits above the 47th: keep what a ring answers in memory that is "
      "neither tagged nor mapped above 256 TiB");
  return address | answer_tag << 48U | mark;
}
}  // namespace PINION_MODE
/// Whether user_data_of() made it, with that mark. Else it names nobody, and answer_of() must not be asked.
[[nodiscard]] constexpr bool names_answer(std::uint64_t user_data, std::uint8_t mark) noexcept {
  return (user_data & ~ring_detail::address_bits) == (answer_tag << 48U | mark);
}
/// The answer that such a user_data names.
[[nodiscard]] inline ring_answer& answer_of(std::uint64_t user_data) noexcept {
  return *std::bit_cast<ring_answer*>(static_cast<std::uintptr_t>(user_data & ring_detail::address_bits));
}
/// The mark of such a user_data, 0 to 7.
[[nodiscard]] constexpr std::uint8_t mark_of(std::uint64_t user_data) noexcept {
  return static_cast<std::uint8_t>(user_data & 7U);
}
static_assert(alignof(ring_answer) >= 8, "three bits of an answer's address are a mark");

/// What a part needs of a ring. Rules R1 to R4 stand above.
template <class Port>
concept ring_port = requires(Port& port, const Port& view, const ring_entry& entry, ring_answer& answer) {
  { view.descriptor() } noexcept -> std::same_as<int>;  // any thread
  { view.is_owner() } noexcept -> std::same_as<bool>;   // any thread: whether it is the one that may queue
  { port.queue(entry, answer) } noexcept -> std::same_as<bool>;  // the owner; false: no room
};

/// A ring's owner with whom another part watches something: completions are told by the mark in their
/// user_data. All calls are the owner's.
template <class Io>
concept ring_watcher = requires(Io& io, const callback<const ring_completion&>& told, std::uint8_t mark,
                                const ring_entry& entry, std::uint64_t user_data) {
  // Has `told` called for completions with a mark; the mark, or why there is none left.
  { io.add_sink(told) } -> std::same_as<expected<std::uint8_t, refusal>>;
  { io.remove_sink(mark) } noexcept;  // nobody is told from now on
  // An entry with such a mark that is answered many times; and its end. False: no room.
  { io.watch(entry) } noexcept -> std::same_as<bool>;
  { io.unwatch(user_data) } noexcept -> std::same_as<bool>;
};

}  // namespace pinion
