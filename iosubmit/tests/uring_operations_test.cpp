// SPDX-License-Identifier: Apache-2.0
//
// What can be asked, asked of the real kernel through a submission: each operation's result, and that bad input is the operation's
// own error.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "uring_testing.hpp"

namespace pinion::iosubmit::testing {
namespace {

using real_submission = submission<batch_or_idle, uring_ring>;

class UringOperationsTest : public on_real_rings {
 protected:
  void SetUp() override {
    on_real_rings::SetUp();
    if (!IsSkipped()) io_ = std::make_unique<real_submission>(uring_ring{{.entries = 8}});
  }

  // Parks until all of them are answered, at most some seconds.
  void finish(std::span<kept_operation* const> all) {
    for (int turns = 0; turns != 100; ++turns) {
      bool is_done = true;
      for (const kept_operation* one : all) is_done = is_done && one->answers != 0;
      if (is_done) return;
      io_->park(io_->now(), io_->now() + duration{50'000'000});
    }
    io_->stop();
    ADD_FAILURE() << "there was no answer";
  }
  std::int32_t answer_to(const ring_entry& what) {
    kept_operation one{what};
    io_->queue(one);
    kept_operation* const all[] = {&one};
    finish(all);
    EXPECT_EQ(one.answers, 1);
    return one.result;
  }

