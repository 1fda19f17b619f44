// SPDX-License-Identifier: Apache-2.0
//
// pipe: two descriptors that are closed at the end.
#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace pinion::scheduler::testing {

class pipe {
 public:
  pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::system_error{errno, std::generic_category(), "pipe2"};
  }
  pipe(const pipe&) = delete;
  pipe& operator=(const pipe&) = delete;
  ~pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  [[nodiscard]] int out() const noexcept { return ends_[0]; }
  [[nodiscard]] int in() const noexcept { return ends_[1]; }
  /// From any thread. False: it was not written.
  bool put_byte() const noexcept {
    constexpr std::byte one{1};
    return ::write(ends_[1], &one, 1) == 1;
  }
  /// How many bytes are in it.
  [[nodiscard]] int size() const noexcept {
    int bytes = 0;
    return ::ioctl(ends_[0], FIONREAD, &bytes) == 0 ? bytes : 0;
  }
  /// Takes them; how many.
  std::int64_t take_all() const noexcept {
    std::int64_t taken = 0;
    std::array<std::byte, 64> into{};
    while (size() != 0) taken += ::read(ends_[0], into.data(), into.size());
    return taken;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

}  // namespace pinion::scheduler::testing
