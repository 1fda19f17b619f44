// SPDX-License-Identifier: Apache-2.0
//
// What a machine may refuse an executor: io_uring, descriptors, locked memory, and what its kernel is too old
// for. It says so when it is made, or does without.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <thread>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using iosubmit::uring_calls;

template <class Ring>
struct over : default_parts {
  using ring = Ring;
};
template <class Calls>
using uring_by = iosubmit::basic_uring_ring<Calls>;
template <class Calls>
using either_by = iosubmit::either_ring<uring_by<Calls>, iosubmit::epoll_ring>;

struct socket_pair {
  socket_pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0); }
  socket_pair(const socket_pair&) = delete;
  socket_pair& operator=(const socket_pair&) = delete;
  ~socket_pair() {
    for (const int each : ends) ::close(each);
  }
  std::array<int, 2> ends{-1, -1};
};

// ---- A program that uses what executors are for

template <class Loop>
task<std::size_t> echoes(Loop& loop, int socket) {
  std::array<std::byte, 4096> part{};
  std::size_t echoed = 0;
  for (;;) {
    const auto got = co_await loop.io().recv(socket, part);
    if (!got || *got == 0) co_return echoed;
    const auto sent = co_await loop.io().send_all(socket, std::span{part}.first(*got));
    if (!sent) co_return echoed;
    echoed += *got;
  }
}
template <class Loop>
task<bool> is_echoed(Loop& loop, int socket, const std::string& text) {
  std::string back(text.size(), ' ');
  auto receiving = spawn([](Loop& by, int from, std::string& into) -> task<bool> {
    const auto got = co_await by.io().recv_all(from, std::as_writable_bytes(std::span{into}));
    co_return got == into.size();
  }(loop, socket, back));
  const auto sent = co_await loop.io().send_all(socket, std::as_bytes(std::span{text}));
  const bool has_come = co_await receiving;
  co_return sent&& has_come&& back == text;
}
// What does not work, or nothing.
template <class Loop>
task<std::string> tries_all(Loop& loop, bool has_files) {
  const socket_pair sockets, quiet;
  auto echoing = spawn(echoes(loop, sockets.ends[1]));
  const bool has_echo = co_await is_echoed(loop, sockets.ends[0], std::string(1'000'000, 'x'));
  if (!has_echo) co_return "an echo";
  ::shutdown(sockets.ends[0], SHUT_WR);
  const std::size_t echoed = co_await echoing;
  if (echoed != 1'000'000) co_return "the end of a connection";

  std::byte letter{};
  const auto none =
      co_await with_timeout(1ms, loop.io().recv(quiet.ends[0], std::span{&letter, std::size_t{1}}));
  if (none || none.error() != std::errc::timed_out) co_return "a timeout";

  waker::wake_event event{loop.channel()};
  std::thread other{[&event, sender = loop.channel().sender()] { sender.push(event); }};
  const auto woken = co_await event.wait(loop.slot());
  other.join();
  if (!woken) co_return "a wake by another thread";

  const int file = ::memfd_create("refusals", MFD_CLOEXEC);
  const auto written = co_await loop.io().write(file, std::span{&letter, std::size_t{1}}, 0);
  ::close(file);
  if (has_files ? written != 1U : written.error() != std::errc::operation_not_supported)
    co_return "a file: " + (written ? "written" : written.error().message());
  co_return "";
}

template <class Ring>
std::string trying_all(bool has_files) {
  const socket_pair kept;
  basic_executor<over<Ring>> loop;
  const auto waits = [](basic_executor<over<Ring>>& by, int socket) -> task<> {
    std::byte letter{};
    [[maybe_unused]] const auto got = co_await by.io().recv(socket, std::span{&letter, std::size_t{1}});
  };
  loop.spawn(waits(loop, kept.ends[0])).detach();  // until the executor ends
  return loop.run(tries_all(loop, has_files));
}

