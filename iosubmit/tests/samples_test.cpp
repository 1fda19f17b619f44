// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of iosubmit's rings open with, and those of base that need a ring, word for
// word, and what each claims.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "asked.hpp"
#include "coroutines.hpp"

namespace pinion::iosubmit {
namespace {

using namespace std::chrono_literals;
using testing::asked;
using testing::joined;
using testing::result_of;

// What a round trip through it answers.
template <class Io>
std::int32_t answer_of_nop(Io& io) {
  asked nop{entries::nop()};
  io.queue(nop);
  return result_of(io, nop);
}

class UringSamplesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto opened = uring_ring::open({}); !opened) GTEST_SKIP() << to_string(opened.error());
  }
};

TEST(SamplesTest, ARefusalIsForAProgramAndForPeople) {
  struct forbidden : uring_calls {
    static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return -EPERM; }
  };
  using uring_ring = basic_uring_ring<forbidden>;
  bool uses_epoll = false;
  const auto use_epoll = [&] { uses_epoll = true; };
  std::string logged;
  const auto log = [&](std::string text) { logged = std::move(text); };

  expected<uring_ring, refusal> opened = uring_ring::open({.entries = 512});
  if (!opened && opened.error().code == std::errc::operation_not_permitted) use_epoll();
  if (!opened) log(to_string(opened.error()));

  EXPECT_TRUE(uses_epoll);
  EXPECT_EQ(logged.find("an io_uring of 512 entries and 2048 completions ("), 0U) << logged;
  EXPECT_NE(logged.find("in the profile, or take an epoll_ring"), std::string::npos) << logged;
}

TEST_F(UringSamplesTest, ARingIsEnteredAndReaped) {
  uring_ring ring{{}};
  asked nop{entries::nop()};
  const instant now = monotonic_clock::now(), deadline = now + testing::patience;
  ring.put({.operation = codes::nop, .user_data = user_data_of(nop, 1)});

  const ring_entered done = ring.enter({.count = 1, .timeout = deadline - now});
  ring.reap(
      [](const ring_completion& c) { answer_of(c.user_data).answered(answer_of(c.user_data), c.result); });

  EXPECT_EQ(done.accepted, 1U);
  EXPECT_EQ(nop.result, 0);
}

TEST(SamplesTest, TheDefaultRingIsOpenedOrRefused) {
  const auto open = []() -> std::string {
    auto opened = open_ring({.uring = {.entries = 512}});
    if (!opened) return to_string(opened.error());
    submission<default_policy, default_ring> io{std::move(*opened)};
    EXPECT_EQ(answer_of_nop(io), 0);
    return "";
  };

  EXPECT_EQ(open(), "");
}

TEST_F(UringSamplesTest, TheDefaultPolicyJoinsARing) {
  submission<default_policy, uring_ring> io{uring_ring{{}}};

  EXPECT_EQ(answer_of_nop(io), 0);
}

TEST(SamplesTest, AnEpollRingIsToldThatASignalCame) {
  using namespace epoll_detail;
  joined ends = joined::pipe();
  std::array<std::byte, 8> bytes{};

  epoll_calls silent = system_calls;
  silent.wait = [](int, std::span<descriptor_event>, duration) noexcept { return -EINTR; };
  epoll_ring ring{{}, silent};
  ring.put(entries::read(ends.first.get(), bytes));

  EXPECT_EQ(ring.enter({.count = 1}).accepted, 1U);
  EXPECT_EQ(ring.enter({.count = 1}).error, -EINTR);
}

TEST(SamplesTest, AUringThatIsRefusedSaysWhichLimit) {
  struct full_table : uring_calls {
    static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return -EMFILE; }
  };
  const std::string reason = basic_uring_ring<full_table>::open({}).error().reason;  // says which limit

  EXPECT_NE(reason.find("descriptors"), std::string::npos) << reason;
}

