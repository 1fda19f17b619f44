// SPDX-License-Identifier: Apache-2.0
//
// The system calls of epoll_ring.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/entries.hpp>

namespace pinion::iosubmit::epoll_detail {
namespace {

static_assert(epoll_events::readable == EPOLLIN && epoll_events::priority == EPOLLPRI &&
              epoll_events::writable == EPOLLOUT && epoll_events::failed == EPOLLERR &&
              epoll_events::hung_up == EPOLLHUP && epoll_events::once == EPOLLONESHOT &&
              epoll_events::edge == EPOLLET);

#ifdef SYS_epoll_pwait2
constexpr long precise_wait = SYS_epoll_pwait2;
#else
constexpr long precise_wait = 441;
#endif

template <class T>
T* pointer(std::uint64_t address) noexcept {
  return std::bit_cast<T*>(static_cast<std::uintptr_t>(address));
}

template <class Result>
std::int32_t result_of(Result result) noexcept {
  return result < 0 ? -errno : static_cast<std::int32_t>(result);
}

std::int32_t unless_it_waits(std::int32_t result) noexcept {
  return result == -EAGAIN ? epoll_calls::not_yet : result;
}

// What of `events` is there now; 0 if nothing.
std::int32_t look(int descriptor, std::uint32_t events) noexcept {
  pollfd watched{.fd = descriptor, .events = static_cast<short>(events), .revents = 0};
  if (descriptor < 0) return -EBADF;
  if (::poll(&watched, 1, 0) < 0) return -errno;
  if ((watched.revents & POLLNVAL) != 0) return -EBADF;
  return static_cast<std::uint16_t>(watched.revents);
}

// Whether epoll refuses to watch what has content, and no readiness. A closed descriptor is an error.
std::int32_t has_content(int descriptor) noexcept {
  struct stat file{};
  if (::fstat(descriptor, &file) != 0) return -errno;
  return S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) || S_ISBLK(file.st_mode) ? 1 : 0;
}

// Makes a call while the descriptor doesn't block.
template <class Call>
std::int32_t without_blocking(int descriptor, Call call) noexcept {
  const int mode = ::fcntl(descriptor, F_GETFL);
  if (mode < 0) return -errno;
  const bool is_blocking = (mode & O_NONBLOCK) == 0;
  if (is_blocking) ::fcntl(descriptor, F_SETFL, mode | O_NONBLOCK);
  const std::int32_t result = result_of(call());
  if (is_blocking) ::fcntl(descriptor, F_SETFL, mode);
  return result;
}

std::int32_t transfer(const ring_entry& entry, bool is_write) noexcept {
  const std::int32_t content = has_content(entry.descriptor);
  if (content != 0) return content < 0 ? content : -EOPNOTSUPP;
  const iovec bytes{.iov_base = pointer<void>(entry.address), .iov_len = entry.length};
  constexpr off_t at_its_position = -1;
  const ssize_t moved = is_write ? ::pwritev2(entry.descriptor, &bytes, 1, at_its_position, RWF_NOWAIT)
                                 : ::preadv2(entry.descriptor, &bytes, 1, at_its_position, RWF_NOWAIT);
  if (moved >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return unless_it_waits(result_of(moved));

  return unless_it_waits(without_blocking(entry.descriptor, [&]() noexcept {
    return is_write ? ::write(entry.descriptor, bytes.iov_base, bytes.iov_len)
                    : ::read(entry.descriptor, bytes.iov_base, bytes.iov_len);
  }));
}

std::int32_t converse(const ring_entry& entry) noexcept {
  const int flags = static_cast<int>(entry.operation_flags) | MSG_DONTWAIT;
  void* const bytes = pointer<void>(entry.address);
  const std::int32_t result =
      entry.operation == codes::send
          ? result_of(::send(entry.descriptor, bytes, entry.length, flags | MSG_NOSIGNAL))
          : result_of(::recv(entry.descriptor, bytes, entry.length, flags));
  return (entry.operation_flags & MSG_DONTWAIT) != 0 ? result : unless_it_waits(result);
}

bool listens(int descriptor) noexcept {
  int yes = 0;
  socklen_t size = sizeof yes;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes != 0;
}

// What doesn't listen is refused by the call itself, without a wait.
std::int32_t take_connection(const ring_entry& entry) noexcept {
  const std::int32_t ready = look(entry.descriptor, POLLIN);
  if (ready < 0) return ready;
  if (ready == 0 && listens(entry.descriptor)) return epoll_calls::not_yet;
  return unless_it_waits(
      result_of(::accept4(entry.descriptor, pointer<sockaddr>(entry.address),
                          pointer<socklen_t>(entry.offset), static_cast<int>(entry.operation_flags))));
}

// A backlog that is full (EAGAIN) is no readiness to wait for: it is the answer.
std::int32_t begin_connection(const ring_entry& entry) noexcept {
  const std::int32_t result = without_blocking(entry.descriptor, [&]() noexcept {
    return ::connect(entry.descriptor, pointer<const sockaddr>(entry.address),
                     static_cast<socklen_t>(entry.offset));
  });
  return result == -EINPROGRESS ? epoll_calls::not_yet : result;
}

std::int32_t end_connection(int socket) noexcept {
  const std::int32_t ready = look(socket, POLLOUT);
  if (ready <= 0) return ready < 0 ? ready : epoll_calls::not_yet;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0 ? -errno : -error;
}

std::int32_t attempt_once(const ring_entry& entry, bool again) noexcept {
  switch (entry.operation) {
  case codes::poll: {
    const std::int32_t ready = look(entry.descriptor, entry.operation_flags & epoll_events::every);
    return ready == 0 ? epoll_calls::not_yet : ready;
  }
  case codes::read: return transfer(entry, false);
  case codes::write: return transfer(entry, true);
  case codes::recv:
  case codes::send: return converse(entry);
  case codes::accept: return take_connection(entry);
  case codes::connect: return again ? end_connection(entry.descriptor) : begin_connection(entry);
  case codes::close: {
    const std::int32_t closed = result_of(::close(entry.descriptor));
    return closed == -EINTR ? 0 : closed;  // the number is free all the same
  }
  default: return -EINVAL;
  }
}

int copy(std::span<const epoll_event> from, int count, std::span<descriptor_event> into) noexcept {
  if (count < 0) return -errno;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    into[k] = {.descriptor = from[k].data.fd, .events = from[k].events};
  }
  return count;
}

constexpr std::size_t at_once = 64;
int room_of(std::span<descriptor_event> into) noexcept {
  return static_cast<int>(std::min(into.size(), at_once));
}

int open() noexcept { return result_of(::epoll_create1(EPOLL_CLOEXEC)); }

void close(int epoll) noexcept { ::close(epoll); }

int watch(int epoll, watch_change change, int descriptor, std::uint32_t events) noexcept {
  constexpr std::array<int, 3> changes{EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL};
  epoll_event watched{};
  watched.events = events;
  watched.data.fd = descriptor;
  return result_of(::epoll_ctl(epoll, changes[static_cast<std::size_t>(change)], descriptor, &watched));
}

int wait(int epoll, std::span<descriptor_event> into, duration timeout) noexcept {
  std::array<epoll_event, at_once> events;
  const kernel_time limit = kernel_time::of(timeout);
  const long count = ::syscall(precise_wait, epoll, events.data(), room_of(into),
                               timeout == forever ? nullptr : &limit, nullptr, std::size_t{0});
  return copy(events, static_cast<int>(count), into);
}

int wait_coarsely(int epoll, std::span<descriptor_event> into, duration timeout) noexcept {
  std::array<epoll_event, at_once> events;
  using milliseconds = std::chrono::duration<int, std::milli>;
  const int limit = timeout == forever ? -1 : ceil_to<milliseconds>(timeout).count();
  return copy(events, ::epoll_wait(epoll, events.data(), room_of(into), limit), into);
}

std::int32_t attempt(const ring_entry& entry, bool again) noexcept {
  for (;;) {
    const std::int32_t result = attempt_once(entry, again);
    if (result != -EINTR) return result;
  }
}

}  // namespace

const epoll_calls system_calls{.open = &open,
                               .close = &close,
                               .watch = &watch,
                               .wait = &wait,
                               .wait_coarsely = &wait_coarsely,
                               .attempt = &attempt};

}  // namespace pinion::iosubmit::epoll_detail