// ---- io_uring is forbidden

// io_uring_setup answers with that error from here on. False: no filter can be set.
bool forbid_rings(int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = sizeof code / sizeof code[0], .filter = code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int warnings = 0;

// The first of all: a child is made where there is one thread.
TEST(executor_refusals, WhereIoUringIsForbiddenEpollServesAndAWarningSaysSo) {
  constexpr int no_filter = 77, fails = 1, says_nothing = 2;
  for (const int error : {EPERM, ENOSYS}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!forbid_rings(error)) ::_exit(no_filter);
      set_diagnostic_sink([](const diagnostic& what) noexcept {
        if (what.level == severity::warning && what.text.find("io_uring") != std::string_view::npos)
          ++warnings;
      });
      const std::string failed = trying_all<either_by<uring_calls>>(false);
      if (!failed.empty()) ::dprintf(STDERR_FILENO, "%s\n", failed.c_str());
      ::_exit(!failed.empty() ? fails : warnings == 1 ? 0 : says_nothing);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == no_filter) GTEST_SKIP() << "this machine lets no program set a seccomp filter";
    EXPECT_EQ(WEXITSTATUS(status), 0) << "errno " << error;
  }
}

// What making an executor over that ring throws.
struct thrown {
  std::error_code code;
  std::string text;
  [[nodiscard]] bool says(const char* words) const { return text.find(words) != std::string::npos; }
};
template <class Ring>
std::optional<thrown> refused() {
  try {
    const basic_executor<over<Ring>> made;
  } catch (const std::system_error& refusal) {
    return thrown{refusal.code(), refusal.what()};
  }
  return std::nullopt;
}

struct forbidden : uring_calls {
  static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return -EPERM; }
};

TEST(executor_refusals, WhereIoUringIsForbiddenAnExecutorThatInsistsOnItIsRefused) {
  const auto refusal = refused<uring_by<forbidden>>();

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, std::errc::operation_not_permitted);
  EXPECT_TRUE(refusal->says("io_uring_setup")) << refusal->text;
  EXPECT_TRUE(refusal->says("allow")) << refusal->text;
}

// ---- Limits

struct no_locked_memory : uring_calls {
  static int map(int, std::size_t, std::uint64_t, void*& at) noexcept {
    at = nullptr;
    return -ENOMEM;
  }
};

struct no_locked_memory_for_a_ring : uring_calls {
  static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return -ENOMEM; }
};

template <class Calls>
void expect_told_of_locked_memory() {
  const auto refusal = refused<either_by<Calls>>();

  ASSERT_TRUE(refusal) << "epoll stands in where a limit can be raised";
  EXPECT_EQ(refusal->code, std::errc::not_enough_memory);
  EXPECT_TRUE(refusal->says("RLIMIT_MEMLOCK")) << refusal->text;
  EXPECT_TRUE(refusal->says("ulimit -l")) << refusal->text;
}

TEST(executor_refusals, WhereLockedMemoryIsUsedUpItIsRefusedAndTheLimitNamed) {
  if (!iosubmit::uring_ring::open({})) GTEST_SKIP() << "no io_uring here";

  expect_told_of_locked_memory<no_locked_memory>();
  expect_told_of_locked_memory<no_locked_memory_for_a_ring>();
}

// The highest descriptor that may be made, when so many more can be had.
rlim_t limit_for(int more) {
  int limit = 0;
  for (; more != 0; ++limit) {
    if (::fcntl(limit, F_GETFD) < 0) --more;
  }
  return static_cast<rlim_t>(limit);
}

