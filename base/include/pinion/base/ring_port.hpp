// SPDX-License-Identifier: Apache-2.0
//
// ring_port: what a part takes from somebody's io_uring, which it does not own, does not map and can't wait on.
//
// Three calls, and whoever has a ring can offer them: the owner of a raw one, a user of liburing, a host that runs a ring beside
// its own loop. The part fills in an entry, the port puts it into its submission queue as it stands and remembers whom to
// answer. No header of the kernel's or of liburing's is needed on either side.
//
//   struct my_port {                                                             // over liburing
//     io_uring& ring;
//     std::thread::id thread = std::this_thread::get_id();
//     int descriptor() const noexcept { return ring.ring_fd; }
//     bool is_owner() const noexcept { return thread == std::this_thread::get_id(); }
//     bool queue(const ring_entry& entry, ring_answer& answer) noexcept {
//       io_uring_sqe* place = io_uring_get_sqe(&ring);
//       if (place == nullptr) return false;
//       std::memcpy(place, &entry, sizeof entry);
//       place->user_data = reinterpret_cast<std::uint64_t>(&answer);             // or an index; what the loop knows again
//       return true;
//     }
//   };
//   // … and in its loop: answer.answered(answer, completion->res);
//
// What syntax cannot say:
//
// R1  The descriptor names the ring for as long as the port lives. Any thread may ask for it, and whether it is the owner.
// R2  One thread may call queue(), and is_owner() is true on no other. Where queue() says false it has changed nothing: there is no
//     room, and there would be none after a submission either.
// R3  What was queued is submitted before the owner waits, also if it waits in something other than the ring.
// R4  Each entry that was queued is answered once, on the owner's thread, with the completion's result; by the port itself with
//     -ECANCELED if the port goes first or never submits it. An answer may queue again.
#pragma once

#include <concepts>
#include <cstdint>

namespace pinion {

/// One entry of a submission queue, as the kernel has it since 5.1: 64 bytes. The names are ours; what a field means depends on the
/// operation. `user_data` belongs to the port.
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

/// Who is told what became of an entry. It lives until then; one may wait for several.
struct ring_answer {
  /// Called by the port on the owner's thread, with the completion's result: negative is an error.
  void (*answered)(ring_answer& self, std::int32_t result) noexcept;
};

/// What a part needs of a ring. Rules R1 to R4 stand above.
template <class Port>
concept ring_port = requires(Port& port, const Port& view, const ring_entry& entry, ring_answer& answer) {
  { view.descriptor() } noexcept -> std::same_as<int>;  // any thread
  { view.is_owner() } noexcept -> std::same_as<bool>;   // any thread: whether it is the one that may queue
  { port.queue(entry, answer) } noexcept -> std::same_as<bool>;  // the owner; false: no room
};

}  // namespace pinion