std::int32_t of_opened = testing::no_answer, of_stop = testing::no_answer;
void accepted(ring_answer&, std::int32_t result) noexcept { of_opened = result; }
void stopped(ring_answer&, std::int32_t result) noexcept { of_stop = result; }

TEST_F(UringSamplesTest, AnAcceptIsCancelled) {
  submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
  const testing::owned loopback{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const int listener = loopback.get();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);

  operation opened{entries::accept(listener), &accepted};
  operation stop{entries::cancel(opened), &stopped};
  io.queue(opened);
  io.queue(stop);
  while (of_opened == testing::no_answer || of_stop == testing::no_answer) io.park(never);

  EXPECT_EQ(of_opened, -ECANCELED);
  EXPECT_EQ(of_stop, 0);
}

TEST(SamplesTest, EitherRingSaysWhichItIs) {
  either_ring<uring_ring, epoll_ring> ring{epoll_ring{{}}};
  const bool has_files = ring.second() == nullptr;  // an epoll_ring reads and writes none

  EXPECT_FALSE(has_files);
}

TEST(SamplesTest, AnEpollRingIsOpenedOrRefused) {
  const auto open = []() -> std::string {
    auto ring = epoll_ring::open({.entries = 256});
    if (!ring) return to_string(ring.error());  // too many descriptors, most likely
    submission<batch_or_idle, epoll_ring> io{std::move(*ring)};
    EXPECT_EQ(answer_of_nop(io), 0);
    return "";
  };

  EXPECT_EQ(open(), "");
}

TEST_F(UringSamplesTest, AUringSaysWhatItGot) {
  std::string logged;
  const auto log = [&](std::string text) { logged = std::move(text); };

  auto opened = uring_ring::open({.entries = 512});
  if (!opened)
    log(to_string(opened.error()));  // what was asked, the error, the likely cause, the remedy
  else
    log(to_string(opened->features()));  // "512 entries, 2048 completions; single_issuer defer_taskrun …"

  EXPECT_EQ(logged.find("512 entries, "), 0U) << logged;
}

TEST_F(UringSamplesTest, AUringIsMadeOrOpened) {
  submission<batch_or_idle, uring_ring> io{
      uring_ring{{.entries = 512}}};   // throws where there is no io_uring
  auto opened = uring_ring::open({});  // or says why

  EXPECT_EQ(answer_of_nop(io), 0);
  EXPECT_TRUE(opened);
}

TEST_F(UringSamplesTest, AUringIsSharedByItsOwnerAndAPort) {
  uring_ring ring{{}};
  const std::uint64_t place = 5;
  std::vector<std::uint64_t> places;
  const auto mine = [&](std::uint64_t which, std::int32_t result) {
    places.push_back(result == 0 ? which : 0);
  };

  ring.put({.operation = codes::nop, .user_data = place});
  ring.enter({.count = 1});
  ring.reap([&](const ring_completion& c) noexcept {
    if (!ring.answer(c)) mine(c.user_data, c.result);
  });

  EXPECT_EQ(places, std::vector{place});
}

TEST_F(UringSamplesTest, ALengthIsReceivedAndAReplySentWhole) {
  submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
  const joined pair = joined::sockets();
  cancel_slot slot;
  bool is_sent = false;
  const auto serve = [&](int socket) -> testing::eager {
    std::array<std::byte, 4> length{}, reply{};
    const auto came = co_await recv_all(io, socket, length);
    if (!came || *came < length.size()) co_return;               // an error; or the other end has closed
    if (!co_await send_all(io, socket, reply, slot)) co_return;  // an error, or the slot was cancelled
    is_sent = true;
  };
  serve(pair.first.get());
  std::array<std::byte, 4> answer{};
  asked out{entries::send(pair.second.get(), answer)}, in{entries::recv(pair.second.get(), answer)};
  io.queue(out);
  io.queue(in);

  EXPECT_EQ(result_of(io, in), 4);
  EXPECT_TRUE(is_sent);
}

