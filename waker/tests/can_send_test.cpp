// SPDX-License-Identifier: Apache-2.0
//
// msg_ring_calls::can_send(): it says what a real message shows, and takes no older kernel's answer for yes.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <pinion/waker/msg_ring_notifier.hpp>

#include "raw_ring.hpp"

namespace pinion::waker {
namespace {

// io_uring_register answers with that error from here on, whatever it is asked: a kernel that looks at the
// descriptor first says EBADF where there is none, one that looks at the operation first says EINVAL. False:
// no filter can be set.
bool let_registers_fail(unsigned error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_register, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = sizeof code / sizeof code[0], .filter = code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(can_send, TakesNoAnswerOfAnOlderKernelForYes) {
  constexpr int no_filter = 77, says_yes = 1;
  for (const int error : {EBADF, EBADFD, EINVAL, ENOSYS, EPERM}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!let_registers_fail(static_cast<unsigned>(error))) ::_exit(no_filter);
      ::_exit(msg_ring_calls::can_send() ? says_yes : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << error;
    if (WEXITSTATUS(status) == no_filter) GTEST_SKIP() << "this machine lets no program set a seccomp filter";
    EXPECT_EQ(WEXITSTATUS(status), 0) << "errno " << error;
  }
}

TEST(can_send, SaysWhetherAMessageArrives) {
  using pinion::testing::raw_ring;
  if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
  raw_ring ring;

  const int result = msg_ring_calls::send(ring.descriptor(), 7);

  EXPECT_EQ(msg_ring_calls::can_send(), result >= 0) << "send() says " << result;
  EXPECT_EQ(ring.reap([](const raw_ring::completion& c) { EXPECT_EQ(c.user_data, 7U); }),
            result >= 0 ? 1U : 0U);
}

}  // namespace
}  // namespace pinion::waker
