// SPDX-License-Identifier: Apache-2.0
//
// What only the real kernel's ring can be asked for, or answers so: a file at an offset, messages between
// rings, and poll's own bits. What all rings serve is in ring_operations_test.cpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <pinion/iosubmit.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "asked.hpp"
#include "uring_testing.hpp"

namespace pinion::iosubmit::testing {
namespace {

using real_submission = submission<batch_or_idle, uring_ring>;

class UringOperationsTest : public on_real_rings {
 protected:
  static std::int32_t answer_to(real_submission& io, const ring_entry& what) {
    asked one{what};
    io.queue(one);
    return result_of(io, one);
  }
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

TEST_F(UringOperationsTest, WriteReadAndFsyncReachAFileAtAnOffset) {
  real_submission io{uring_ring{{.entries = 8}}};
  const nameless_file file;
  received into;

  const std::int32_t written = answer_to(io, entries::write(file.descriptor(), bytes_of("gear"), 3));
  const std::int32_t synced =
      answer_to(io, entries::fsync(file.descriptor(), entries::synced::contents_only));
  const std::int32_t read = answer_to(io, entries::read(file.descriptor(), into.room(), 4));

  EXPECT_EQ(written, 4);
  EXPECT_EQ(synced, 0);
  EXPECT_EQ(into.text(read), "ear");
}

TEST_F(UringOperationsTest, FilesAreOpenedAndAskedByNameAndByDescriptor) {
  real_submission io{uring_ring{{.entries = 8}}};
  struct ::statx told{};

  const std::int32_t opened = answer_to(io, entries::openat("/proc/self/status", O_RDONLY | O_CLOEXEC));
  const std::int32_t named = answer_to(io, entries::statx("/", told, STATX_TYPE));
  const bool is_directory = S_ISDIR(told.stx_mode);
  const std::int32_t by_descriptor =
      answer_to(io, entries::statx("", told, STATX_TYPE, AT_EMPTY_PATH, opened));

  ASSERT_GE(opened, 0);
  EXPECT_EQ(::fcntl(opened, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(answer_to(io, entries::openat("status", O_RDONLY, 0, opened)), -ENOTDIR);
  EXPECT_EQ(answer_to(io, entries::close(opened)), 0);
  EXPECT_EQ(named, 0);
  EXPECT_TRUE(is_directory);
  EXPECT_EQ(by_descriptor, 0);
  EXPECT_TRUE(S_ISREG(told.stx_mode));
}

TEST_F(UringOperationsTest, PollAnswersWithTheEventsThatAreThere) {
  real_submission io{uring_ring{{.entries = 8}}};
  const pipe_ends ends;
  ends.write_a_byte();

  EXPECT_EQ(answer_to(io, entries::poll(ends.reader(), POLLIN | POLLPRI)), POLLIN);
}

TEST_F(UringOperationsTest, MsgRingReachesAnotherSubmission) {
  real_submission io{uring_ring{{.entries = 8}}}, other{uring_ring{{}}};
  if (!io.ring().supports(codes::msg_ring)) GTEST_SKIP() << "this kernel has no msg_ring (Linux 5.18)";
  std::vector<ring_completion> heard;
  const auto mark = other.add_sink({.function =
                                        [](void* context, const ring_completion& one) noexcept {
                                          static_cast<std::vector<ring_completion>*>(context)->push_back(one);
                                        },
                                    .context = &heard});
  ASSERT_TRUE(mark.has_value());
  EXPECT_TRUE(other.own());  // enables the ring, which else takes no message

  const std::int32_t sent = answer_to(io, entries::msg_ring(other.descriptor(), 8U + *mark, 77));
  other.park(other.now() + patience);

  EXPECT_EQ(sent, 0);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].user_data, 8U + *mark);
  EXPECT_EQ(heard[0].result, 77);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
