// SPDX-License-Identifier: Apache-2.0
#include "fake_kernel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <numeric>
#include <pinion/iosubmit/entries.hpp>
#include <stdexcept>
#include <utility>

namespace pinion::iosubmit::testing {
namespace {

fake_kernel* installed = nullptr;

// Their addresses name threads: of the one that calls, and of two that are made up.
thread_local const char itself = 0;
const char somebody_new = 0, somebody_else = 0;

struct since {
  std::uint32_t what;
  int level;
};

// When Linux learnt what.
constexpr since setup_flags[] = {
    {1U << 3, 505}, {1U << 4, 506},  {1U << 6, 510},  {1U << 7, 518},  {1U << 8, 519},
    {1U << 9, 519}, {1U << 12, 600}, {1U << 13, 601}, {1U << 16, 606},
};
constexpr since features[] = {
    {1U << 0, 504}, {1U << 1, 505}, {1U << 8, 511}, {1U << 15, 612}, {1U << 17, 615}};
constexpr since enter_flags[] = {{1U << 0, 501}, {1U << 3, 511}, {1U << 4, 518}, {1U << 7, 615}};
constexpr since last_operation[] = {{33, 508}, {36, 511}, {39, 515}, {40, 518},
                                    {46, 519}, {47, 600}, {48, 601}};

template <std::size_t Count>
std::uint32_t known(const since (&all)[Count], int level) {
  std::uint32_t mask = 0;
  for (const since& one : all) {
    if (one.level <= level) mask |= one.what;
  }
  return mask;
}

std::uint8_t last_known(int level) {
  std::uint32_t last = 0;
  for (const since& one : last_operation) {
    if (one.level <= level) last = one.what;
  }
  return static_cast<std::uint8_t>(last);
}

// The words, as the kernel lays them out, and the completions behind them.
constexpr kernel::submission_offsets submission_words{0, 4, 16, 24, 36, 32, 0, 0, 0};
constexpr kernel::completion_offsets completion_words{8, 12, 20, 28, 44, 64, 40, 0, 0};

constexpr std::uint32_t deferred = 1U << 13, one_issuer = 1U << 12, disabled = 1U << 6, no_array = 1U << 16;
constexpr std::uint32_t fetches = 1, overflowed = 1U << 1, has_work = 1U << 2;

}  // namespace

fake_kernel::fake_kernel(int level) : level_(level) {
  installed = this;
  rings_of_[&somebody_else][1] = descriptor + 1;
}
fake_kernel::~fake_kernel() { installed = nullptr; }
fake_kernel& fake_kernel::current() {
  if (installed == nullptr) throw std::logic_error("a call reached no fake_kernel: make one first");
  return *installed;
}

int fake_kernel::injected(faulty call) noexcept {
  fault& one = faults_[static_cast<std::size_t>(call)];
  if (one.times == 0) return 0;
  if (one.times != always) --one.times;
  ++met_[static_cast<std::size_t>(call)];
  return one.error;
}

int fake_kernel::times_met() const noexcept { return std::accumulate(met_.begin(), met_.end(), 0); }
int fake_kernel::times_left() const noexcept {
  int left = 0;
  for (const fault& one : faults_) left += one.times == always ? 0 : one.times;
  return left;
}

caller fake_kernel::who_calls() noexcept {
  switch (injected(faulty::caller)) {
  case newcomer: return &somebody_new;
  case neighbour: return &somebody_else;
  default: return &itself;
  }
}

// The ring that a thread means, or why it means none.
int fake_kernel::named(int ring, bool by_place, caller by) const {
  if (!by_place) return ring;
  const auto of_thread = rings_of_.find(by);
  if (of_thread == rings_of_.end() || static_cast<std::uint32_t>(ring) >= places) return -EINVAL;
  const auto at = of_thread->second.find(static_cast<std::uint32_t>(ring));
  return at == of_thread->second.end() ? -EBADF : at->second;
}

bool fake_kernel::defers() const noexcept { return keeps_back_ || (made_.flags & deferred) != 0; }

std::uint32_t& fake_kernel::word(std::uint32_t offset) noexcept {
  return reinterpret_cast<std::uint32_t*>(queues_.data())[offset / 4];
}

int fake_kernel::setup(std::uint32_t entries, kernel::setup_parameters& parameters) {
  ++setups;
  if (const int error = injected(faulty::setup); error != 0) return error;
  const std::uint32_t flags = parameters.flags;
  if ((flags & ~known(setup_flags, level_)) != 0 || (flags & forgotten_) != 0) return -EINVAL;
  if ((flags & deferred) != 0 && (flags & one_issuer) == 0) return -EINVAL;
  if ((flags & (1U << 9)) != 0 && (flags & (deferred | 1U << 8)) == 0) return -EINVAL;
  if (entries == 0) return -EINVAL;
  made_ = parameters;
  made_.submission_entries = std::bit_ceil(std::min(entries, 32768U));
  made_.completion_entries =
      (flags & 1U << 3) != 0 ? std::bit_ceil(parameters.completion_entries) : made_.submission_entries * 2;
  if (made_.completion_entries < made_.submission_entries) return -EINVAL;
  made_.features = known(features, level_);
  made_.submission = submission_words;
  made_.completion = completion_words;
  const std::uint32_t behind = 64 + made_.completion_entries * 16;
  if ((flags & no_array) == 0) made_.submission.array = behind;
  queues_.assign((behind + made_.submission_entries * 4 + 7) / 8, 0);
  entries_.assign(made_.submission_entries, ring_entry{});
  is_enabled_ = (flags & disabled) == 0;
  parameters = made_;
  ++rings;
  return descriptor;
}

int fake_kernel::map(int ring, std::size_t bytes, std::uint64_t region, void*& at) {
  at = nullptr;
  if (const int error = injected(faulty::map); error != 0) return error;
  if (ring != descriptor) return -EBADF;
  const bool is_entries = region == kernel::region::entries;
  const std::size_t there = is_entries ? entries_.size() * sizeof(ring_entry) : queues_.size() * 8;
  if (bytes > there) return -EINVAL;
  at = is_entries ? static_cast<void*>(entries_.data()) : static_cast<void*>(queues_.data());
  ++mappings;
  return 0;
}

void fake_kernel::unmap(void* /*at*/, std::size_t /*bytes*/) { --mappings; }
void fake_kernel::close(int ring) {
  if (ring == descriptor) --rings;
}

int fake_kernel::enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) {
  if (ring != descriptor) return -EBADF;
  switch (what) {
  case kernel::registration::probe: {
    if (const int error = injected(faulty::probe); error != 0) return error;
    auto& all = *static_cast<kernel::probe*>(argument);
    all.last = last_known(level_);
    all.count = static_cast<std::uint8_t>(std::min<std::uint32_t>(all.last + 1U, count));
    for (std::uint8_t code = 0; code != all.count; ++code)
      all.operations[code] = {
          .code = code, .reserved = 0, .flags = kernel::probe::supported, .reserved_too = 0};
    return 0;
  }
  case kernel::registration::enable:
    if (const int error = injected(faulty::enable); error != 0) return error;
    if (is_enabled_) return -EBADFD;
    is_enabled_ = true;
    owner_ = &itself;
    return 0;
  case kernel::registration::add_ring_descriptors: {
    if (const int error = injected(faulty::add_descriptor); error != 0) return error;
    if (level_ < 518) return -EINVAL;
    auto& mine = rings_of_[&itself];
    std::uint32_t place = 0;
    while (mine.contains(place)) ++place;
    if (place == places) return -EBUSY;
    mine[place] = ring;
    static_cast<kernel::descriptor_update*>(argument)->place = place;
    ++registered;
    return 1;
  }
  case kernel::registration::drop_ring_descriptors:
    if (level_ < 518) return -EINVAL;
    if (rings_of_[&itself].erase(static_cast<kernel::descriptor_update*>(argument)->place) == 0)
      return -EINVAL;
    --registered;
    return 1;
  case kernel::registration::add_buffer_ring:
    if (const int error = injected(faulty::add_buffer_ring); error != 0) return error;
    if (level_ < 519) return -EINVAL;
    ++buffer_rings;
    return 0;
  case kernel::registration::drop_buffer_ring:
    if (buffer_rings == 0) return -EINVAL;
    --buffer_rings;
    return 0;
  default: return enlist_files_or_memory(what, argument, count);
  }
}