template <class Ring>
void expect_told_of_descriptors() {
  // UBSan opens a pipe to look at the type of an object, once for each type.
  for (const auto* each : {&std::generic_category(), &std::system_category()})
    EXPECT_NE(each->message(EMFILE), "");
  ASSERT_FALSE(refused<Ring>());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);

  int few = 0;
  for (std::optional<thrown> refusal;; ++few) {
    rlimit tight = before;
    tight.rlim_cur = limit_for(few);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    refusal = refused<Ring>();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(limit_for(few), tight.rlim_cur) << "what was opened before the refusal is closed";
    if (!refusal) break;
    EXPECT_EQ(refusal->code, std::errc::too_many_files_open) << few;
    EXPECT_TRUE(refusal->says("descriptors")) << refusal->text;
    EXPECT_TRUE(refusal->says("ulimit -n")) << refusal->text;
  }
  EXPECT_EQ(few, 2) << "a ring and a notifier have a descriptor each, and nothing else has";
}

TEST(executor_refusals, WithoutDescriptorsItIsRefusedWhicheverOfItsPartsGotNone) {
  if (!iosubmit::uring_ring::open({})) GTEST_SKIP() << "no io_uring here";
  expect_told_of_descriptors<iosubmit::uring_ring>();
}
TEST(executor_refusals, WithoutDescriptorsOneOverEpollIsRefusedAsWell) {
  expect_told_of_descriptors<iosubmit::epoll_ring>();
}

// ---- An older kernel

// This machine's kernel without what came after that one.
template <int Level>
struct kernel_of : uring_calls {
  struct since {
    int level;
    std::uint32_t what;
  };
  static constexpr since setup_flags[] = {
      {518, kernel::setup::submit_all},    {519, kernel::setup::coop_taskrun},
      {519, kernel::setup::taskrun_flag},  {600, kernel::setup::single_issuer},
      {601, kernel::setup::defer_taskrun}, {606, kernel::setup::no_sq_array}};
  static constexpr since features[] = {{612, kernel::feature::min_wait}, {615, kernel::feature::no_iowait}};
  static constexpr since enter_flags[] = {{518, kernel::enter::registered_ring},
                                          {615, kernel::enter::no_iowait}};
  static constexpr since registrations[] = {{518, kernel::registration::add_ring_descriptors},
                                            {518, kernel::registration::drop_ring_descriptors},
                                            {613, kernel::registration::send_message}};

  template <std::size_t Count>
  static constexpr std::uint32_t unknown(const since (&all)[Count]) noexcept {
    std::uint32_t mask = 0;
    for (const since& each : all) mask |= each.level > Level ? each.what : 0U;
    return mask;
  }
  static int setup(std::uint32_t entries, kernel::setup_parameters& parameters) noexcept {
    if ((parameters.flags & unknown(setup_flags)) != 0) return -EINVAL;
    const int ring = uring_calls::setup(entries, parameters);
    parameters.features &= ~unknown(features);
    return ring;
  }
  static int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                   const kernel::wait_argument* argument) noexcept {
    if ((flags & unknown(enter_flags)) != 0) return -EINVAL;
    return uring_calls::enter(ring, submit, wait_for, flags, argument);
  }
  static int enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    for (const since& each : registrations) {
      if (each.what == what && each.level > Level) return -EINVAL;
    }
    return uring_calls::enlist(ring, what, argument, count);
  }
};

template <class Calls>
struct ExecutorOnKernelTest : ::testing::Test {};
using kernels = ::testing::Types<kernel_of<515>, kernel_of<601>, kernel_of<618>>;
TYPED_TEST_SUITE(ExecutorOnKernelTest, kernels, );

TYPED_TEST(ExecutorOnKernelTest, RunsAProgramAndEnds) {
  if (!iosubmit::uring_ring::open({})) GTEST_SKIP() << "no io_uring here";

  EXPECT_EQ(trying_all<uring_by<TypeParam>>(true), "");

  basic_executor<over<uring_by<TypeParam>>> loop;
  const auto features = loop.submission().ring().features();
  EXPECT_EQ(features.setup_flags & TypeParam::unknown(TypeParam::setup_flags), 0U) << to_string(features);
}

}  // namespace
}  // namespace pinion::scheduler
