// SPDX-License-Identifier: Apache-2.0
//
// asked: an operation that remembers its answer; and a turn loop that runs until there is one.
//
//   asked taken{entries::recv(socket, bytes)};
//   io.queue(taken);
//   EXPECT_EQ(result_of(io, taken), 5);
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit/operation.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pinion::iosubmit::testing {

/// The result of what was not answered.
inline constexpr std::int32_t no_answer = 1'000'000'000;

/// Remembers its answer, and how many there were.
struct asked : operation {
  explicit asked(const ring_entry& what) noexcept : asked{what, &keep} {}
  static void keep(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<asked&>(self);
    mine.result = result;
    ++mine.answers;
    mine.place = ++order;
  }

  std::int32_t result = no_answer;
  int answers = 0;
  int place = 0;  ///< among all answers of the program
  static inline int order = 0;

 protected:
  asked(const ring_entry& what, void (*when)(ring_answer&, std::int32_t) noexcept) noexcept
      : operation{what, when} {}
};

/// So long a test that hangs waits before it fails.
inline constexpr duration patience{10'000'000'000};

/// Parks until that one is answered, or patience is at its end; its result.
template <class Io>
std::int32_t result_of(Io& io, const asked& one) {
  const instant limit = monotonic_clock::now() + patience;
  while (one.answers == 0 && io.now() < limit) io.park(limit);
  return one.result;
}
/// Hands over what is queued, and hands out what is there, without waiting.
template <class Io>
void look(Io& io) {
  io.park(io.now());
}

/// A descriptor that is closed at the end.
class owned {
 public:
  owned() noexcept = default;
  explicit owned(int descriptor) noexcept : descriptor_(descriptor) {}
  owned(owned&& from) noexcept : descriptor_(from.release()) {}
  owned& operator=(owned&& from) noexcept {
    std::swap(descriptor_, from.descriptor_);
    return *this;
  }
  ~owned() { close(); }
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  int release() noexcept { return std::exchange(descriptor_, -1); }
  void close() noexcept {
    if (descriptor_ >= 0) ::close(release());
  }

 private:
  int descriptor_ = -1;
};

/// Two that are joined: connected sockets, or the ends of a pipe, of which the first is read.
struct joined {
  owned first;
  owned second;

  static joined sockets(int type = SOCK_STREAM) {
    std::array<int, 2> ends{-1, -1};
    ::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data());
    return {owned{ends[0]}, owned{ends[1]}};
  }
  static joined pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe(ends.data()) != 0) return {};
    return {owned{ends[0]}, owned{ends[1]}};
  }
};

/// Room to receive into, and what came.
struct received {
  std::array<std::byte, 64> bytes{};

  [[nodiscard]] std::span<std::byte> room() noexcept { return bytes; }
  [[nodiscard]] std::string_view text(std::int32_t count) const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count < 0 ? 0 : count)};
  }
};
inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span{text});
}

}  // namespace pinion::iosubmit::testing