int fake_kernel::enlist_files_or_memory(std::uint32_t what, void* argument, std::uint32_t count) {
  switch (what) {
  case kernel::registration::add_buffers:
    if (const int error = injected(faulty::add_buffers); error != 0) return error;
    return std::exchange(pinned, 1) != 0 ? -EBUSY : 0;
  case kernel::registration::drop_buffers: return std::exchange(pinned, 0) != 0 ? 0 : -ENXIO;
  case kernel::registration::add_files: {
    if (const int error = injected(faulty::add_files); error != 0) return error;
    if (!files.empty()) return -EBUSY;
    const auto* const all = static_cast<const int*>(argument);
    files.assign(all, all + count);
    return 0;
  }
  case kernel::registration::drop_files:
    if (files.empty()) return -ENXIO;
    files.clear();
    return 0;
  case kernel::registration::update_files: {
    if (const int error = injected(faulty::update_files); error != 0) return error;
    const auto& asked = *static_cast<const kernel::descriptor_update*>(argument);
    if (asked.place >= files.size()) return -EINVAL;
    files[asked.place] = *reinterpret_cast<const int*>(asked.descriptor);
    return 1;
  }
  default: return -EINVAL;
  }
}

int fake_kernel::enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                       const kernel::wait_argument* argument) {
  ++enters;
  const bool by_place = (flags & 1U << 4) != 0;
  if ((flags & ~known(enter_flags, level_)) != 0) return -EINVAL;
  const caller by = who_calls();
  if (const int meant = named(ring, by_place, by); meant != descriptor) return meant < 0 ? meant : -EBADF;
  if (!is_enabled_) return -EBADFD;
  if ((made_.flags & one_issuer) != 0 && owner_ != by) return -EEXIST;
  if (const int error = injected(faulty::enter); error != 0) return error;
  saw_registered_enter |= by_place;
  saw_no_iowait |= (flags & 1U << 7) != 0;

  const std::uint32_t taken = take(std::min(submit, most_));
  const bool is_short = taken != submit;
  saw_short_enter |= is_short;
  most_ = std::numeric_limits<std::uint32_t>::max();
  if ((flags & fetches) == 0 || is_short) return static_cast<int>(taken);

  fetch();
  last_wait_for = wait_for;
  int result = 0;
  if (wait_for != 0) {
    ++waits;
    if (argument != nullptr) {
      saw_min_wait |= argument->min_wait_us != 0;
      saw_timeout |= argument->timeout != 0;
      if (argument->min_wait_us != 0 && level_ < 612) result = -EINVAL;
    }
    if (posted() < wait_for && result == 0) {
      if (!holds_) end_what_is_held(0);
      fetch();
      if (posted() == 0) result = -ETIME;
    }
  }
  if (taken != 0) return static_cast<int>(taken);
  return std::exchange(has_dropped_, false) ? -EBADR : result;
}

