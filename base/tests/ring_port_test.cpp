// SPDX-License-Identifier: Apache-2.0
//
// ring_port: what models it, what does not, and that an entry is laid out as the kernel's.
#include <gtest/gtest.h>

#include <cstddef>
#include <pinion/base/ring.hpp>
#include <vector>
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif

namespace pinion {
namespace {

/// The least that a port has to have.
struct least_port {
  [[nodiscard]] int descriptor() const noexcept { return 3; }
  [[nodiscard]] bool is_owner() const noexcept { return true; }
  bool queue(const ring_entry&, ring_answer& answer) noexcept {
    waiting.push_back(&answer);
    return true;
  }
  void answer_all(int result) {
    for (ring_answer* answer : waiting) answer->answered(*answer, result);
  }
  std::vector<ring_answer*> waiting;
};
struct queue_may_throw : least_port {
  bool queue(const ring_entry&, ring_answer&) { return false; }  // NOLINT: not noexcept is the point
};
struct queue_takes_no_answer : least_port {
  bool queue(const ring_entry&) noexcept { return false; }
};
struct nobody_owns_it {
  [[nodiscard]] int descriptor() const noexcept { return 3; }
  bool queue(const ring_entry&, ring_answer&) noexcept { return false; }
};

static_assert(ring_port<least_port>);
static_assert(!ring_port<queue_may_throw>);
static_assert(!ring_port<queue_takes_no_answer>);
static_assert(!ring_port<nobody_owns_it>);

#if __has_include(<linux/io_uring.h>)
static_assert(sizeof(ring_entry) == sizeof(io_uring_sqe));
static_assert(offsetof(ring_entry, operation) == offsetof(io_uring_sqe, opcode));
static_assert(offsetof(ring_entry, flags) == offsetof(io_uring_sqe, flags));
static_assert(offsetof(ring_entry, priority) == offsetof(io_uring_sqe, ioprio));
static_assert(offsetof(ring_entry, descriptor) == offsetof(io_uring_sqe, fd));
static_assert(offsetof(ring_entry, offset) == offsetof(io_uring_sqe, off));
static_assert(offsetof(ring_entry, address) == offsetof(io_uring_sqe, addr));
static_assert(offsetof(ring_entry, length) == offsetof(io_uring_sqe, len));
static_assert(offsetof(ring_entry, operation_flags) == offsetof(io_uring_sqe, rw_flags));
static_assert(offsetof(ring_entry, user_data) == offsetof(io_uring_sqe, user_data));
#endif

TEST(ring_port, TellsWhoQueuedWhatBecameOfIt) {
  struct asking : ring_answer {
    asking()
        : ring_answer{
              [](ring_answer& self, std::int32_t r) noexcept { static_cast<asking&>(self).sum += r; }} {}
    int sum = 0;
  } asked;
  least_port port;

  EXPECT_TRUE(port.queue({.operation = 1}, asked));
  EXPECT_TRUE(port.queue({.operation = 1}, asked));
  port.answer_all(-5);

  EXPECT_EQ(asked.sum, -10);
}

}  // namespace
}  // namespace pinion
