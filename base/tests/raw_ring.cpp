// SPDX-License-Identifier: Apache-2.0
#include "raw_ring.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <pinion/base/kernel.hpp>
#include <system_error>
#include <utility>

namespace pinion::testing {
namespace {

int set_up(std::uint32_t entries, kernel::setup_parameters& parameters) noexcept {
  return static_cast<int>(::syscall(SYS_io_uring_setup, entries, &parameters));
}

void* map(int descriptor, std::size_t bytes, std::uint64_t region) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor,
                          static_cast<off_t>(region));
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap of a ring");
  return at;
}

// Memory ordering of the words that are shared with the kernel: what it writes is acquired before what it
// describes is read, what we write is released after it was filled in.
std::uint32_t acquired(std::uint32_t* word) noexcept {
  return std::atomic_ref{*word}.load(std::memory_order_acquire);
}
void release(std::uint32_t* word, std::uint32_t value) noexcept {
  std::atomic_ref{*word}.store(value, std::memory_order_release);
}

}  // namespace

const std::string& raw_ring::refusal() {
  static const std::string why = [] {
    kernel::setup_parameters parameters{};
    const int descriptor = set_up(1, parameters);
    if (descriptor < 0) return std::string{"this machine makes no io_uring: "} + std::strerror(errno);
    ::close(descriptor);
    return std::string{};
  }();
  return why;
}

raw_ring::raw_ring(std::uint32_t flags) : setup_(flags) {
  kernel::setup_parameters parameters{};
  parameters.flags = flags;
  descriptor_ = set_up(entries, parameters);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "io_uring_setup");
  rings_bytes_ = std::max<std::size_t>(
      parameters.submission.array + parameters.submission_entries * sizeof(std::uint32_t),
      parameters.completion.completions + parameters.completion_entries * sizeof(completion));
  rings_ = map(descriptor_, rings_bytes_, kernel::region::rings);
  submissions_ =
      static_cast<ring_entry*>(map(descriptor_, entries * sizeof(ring_entry), kernel::region::entries));
  submitted_ = at<std::uint32_t>(parameters.submission.head);
  queued_ = at<std::uint32_t>(parameters.submission.tail);
  order_ = at<std::uint32_t>(parameters.submission.array);
  flags_ = at<std::uint32_t>(parameters.submission.flags);
  reaped_ = at<std::uint32_t>(parameters.completion.head);
  completed_ = at<std::uint32_t>(parameters.completion.tail);
  completion_mask_ = parameters.completion_entries - 1;
  completions_ = at<completion>(parameters.completion.completions);
}

raw_ring::~raw_ring() {
  reap();
  for (ring_answer* const answer : answers_) {
    if (answer != nullptr) answer->answered(*answer, -ECANCELED);
  }
  ::munmap(submissions_, entries * sizeof(ring_entry));
  ::munmap(rings_, rings_bytes_);
  close();
}

void raw_ring::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool raw_ring::put(const ring_entry& entry) noexcept {
  const std::uint32_t tail = *queued_;
  if (tail - acquired(submitted_) == entries) submit();
  if (tail - acquired(submitted_) == entries) return false;
  submissions_[tail % entries] = entry;
  order_[tail % entries] = tail % entries;
  release(queued_, tail + 1);
  return true;
}

bool raw_ring::queue(const ring_entry& entry, ring_answer& answer) noexcept {
  const auto place = std::find(answers_.begin(), answers_.end(), nullptr);
  if (place == answers_.end()) return false;
  ring_entry marked = entry;
  marked.user_data = answer_mark | static_cast<std::uint64_t>(place - answers_.begin());
  if (!put(marked)) return false;
  *place = &answer;
  return true;
}

int raw_ring::enable() noexcept {
  return ::syscall(SYS_io_uring_register, descriptor_, kernel::registration::enable, nullptr, 0) < 0 ? -errno
                                                                                                     : 0;
}

int raw_ring::enter(unsigned wait_for, instant until) noexcept {
  const kernel_time limit = kernel_time::of(until - monotonic_clock::now());
  kernel::wait_argument wanted;
  wanted.timeout = until == never ? 0 : reinterpret_cast<std::uintptr_t>(&limit);
  const std::uint32_t to_submit = *queued_ - acquired(submitted_);
  const long result =
      ::syscall(SYS_io_uring_enter, descriptor_, to_submit, wait_for,
                kernel::enter::get_events | kernel::enter::wait_argument, &wanted, sizeof wanted);
  return result < 0 ? -errno : static_cast<int>(result);
}

bool raw_ring::has_completions() const noexcept { return *reaped_ != acquired(completed_); }

int raw_ring::wait(instant until) noexcept {
  const int result = enter(has_completions() ? 0 : 1, until);
  return result < 0 ? result : 0;
}

bool raw_ring::take(completion& next) noexcept {
  const std::uint32_t head = *reaped_;
  if (head == acquired(completed_)) return false;
  next = completions_[head & completion_mask_];
  release(reaped_, head + 1);
  return true;
}

bool raw_ring::answer(const completion& of) noexcept {
  if ((of.user_data & answer_mark) == 0) return false;
  ring_answer* const who = std::exchange(answers_[of.user_data & ~answer_mark], nullptr);
  who->answered(*who, of.result);
  return true;
}

raw_ring& ring_of_this_thread() {
  static thread_local std::optional<raw_ring> ring;
  if (!ring) ring.emplace();
  return *ring;
}

}  // namespace pinion::testing