std::uint32_t fake_kernel::take(std::uint32_t submit) {
  std::uint32_t& head = word(submission_words.head);
  const std::uint32_t tail = std::atomic_ref{word(submission_words.tail)}.load(std::memory_order_acquire);
  const std::uint32_t there = std::min(submit, tail - head);
  const std::uint32_t mask = made_.submission_entries - 1;
  for (std::uint32_t count = 0; count != there; ++count) {
    const std::uint32_t at = head & mask;
    const bool has_array = (made_.flags & no_array) == 0;
    run(entries_[has_array ? word(made_.submission.array + at * 4) : at]);
    ++head;
  }
  return there;
}

void fake_kernel::run(const ring_entry& entry) {
  const auto answer = [&](std::int32_t result) { complete({entry.user_data, result, 0}); };
  entries_taken.push_back(entry);
  if (entry.operation > last_known(level_)) return answer(-EINVAL);
  if (entry.operation == codes::accept && entry.priority != 0 && level_ < 519) return answer(-EINVAL);
  if (entry.operation == codes::recv && entry.priority != 0 && level_ < 600) return answer(-EINVAL);
  if (entry.operation == codes::close) {
    if (const int error = injected(faulty::close); error != 0) return answer(error);
  }
  if (entry.operation == codes::send_zc) {
    if (const int error = injected(faulty::send_zc); error != 0) return answer(error);
    complete({entry.user_data, static_cast<std::int32_t>(entry.length), ring_completion::more});
    return complete({entry.user_data, 0, kernel::completion_flag::notification});
  }
  if (entry.operation == codes::nop) return answer(0);
  if (entry.operation != codes::cancel) return held_.push_back(entry);
  if (entry.operation_flags != 0) {
    if (level_ < 519) return answer(-EINVAL);
    const auto count = static_cast<std::int32_t>(held_.size());
    end_what_is_held(-ECANCELED);
    return answer(count);
  }
  const auto found = std::find_if(held_.begin(), held_.end(),
                                  [&](const ring_entry& one) { return one.user_data == entry.address; });
  if (found == held_.end()) return answer(-ENOENT);
  complete({found->user_data, -ECANCELED, 0});
  held_.erase(found);
  answer(0);
}

void fake_kernel::end_what_is_held(std::int32_t result) {
  for (const ring_entry& one : std::exchange(held_, {})) complete({one.user_data, result, 0});
}

void fake_kernel::complete(const ring_completion& one) {
  if (!defers()) return post(one);
  kept_back_.push_back(one);
  saw_kept_back = true;
  word(submission_words.flags) |= has_work;
}

std::uint32_t fake_kernel::posted() noexcept {
  const std::uint32_t head = std::atomic_ref{word(completion_words.head)}.load(std::memory_order_acquire);
  return word(completion_words.tail) - head;
}

void fake_kernel::post(const ring_completion& one) {
  if (posted() == made_.completion_entries || !overflow_.empty()) {
    if (drops_) {
      has_dropped_ = true;
      ++word(completion_words.overflow);
      return;
    }
    overflow_.push_back(one);
    saw_overflow = true;
    word(submission_words.flags) |= overflowed;
    return;
  }
  std::uint32_t& tail = word(completion_words.tail);
  auto* const completions = reinterpret_cast<ring_completion*>(&word(completion_words.completions));
  completions[tail & (made_.completion_entries - 1)] = one;
  std::atomic_ref{tail}.store(tail + 1, std::memory_order_release);
}

void fake_kernel::fetch() {
  std::deque<ring_completion> waiting = std::exchange(overflow_, {});
  for (const ring_completion& one : std::exchange(kept_back_, {})) waiting.push_back(one);
  word(submission_words.flags) &= ~(overflowed | has_work);
  for (const ring_completion& one : waiting) post(one);
}

}  // namespace pinion::iosubmit::testing
