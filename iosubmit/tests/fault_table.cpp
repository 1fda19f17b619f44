// SPDX-License-Identifier: Apache-2.0
#include "fault_table.hpp"

#include <cerrno>

namespace pinion::iosubmit::testing {
namespace {

constexpr int oldest = 511, newest = 615;
constexpr int always = fake_kernel::always;

template <faulty Call, int Error>
void fail(fake_kernel& kernel, int times) {
  kernel.fails(Call, -Error, times);
}
template <faulty Call, int Error>
void fail_always(fake_kernel& kernel, int /*times*/) {
  kernel.fails(Call, -Error, always);
}
template <int Setting, int Error>
void forbid(fake_kernel& kernel, int /*times*/) {
  kernel.disabled_by_setting = Setting;
  kernel.fails(faulty::setup, -Error, always);
}
template <std::uint32_t Flag>
void forget(fake_kernel& kernel, int /*times*/) {
  kernel.forgets(Flag);
}
void nothing(fake_kernel& /*kernel*/, int /*times*/) {}

namespace flag = kernel::setup;
using enum outcome;

constexpr fault table[] = {
    // clang-format off
    {"setup", "ENOSYS", "no io_uring in the kernel, or a sandbox hides it", -ENOSYS, 0, 510, newest, refused, "sandbox", forbid<-1, ENOSYS>},
    {"setup", "EPERM", "kernel.io_uring_disabled is 2", -EPERM, 0, 606, newest, refused, "kernel.io_uring_disabled is 2", forbid<2, EPERM>},
    {"setup", "EPERM", "kernel.io_uring_disabled is 1, and the process is not in the group", -EPERM, 0, 606, newest, refused, "kernel.io_uring_disabled is 1", forbid<1, EPERM>},
    {"setup", "EPERM", "a seccomp profile", -EPERM, 0, 510, newest, refused, "seccomp", forbid<0, EPERM>},
    {"setup", "EACCES", "a security module", -EACCES, 0, 510, newest, refused, "security module", forbid<-1, EACCES>},
    {"setup", "ENOMEM", "locked memory, unless the process has CAP_IPC_LOCK; or the control group's", -ENOMEM, 0, 510, newest, refused, "RLIMIT_MEMLOCK", fail_always<faulty::setup, ENOMEM>},
    {"setup", "EMFILE", "too many descriptors in the process", -EMFILE, 0, 510, newest, refused, "RLIMIT_NOFILE", fail_always<faulty::setup, EMFILE>},
    {"setup", "ENFILE", "too many files on the machine", -ENFILE, 0, 510, newest, refused, "fs.file-max", fail_always<faulty::setup, ENFILE>},
    {"setup", "EINVAL", "to all flags", -EOPNOTSUPP, 0, 510, newest, refused, "older", fail_always<faulty::setup, EINVAL>},
    {"setup", "EINVAL", "to R_DISABLED (before 5.10)", -EOPNOTSUPP, 0, 510, newest, refused, "older", forget<flag::disabled>},
    {"setup", "EINVAL", "to NO_SQARRAY (before 6.6)", 0, flag::no_sq_array, oldest, newest, left_out, "", forget<flag::no_sq_array>},
    {"setup", "EINVAL", "to DEFER_TASKRUN (before 6.1)", 0, flag::defer_taskrun, oldest, newest, left_out, "", forget<flag::defer_taskrun>},
    {"setup", "EINVAL", "to SINGLE_ISSUER (before 6.0)", 0, flag::single_issuer, oldest, newest, left_out, "", forget<flag::single_issuer>},
    {"setup", "EINVAL", "to COOP_TASKRUN (before 5.19)", 0, flag::coop_taskrun, oldest, newest, left_out, "", forget<flag::coop_taskrun>},
    {"setup", "EINVAL", "to TASKRUN_FLAG (before 5.19)", 0, flag::taskrun_flag, oldest, newest, left_out, "", forget<flag::taskrun_flag>},
    {"setup", "EINVAL", "to SUBMIT_ALL (before 5.18)", 0, flag::submit_all, oldest, newest, left_out, "", forget<flag::submit_all>},
    {"setup", "EFAULT", "none that is known", -EFAULT, 0, 510, newest, refused, "has not met", fail_always<faulty::setup, EFAULT>},
    {"setup", "no FEAT_EXT_ARG", "Linux 5.10", -EOPNOTSUPP, 0, 510, 510, refused, "5.11", nothing},
    {"mmap", "ENOMEM", "locked memory, or the address space", -ENOMEM, 0, oldest, newest, refused, "RLIMIT_MEMLOCK", fail<faulty::map, ENOMEM>},
    {"mmap", "EAGAIN", "locked memory", -ENOMEM, 0, oldest, newest, refused, "RLIMIT_MEMLOCK", fail<faulty::map, EAGAIN>},
    {"mmap", "EPERM", "locked memory", -ENOMEM, 0, oldest, newest, refused, "RLIMIT_MEMLOCK", fail<faulty::map, EPERM>},
    {"mmap", "EACCES", "a sandbox", -EIO, 0, oldest, newest, refused, "sandbox", fail<faulty::map, EACCES>},
    {"register: probe", "EPERM", "a seccomp profile", -EPERM, 0, oldest, newest, refused, "seccomp", fail_always<faulty::probe, EPERM>},
    {"register: probe", "EINVAL", "the operation is not known", 0, 0, oldest, newest, without, "", fail_always<faulty::probe, EINVAL>},
    {"register: enable", "EPERM", "a seccomp profile", -EPERM, 0, oldest, newest, answered, "seccomp", fail<faulty::enable, EPERM>},
    {"register: enable", "EBADFD", "somebody else enabled the ring", -EBADFD, 0, oldest, newest, answered, "enable", fail<faulty::enable, EBADFD>},
    {"register: ring descriptor", "EINVAL", "before 5.18", 0, 0, oldest, newest, without, "", fail_always<faulty::add_descriptor, EINVAL>},
    {"register: ring descriptor", "EBUSY", "the thread has sixteen already", 0, 0, oldest, newest, without, "", fail_always<faulty::add_descriptor, EBUSY>},
    {"register: ring descriptor", "ENOMEM", "no memory", 0, 0, oldest, newest, without, "", fail_always<faulty::add_descriptor, ENOMEM>},
    {"register: buffer ring", "EINVAL", "more groups, or larger ones, than the kernel has room for", 0, 0, 600, newest, listed, "", fail_always<faulty::add_buffer_ring, EINVAL>},
    {"register: buffer ring", "ENOMEM", "locked memory, or the control group's", 0, 0, 600, newest, listed, "", fail_always<faulty::add_buffer_ring, ENOMEM>},
    {"register: buffer ring", "EPERM", "a seccomp profile was set after the ring was made", 0, 0, 600, newest, listed, "", fail_always<faulty::add_buffer_ring, EPERM>},
    {"register: buffer ring", "EEXIST", "another group has that number", 0, 0, 600, newest, renamed, "", fail<faulty::add_buffer_ring, EEXIST>},
    {"register: memory", "not asked", "before 5.18: it might wait for all that is in flight", 0, 0, oldest, 513, unpinned, "", nothing},
    {"register: memory", "ENOMEM", "locked memory, or the control group's", 0, 0, 518, newest, unpinned, "", fail_always<faulty::add_buffers, ENOMEM>},
    {"register: memory", "EFAULT", "more than 1 GiB", 0, 0, 518, newest, unpinned, "", fail_always<faulty::add_buffers, EFAULT>},
    {"register: memory", "EBUSY", "the ring has some already", 0, 0, 518, newest, unpinned, "", fail<faulty::add_buffers, EBUSY>},
    {"register: memory", "EPERM", "a seccomp profile was set after the ring was made", 0, 0, 518, newest, unpinned, "", fail_always<faulty::add_buffers, EPERM>},
    {"register: files", "not asked", "before 5.18: it might wait for all that is in flight", 0, 0, oldest, 513, placeless, "", nothing},
    {"register: files", "EMFILE", "more places than the process may have descriptors", 0, 0, 518, newest, placeless, "", fail_always<faulty::add_files, EMFILE>},
    {"register: files", "EBUSY", "the ring has a table already", 0, 0, 518, newest, placeless, "", fail<faulty::add_files, EBUSY>},
    {"register: files", "ENOMEM", "no memory", 0, 0, 518, newest, placeless, "", fail_always<faulty::add_files, ENOMEM>},
    {"register: files", "EPERM", "a seccomp profile was set after the ring was made", 0, 0, 518, newest, placeless, "", fail_always<faulty::add_files, EPERM>},
    {"register: one file", "EBADF", "the descriptor is closed, or is a ring's", 0, 0, 518, newest, placeless, "", fail<faulty::update_files, EBADF>},
    {"register: one file", "ENOMEM", "no memory", 0, 0, 518, newest, placeless, "", fail<faulty::update_files, ENOMEM>},
    {"recv, many times", "EINVAL", "before 6.0", 0, 0, oldest, 519, listed, "", nothing},
    {"accept, many times", "EINVAL", "before 5.19", 0, 0, oldest, 518, single, "", nothing},
    {"send_zc", "EINVAL", "before 6.0", 0, 0, oldest, 519, copied, "", nothing},
    {"send_zc", "EOPNOTSUPP", "a socket that can't send in place, such as a Unix socket", 0, 0, 600, newest, copied, "", fail<faulty::send_zc, EOPNOTSUPP>},
    {"send_zc", "ENOMEM", "locked memory, until what was sent before is acknowledged", 0, 0, 600, newest, copied, "", fail<faulty::send_zc, ENOMEM>},
    {"send_zc", "ENOBUFS", "memory that the socket may use for it", 0, 0, 600, newest, copied, "", fail<faulty::send_zc, ENOBUFS>},
    {"enter", "EINTR", "a signal", 0, 0, oldest, newest, kept, "", fail<faulty::enter, EINTR>},
    {"enter", "EAGAIN", "no memory for requests", 0, 0, oldest, newest, kept, "", fail<faulty::enter, EAGAIN>},
    {"enter", "EBUSY", "completions overflow", 0, 0, oldest, newest, kept, "", fail<faulty::enter, EBUSY>},
    {"enter", "ETIME", "the wait is over", 0, 0, oldest, newest, kept, "", fail<faulty::enter, ETIME>},
    {"enter", "fewer than asked", "no memory for all of them", 0, 0, oldest, newest, kept, "", [](fake_kernel& kernel, int) { kernel.takes_at_most(3); }, 64, &fake_kernel::saw_short_enter},
    {"enter", "ENOSYS", "a sandbox", -ENOSYS, 0, oldest, newest, answered, "sandbox", fail<faulty::enter, ENOSYS>},
    {"enter", "EPERM", "a seccomp profile was set after the ring was made", -EPERM, 0, oldest, newest, answered, "seccomp", fail<faulty::enter, EPERM>},
    {"enter", "EINVAL", "none of what was asked is known", -EINVAL, 0, oldest, newest, answered, "5.11", fail<faulty::enter, EINVAL>},
    {"enter", "EEXIST", "by another thread, and the descriptor is not registered", -EEXIST, 0, 600, newest, answered, "another thread", [](fake_kernel& kernel, int times) { kernel.fails(faulty::add_descriptor, -EBUSY, 1); kernel.is_entered_by_newcomer(times); }},
    {"enter", "EINVAL", "by another thread, which has no ring; the descriptor is registered", -EINVAL, 0, 518, newest, answered, "another thread", [](fake_kernel& kernel, int times) { kernel.is_entered_by_newcomer(times); }},
    {"enter", "EBADF", "by another thread, which has no ring at that place; the descriptor is registered", -EBADF, 0, 518, newest, answered, "another thread", [](fake_kernel& kernel, int times) { kernel.is_entered_by_neighbour(times); }},
    {"enter", "EBADFD", "the ring is not enabled", -EBADFD, 0, oldest, newest, answered, "enable", fail<faulty::enter, EBADFD>},
    {"enter", "EBADF", "somebody closed the descriptor", -EBADF, 0, oldest, newest, answered, "closed", fail<faulty::enter, EBADF>},
    {"enter", "EOPNOTSUPP", "the descriptor names something else by now", -EOPNOTSUPP, 0, oldest, newest, answered, "something else", fail<faulty::enter, EOPNOTSUPP>},
    {"enter", "EFAULT", "the memory is not mapped", -EFAULT, 0, oldest, newest, answered, "forked", fail<faulty::enter, EFAULT>},
    {"enter", "ENOMEM", "no memory for the thread's own state", -ENOMEM, 0, oldest, newest, answered, "memory.max", fail<faulty::enter, ENOMEM>},
    {"enter", "EOWNERDEAD", "the kernel's thread is dead", -EOWNERDEAD, 0, oldest, newest, answered, "dead", fail<faulty::enter, EOWNERDEAD>},
    {"enter", "CQ_OVERFLOW", "more completions than fit", 0, 0, oldest, newest, fetched, "", nothing, 8, &fake_kernel::saw_overflow},
    {"enter", "TASKRUN", "completions wait for an enter", 0, 0, oldest, newest, fetched, "", [](fake_kernel& kernel, int) { kernel.keeps_completions_back(); }, 64, &fake_kernel::saw_kept_back},
    {"enter", "EBADR", "no memory for completions that overflow", -EBADR, 0, oldest, newest, lost, "dropped", [](fake_kernel& kernel, int) { kernel.has_no_memory_for_overflow(); }, 8},
    // clang-format on
};

constexpr epoll_fault epoll_table[] = {
    // clang-format off
    {"epoll_create1", "EMFILE", "too many descriptors in the process", &failing_calls::opening, -EMFILE, epoll_outcome::refused, 0, "", "RLIMIT_NOFILE"},
    {"epoll_create1", "ENFILE", "too many files on the machine", &failing_calls::opening, -ENFILE, epoll_outcome::refused, 0, "", "fs.file-max"},
    {"epoll_create1", "ENOMEM", "no memory", &failing_calls::opening, -ENOMEM, epoll_outcome::refused, 0, "", "memory.max"},
    {"epoll_create1", "ENOSYS", "a sandbox", &failing_calls::opening, -ENOSYS, epoll_outcome::refused, 0, "", "sandbox"},
    {"epoll_create1", "EPERM", "a seccomp profile", &failing_calls::opening, -EPERM, epoll_outcome::refused, 0, "", "sandbox"},
    {"epoll_ctl: add", "ENOSPC", "the user watches as many as may be (fs.epoll.max_user_watches)", &failing_calls::adding, -ENOSPC, epoll_outcome::of_its_own, -ENOSPC, "ENOSPC", ""},
    {"epoll_ctl: add", "ENOMEM", "no memory", &failing_calls::adding, -ENOMEM, epoll_outcome::of_its_own, -ENOMEM, "ENOMEM", ""},
    {"epoll_ctl: add", "EPERM", "a file of a kind that has no readiness", &failing_calls::adding, -EPERM, epoll_outcome::of_its_own, -EOPNOTSUPP, "EOPNOTSUPP", ""},
    {"epoll_ctl: modify", "ENOENT", "the descriptor was closed behind the ring's back", &failing_calls::modifying, -ENOENT, epoll_outcome::of_before, -EBADF, "EBADF", ""},
    {"epoll_pwait2", "ENOSYS", "before Linux 5.11", &failing_calls::waiting, -ENOSYS, epoll_outcome::coarsely, 0, "", ""},
    {"epoll_pwait2", "EPERM", "a sandbox that doesn't know it", &failing_calls::waiting, -EPERM, epoll_outcome::coarsely, 0, "", ""},
    {"epoll_pwait2", "EINTR", "a signal", &failing_calls::waiting, -EINTR, epoll_outcome::kept, 0, "", ""},
    {"epoll_pwait2", "EBADF", "somebody closed the epoll", &failing_calls::waiting, -EBADF, epoll_outcome::of_all, -EBADF, "EBADF", "closed"},
    // clang-format on
};

const char* words_of(outcome then) {
  switch (then) {
  case refused: return "no ring; the refusal says cause and remedy";
  case left_out: return "the flag is left out; `features()` says so";
  case without: return "goes without it";
  case kept: return "what is queued is kept, and tried again";
  case answered: return "what is queued is answered with the error, which is reported";
  case fetched:
    return "fetched by an enter in the same turn, as far as the queue has room; the rest with the next turns";
  case lost: return "reported; `lost()` counts them; all others are answered";
  case single: return "an `acceptor` asks for each connection by an entry of its own";
  case listed:
    return "a `buffer_group` keeps its buffers in the program: a `receiver` polls and receives for each part";
  case renamed: return "a `buffer_group` takes another number";
  case copied: return "`send_zc()` copies, as `entries::send` does";
  case unpinned: return "a `registered_memory` reads and writes as any other";
  case placeless: return "a `registered_file` goes by its descriptor";
  }
  return "";
}

std::string words_of(const epoll_fault& row) {
  const std::string result = row.result_name;
  switch (row.then) {
  case epoll_outcome::refused: return words_of(outcome::refused);
  case epoll_outcome::of_its_own: return "what wanted to wait for that descriptor is answered with " + result;
  case epoll_outcome::of_before: return "what waited for it is answered with " + result;
  case epoll_outcome::coarsely: return "epoll_wait serves, in whole milliseconds, rounded up";
  case epoll_outcome::kept: return "what is queued or waits is kept";
  case epoll_outcome::of_all: return "all that waited is answered with " + result + ", which is reported";
  }
  return "";
}

std::string version(int level) { return std::to_string(level / 100) + '.' + std::to_string(level % 100); }

}  // namespace

std::span<const fault> fault_table() { return table; }
std::span<const epoll_fault> epoll_fault_table() { return epoll_table; }

std::string rendered_faults() {
  std::string text = "# What goes wrong with a ring, and what becomes of it\n\n"
                     "Each row is tested on each of these kernels that it is met on, by a ring whose system "
                     "calls are scripted: ";
  for (const int level : fake_kernel::levels) {
    if (level != fake_kernel::levels.front()) text += ", ";
    text += version(level);
  }
  text +=
      ".\nIn each of them every operation is answered once; only what the kernel itself lost is not. This "
      "page is written by the "
      "tests,\nwhich fail where it differs from the table they run (`iosubmit/tests/fault_table.cpp`).\n\n"
      "| call | answer | why | kernels | what becomes of it | the message says "
      "|\n|---|---|---|---|---|---|\n";
  for (const fault& row : table) {
    text += std::string{"| "} + row.call + " | " + row.answer + " | " + row.when + " | " + version(row.from) +
            (row.from == row.until ? "" : " to " + version(row.until)) + " | " + words_of(row.then) + " | " +
            row.says + " |\n";
  }
  text += "\n## And with an epoll\n\n"
          "The calls of an `epoll_ring`, which serves where there is no io_uring; on kernels of any age.\n\n"
          "| call | answer | why | what becomes of it | the message says |\n|---|---|---|---|---|\n";
  for (const epoll_fault& row : epoll_table) {
    text += std::string{"| "} + row.call + " | " + row.answer + " | " + row.when + " | " + words_of(row) +
            " | " + row.says + " |\n";
  }
  return text;
}

}  // namespace pinion::iosubmit::testing