  std::unique_ptr<real_submission> io_;
};

// A file of its own without a name.
struct nameless_file {
  nameless_file() : stream{std::tmpfile()} {}
  nameless_file(const nameless_file&) = delete;
  nameless_file& operator=(const nameless_file&) = delete;
  ~nameless_file() { std::fclose(stream); }
  [[nodiscard]] int descriptor() const { return ::fileno(stream); }
  std::FILE* stream;
};

// A listener on the loopback, and whom to connect to.
struct listener {
  listener() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    EXPECT_EQ(::bind(descriptor, generic(), bytes), 0);
    EXPECT_EQ(::listen(descriptor, 4), 0);
    EXPECT_EQ(::getsockname(descriptor, generic(), &bytes), 0);
  }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener() { ::close(descriptor); }
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }
  sockaddr_in address{};
  int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

struct socket_ends {
  socket_ends() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  socket_ends(const socket_ends&) = delete;
  socket_ends& operator=(const socket_ends&) = delete;
  ~socket_ends() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::array<int, 2> ends{-1, -1};
};

std::span<const std::byte> bytes_of(const char* text, std::size_t count) {
  return std::as_bytes(std::span{text, count});
}

TEST_F(UringOperationsTest, NopIsAnsweredWithZero) { EXPECT_EQ(answer_to(entries::nop()), 0); }

TEST_F(UringOperationsTest, WriteReadAndFsyncReachAFile) {
  const nameless_file file;
  std::array<char, 4> into{};

  const std::int32_t written = answer_to(entries::write(file.descriptor(), bytes_of("gear", 4), 3));
  const std::int32_t synced = answer_to(entries::fsync(file.descriptor(), entries::synced::contents_only));
  const std::int32_t read =
      answer_to(entries::read(file.descriptor(), std::as_writable_bytes(std::span{into}), 3));

  EXPECT_EQ(written, 4);
  EXPECT_EQ(synced, 0);
  EXPECT_EQ(read, 4);
  EXPECT_EQ(std::string_view(into.data(), 4), "gear");
}

TEST_F(UringOperationsTest, TimeoutIsAnsweredWithItsEnd) {
  const kernel_time soon = kernel_time::of(duration{1000});

  const std::int32_t result = answer_to(entries::timeout(soon));

  EXPECT_EQ(result, -ETIME);
}

TEST_F(UringOperationsTest, PollSaysWhatIsThere) {
  const pipe_ends ends;
  ends.write_a_byte();

  const std::int32_t result = answer_to(entries::poll(ends.reader(), POLLIN));

  EXPECT_EQ(result, POLLIN);
}

TEST_F(UringOperationsTest, CancelStopsWhatIsInFlight) {
  const pipe_ends ends;
  kept_operation target{entries::poll(ends.reader(), POLLIN)};
  kept_operation cancel{entries::cancel(target)};
  io_->queue(target);
  io_->queue(cancel);

  kept_operation* const all[] = {&target, &cancel};
  finish(all);

  EXPECT_EQ(target.result, -ECANCELED);
  EXPECT_EQ(cancel.result, 0);
}

TEST_F(UringOperationsTest, CancelOfWhatIsNotInFlightFindsNothing) {
  const kept_operation idle{entries::nop()};

  const std::int32_t result = answer_to(entries::cancel(idle));

  EXPECT_EQ(result, -ENOENT);
}

struct heard {
  std::vector<ring_completion> all;
  static void message(void* context, const ring_completion& one) noexcept {
    static_cast<heard*>(context)->all.push_back(one);
  }
};

TEST_F(UringOperationsTest, MsgRingReachesAnotherSubmission) {
  if (!io_->ring().supports(codes::msg_ring)) GTEST_SKIP() << "this kernel has no msg_ring (Linux 5.18)";
  real_submission other{uring_ring{{}}};
  heard here;
  other.messages_to({&heard::message, &here});
  kept_operation first{entries::nop()};  // enables the ring, which else takes no message
  other.queue(first);
  other.park(other.now(), never);

  const std::int32_t sent = answer_to(entries::msg_ring(other.descriptor(), 8 + 2, 77));
  other.park(other.now(), other.now() + duration{1'000'000'000});

  EXPECT_EQ(sent, 0);
  ASSERT_EQ(here.all.size(), 1U);
  EXPECT_EQ(here.all[0].user_data, 10U);
  EXPECT_EQ(here.all[0].result, 77);
}

TEST_F(UringOperationsTest, AcceptAndConnectMakeAConnection) {
  listener there;
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  kept_operation accepted{entries::accept(there.descriptor, nullptr, nullptr, SOCK_CLOEXEC)};
  kept_operation connected{entries::connect(client, there.generic(), sizeof there.address)};
  io_->queue(accepted);
  io_->queue(connected);

  kept_operation* const all[] = {&accepted, &connected};
  finish(all);

  EXPECT_EQ(connected.result, 0);
  EXPECT_GE(accepted.result, 0);
  ::close(client);
  ::close(accepted.result);
}

TEST_F(UringOperationsTest, SendAndRecvCarryBytesAndTheEnd) {
  const socket_ends sockets;
  std::array<std::byte, 8> into{};

  const std::int32_t sent = answer_to(entries::send(sockets.ends[0], bytes_of("gear", 4)));
  const std::int32_t came = answer_to(entries::recv(sockets.ends[1], into));
  ::shutdown(sockets.ends[0], SHUT_WR);
  const std::int32_t end = answer_to(entries::recv(sockets.ends[1], into));

  EXPECT_EQ(sent, 4);
  EXPECT_EQ(came, 4);
  EXPECT_EQ(into[0], std::byte{'g'});
  EXPECT_EQ(end, 0);
}

TEST_F(UringOperationsTest, CloseCloses) {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);

  const std::int32_t first = answer_to(entries::close(file));
  const std::int32_t second = answer_to(entries::close(file));

  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, -EBADF);
}

TEST_F(UringOperationsTest, AWrongOrClosedDescriptorIsTheOperationsError) {
  const int closed = ::dup(0);
  ::close(closed);
  std::array<std::byte, 4> bytes{};
  sockaddr_in nowhere{};
  nowhere.sin_family = AF_INET;

  for (const int descriptor : {closed, -1, 1 << 28}) {
    SCOPED_TRACE(descriptor);
    EXPECT_EQ(answer_to(entries::read(descriptor, bytes)), -EBADF);
    EXPECT_EQ(answer_to(entries::write(descriptor, bytes)), -EBADF);
    EXPECT_EQ(answer_to(entries::fsync(descriptor)), -EBADF);
    EXPECT_EQ(answer_to(entries::poll(descriptor, POLLIN)), -EBADF);
    EXPECT_EQ(answer_to(entries::accept(descriptor)), -EBADF);
    EXPECT_EQ(answer_to(entries::connect(descriptor, &nowhere, sizeof nowhere)), -EBADF);
    EXPECT_EQ(answer_to(entries::recv(descriptor, bytes)), -EBADF);
    EXPECT_EQ(answer_to(entries::send(descriptor, bytes)), -EBADF);
    EXPECT_EQ(answer_to(entries::close(descriptor)), -EBADF);
    if (io_->ring().supports(codes::msg_ring)) {
      EXPECT_LT(answer_to(entries::msg_ring(descriptor, 10)), 0);
    }
  }
  EXPECT_EQ(answer_to(entries::nop()), 0) << "the ring no longer works";
}

TEST_F(UringOperationsTest, ALengthThatIsTooLongIsTheOperationsError) {
  const nameless_file file;
  std::byte one{};
  const std::size_t too_long = std::size_t{1} << 32U;

  EXPECT_EQ(answer_to(entries::read(file.descriptor(), {&one, too_long})), -EINVAL);
  EXPECT_EQ(answer_to(entries::write(file.descriptor(), {&one, too_long})), -EINVAL);
  EXPECT_EQ(answer_to(entries::recv(file.descriptor(), {&one, too_long})), -EINVAL);
  EXPECT_EQ(answer_to(entries::send(file.descriptor(), {&one, too_long})), -EINVAL);
}

TEST_F(UringOperationsTest, ABacklogBeyondTheRingIsAnsweredInFull) {
  std::vector<std::unique_ptr<kept_operation>> all;
  for (int count = 0; count != 5000; ++count) all.push_back(std::make_unique<kept_operation>(entries::nop()));

  for (auto& one : all) io_->queue(*one);
  for (int turns = 0; turns != 5000 && (io_->depth() != 0 || io_->in_flight() != 0); ++turns) {
    io_->park(io_->now(), io_->now() + duration{1'000'000});
  }

  for (const auto& one : all) ASSERT_EQ(one->answers, 1);
}

TEST_F(UringOperationsTest, StopAnswersWhatIsQueuedAndInFlight) {
  const pipe_ends ends;
  std::vector<std::unique_ptr<kept_operation>> all;
  for (int count = 0; count != 40; ++count)
    all.push_back(std::make_unique<kept_operation>(entries::poll(ends.reader(), POLLIN)));
  for (auto& one : all) io_->queue(*one);

  io_->stop();

  for (const auto& one : all) {
    ASSERT_EQ(one->answers, 1);
    EXPECT_EQ(one->result, -ECANCELED);
  }
}

}  // namespace
}  // namespace pinion::iosubmit::testing