template <class = void>
using task = testing::eager;

task<> echo(auto& io, int socket) {
  std::array<std::byte, 512> bytes;
  while (auto count = co_await awaiting(io, entries::recv(socket, bytes))) {
    if (*count == 0) break;                                                     // the other end closed
    if (!co_await send_all(io, socket, std::span{bytes}.first(*count))) break;  // in send_all.hpp
  }
}

TEST(SamplesTest, AnEchoGoesOnUntilTheOtherEndCloses) {
  submission<batch_or_idle, epoll_ring> io{epoll_ring{{}}};
  joined pair = joined::sockets();
  echo(io, pair.first.get());
  testing::received back;

  for (const char* text : {"once", "more"}) {
    asked out{entries::send(pair.second.get(), testing::bytes_of(text))};
    asked in{entries::recv(pair.second.get(), back.room())};
    io.queue(out);
    io.queue(in);
    EXPECT_EQ(back.text(result_of(io, in)), text);
  }
  const auto asks = [&] { return io.depth() + io.in_flight() != 0; };
  EXPECT_TRUE(asks()) << "it waits for more";
  pair.second.close();
  const instant limit = monotonic_clock::now() + testing::patience;
  while (asks() && io.now() < limit) io.park(limit);

  EXPECT_FALSE(asks());
}

TEST(SamplesTest, ACoroutineSleepsInARing) {
  submission<batch_or_idle, epoll_ring> io{epoll_ring{{}}};
  bool has_slept = false;
  const auto sleeps = [&]() -> testing::eager {
    const auto slept = co_await sleep_for(io, ceil(10ms));
    if (!slept) co_return;  // such as that the submission was stopped
    has_slept = true;
  };
  const instant begun = monotonic_clock::now();
  sleeps();
  EXPECT_FALSE(has_slept);

  while (!has_slept && io.now() < begun + testing::patience) io.park(begun + testing::patience);

  EXPECT_TRUE(has_slept);
  EXPECT_GE(monotonic_clock::now() - begun, ceil(10ms));
}

struct read_block : operation {
  read_block(int file, std::span<std::byte> block) : operation{entries::read(file, block, 0), &done} {}
  static void done(ring_answer& self, std::int32_t result) noexcept {
    static_cast<read_block&>(self).count = result;  // or a negative errno
  }
  std::int32_t count = 0;
};

TEST_F(UringSamplesTest, ABlockOfAFileIsRead) {
  submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
  const testing::owned own_program{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  const int file = own_program.get();
  std::array<std::byte, 4> block{};

  read_block first{file, block};
  io.queue(first);
  while (first.is_waiting()) io.park(never);

  EXPECT_EQ(first.count, 4);
  EXPECT_EQ(std::to_integer<char>(block[1]), 'E') << "the file is an ELF one";
}

TEST_F(UringSamplesTest, ALoopTurnsWhileThereIsMoreAndParksWhereThereIsNot) {
  asked read_block{entries::nop()}, reply{entries::nop()};
  int left = 3;
  const auto run_what_is_ready = [&] { left -= left == 0 ? 0 : 1; };
  const auto has_more = [&] { return left != 0; };
  const auto is_over = [&] { return read_block.answers + reply.answers == 2; };
  const instant next_deadline = monotonic_clock::now() + testing::patience;

  submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
  io.queue(read_block);    // an operation; answered from inside turn() or park()
  io.queue_urgent(reply);  // goes with the end of this turn, whatever the policy says
  while (!is_over()) {
    run_what_is_ready();
    has_more() ? io.turn(monotonic_clock::now()) : io.park(next_deadline);
  }

  EXPECT_EQ(io.in_flight(), 0U);
  EXPECT_EQ(read_block.result + reply.result, 0);
}

}  // namespace
}  // namespace pinion::iosubmit
