// SPDX-License-Identifier: Apache-2.0
//
// The smallest program: a coroutine copies a file by operations that it awaits.
//
// The coroutine is of a type of this program's own, of a dozen lines: whatever can be awaited in one can be
// awaited in any. It goes on from inside park(), and nothing is allocated for an operation.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <span>
#include <system_error>
#include <utility>

using namespace pinion::iosubmit;

namespace {

// A coroutine that begins at once, and whose end is looked at.
struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(long long value) noexcept { result = value; }
    void unhandled_exception() noexcept { std::terminate(); }
    long long result = 0;
  };
  std::coroutine_handle<promise_type> handle;
};

using io_queue = submission<default_policy, default_ring>;

// How many bytes, or a negative errno.
task copy(io_queue& io, int from, int to) {
  std::array<std::byte, 8192> bytes;
  std::uint64_t copied = 0;
  for (;;) {
    const auto count = co_await awaiting(io, entries::read(from, bytes, copied));
    if (!count) co_return -count.error().value();
    if (*count == 0) break;
    for (std::size_t written = 0; written < *count;) {
      const auto part = std::span{bytes}.first(*count).subspan(written);
      const auto taken = co_await awaiting(io, entries::write(to, part, copied + written));
      if (!taken) co_return -taken.error().value();
      written += *taken;
    }
    copied += *count;
  }
  if (const auto synced = co_await awaiting(io, entries::fsync(to)); !synced)
    co_return -synced.error().value();
  co_return static_cast<long long>(copied);
}

}  // namespace

int main() {
  constexpr int skipped = 77;
  auto ring = open_ring();
  if (!ring || !ring->supports(codes::fsync)) {
    std::printf("Skipped: %s\n", ring ? "epoll can't read files, and io_uring is forbidden or left out: "
                                        "allow io_uring_setup (seccomp, kernel.io_uring_disabled)"
                                      : to_string(ring.error()).c_str());
    return skipped;
  }
  using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  const file from{std::tmpfile(), &std::fclose}, to{std::tmpfile(), &std::fclose};
  if (!from || !to) {
    std::perror("no temporary file: is TMPDIR full or read-only");
    return 1;
  }
  for (int i = 0; i < 10'000; ++i) std::fprintf(from.get(), "line %d\n", i);
  std::fflush(from.get());

  io_queue io{std::move(*ring)};
  const task copying = copy(io, ::fileno(from.get()), ::fileno(to.get()));
  while (!copying.handle.done()) io.park(pinion::never);
  const long long copied = copying.handle.promise().result;
  copying.handle.destroy();
  if (copied < 0) {
    std::fprintf(stderr, "copy: %s\n", std::generic_category().message(static_cast<int>(-copied)).c_str());
    return 1;
  }
  std::printf("%lld bytes copied\n", copied);

  std::array<char, 32> last{};
  if (::pread(::fileno(to.get()), last.data(), last.size() - 1, 98'880) > 0) std::printf("%s", last.data());
}
