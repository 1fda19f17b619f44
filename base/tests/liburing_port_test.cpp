// SPDX-License-Identifier: Apache-2.0
//
// The port over liburing that ring.hpp shows, and a part's use of it.
#include <gtest/gtest.h>
#include <liburing.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <pinion/base.hpp>
#include <thread>

namespace pinion {
namespace {

struct my_port {  // over liburing
  io_uring& ring;
  std::thread::id thread = std::this_thread::get_id();
  int descriptor() const noexcept { return ring.ring_fd; }
  bool is_owner() const noexcept { return thread == std::this_thread::get_id(); }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept {
    io_uring_sqe* place = io_uring_get_sqe(&ring);
    if (place == nullptr) return false;
    std::memcpy(place, &entry, sizeof entry);
    place->user_data = kernel::address_of(&answer);  // or an index: the loop's choice
    return true;
  }
};
static_assert(ring_port<my_port>);

struct count_of_answers : ring_answer {
  count_of_answers()
      : ring_answer{[](ring_answer& self, std::int32_t result) noexcept {
          auto& mine = static_cast<count_of_answers&>(self);
          ++mine.answers;
          mine.sum += result;
        }} {}
  int answers = 0;
  int sum = 0;
};

TEST(liburing_port, QueuesForAPartAndAnswersIt) {
  io_uring ring{};
  if (const int refused = io_uring_queue_init(8, &ring, 0); refused != 0) {
    GTEST_SKIP() << "io_uring_queue_init: " << std::strerror(-refused);
  }
  count_of_answers asked;
  my_port port{.ring = ring};

  const bool is_queued = port.queue({.operation = kernel::codes::nop}, asked);
  io_uring_submit_and_wait(&ring, 1);
  io_uring_cqe* completion = nullptr;
  while (io_uring_peek_cqe(&ring, &completion) == 0) {
    // in the owner's loop, for each io_uring_cqe* of an answer
    auto& answer = *reinterpret_cast<ring_answer*>(completion->user_data);
    answer.answered(answer, completion->res);
    io_uring_cqe_seen(&ring, completion);
  }
  io_uring_queue_exit(&ring);

  EXPECT_TRUE(is_queued && port.is_owner());
  EXPECT_EQ(asked.answers, 1);
  EXPECT_EQ(asked.sum, 0);
}

}  // namespace
}  // namespace pinion
