// SPDX-License-Identifier: Apache-2.0
//
// What an epoll_ring does with an entry, from the enter that takes it until its completion.
#include <algorithm>
#include <array>
#include <cerrno>
#include <pinion/base/assert.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <pinion/iosubmit/ring/epoll_ring.hpp>
#include <string>
#include <utility>
#include <vector>

#include "causes.hpp"
#include "epoll_slots.hpp"
#include "epoll_terms.hpp"

namespace pinion::iosubmit::inline PINION_MODE {
namespace {

using namespace epoll_detail;

constexpr std::uint32_t none = no_index;
constexpr std::int32_t not_yet = epoll_calls::not_yet;

cause cause_of(int error) {
  if (auto known = cause_of_no_descriptor(error, uring_calls::descriptor_limit())) return *std::move(known);
  if (error == -ENOMEM)
    return {.why = "the kernel has no memory for it",
            .remedy = "free memory, or raise the limit of the control group (memory.max)"};
  return {.why = "a sandbox forbids it",
          .remedy = "allow epoll_create1, epoll_ctl and epoll_wait in the sandbox"};
}

refusal refusal_of_open(int error, const epoll_ring_options& options) {
  return refused_by("epoll_create1", error,
                    "an epoll_ring of " + std::to_string(options.entries) + " entries and " +
                        std::to_string(options.in_flight) + " in flight",
                    cause_of(error));
}

}  // namespace

class epoll_ring::state {
 public:
  // The descriptor comes last: nobody would close it if there were no memory for the rest.
  state(const epoll_ring_options& options, const epoll_calls& calls)
      : calls_(&calls), room_(std::max(1U, options.entries)), queue_(room_), slots_(options.in_flight),
        epoll_(calls.open()) {}
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    if (epoll_ >= 0) calls_->close(epoll_);
  }

  // 0, or why there is no epoll.
  [[nodiscard]] int error() const noexcept { return std::min(epoll_, 0); }
  [[nodiscard]] std::uint32_t room() const noexcept { return room_ - pending_; }
  [[nodiscard]] std::uint32_t pending() const noexcept { return pending_; }
  [[nodiscard]] std::uint32_t answered() const noexcept { return slots_.answered(); }
  [[nodiscard]] bool wants_enter() const noexcept { return slots_.watched() != 0 || slots_.has_deadlines(); }

  void put(const ring_entry& entry) noexcept {
    PINION_ASSERT(pending_ != room_, "an entry was put into a ring that has no room: enter it first");
    queue_[(begin_ + pending_++) % room_] = entry;
  }
  ring_entry take_entry() noexcept {
    const ring_entry entry = queue_[begin_];
    begin_ = (begin_ + 1) % room_;
    --pending_;
    return entry;
  }
  ring_completion take_completion() noexcept { return slots_.pop(); }

  ring_entered enter(const ring_wait& wait) noexcept {
    ring_entered done;
    while (!wait.keeps_pending && pending_ != 0) {
      const std::uint32_t slot = slots_.take();
      if (slot == none) {
        done.error = -EAGAIN;
        break;
      }
      slots_[slot].entry = take_entry();
      ++done.accepted;
      perform(slot);
    }
    if (!wait.fetches && wait.count == 0) return done;
    const std::int32_t error = await_completions(done.error == 0 ? wait : ring_wait{});
    if (done.error == 0) done.error = error;
    return done;
  }

 private:
  void perform(std::uint32_t at) noexcept {
    const ring_entry& entry = slots_[at].entry;
    const std::int32_t refusal = refusal_of(entry);
    if (refusal != 0) return slots_.answer(at, refusal);
    switch (entry.operation) {
    case codes::nop: return slots_.answer(at, 0);
    case codes::cancel: return slots_.answer(at, cancel(entry));
    case codes::timeout: return slots_.wait_until(at, deadline_of(entry, monotonic_clock::now()));
    case codes::close:
      if (slots_.finish_all_of(entry.descriptor, -ECANCELED) != 0) {
        calls_->watch(epoll_, watch_change::forget, entry.descriptor, 0);
      }
      return slots_.answer(at, calls_->attempt(entry, false));
    default: return start(at);
    }
  }

  void start(std::uint32_t at) noexcept {
    auto& one = slots_[at];
    one.is_edge = stays(one.entry);
    if (!is_behind_another(one.entry)) {
      const std::int32_t result = attempt(one);
      if (result != not_yet && (result < 0 || !one.is_edge)) return slots_.answer(at, result);
    }
    slots_.wait_for_descriptor(at);
    watch(one.entry.descriptor, at);
  }

  // Whether it has to leave the descriptor to one that waits already.
  [[nodiscard]] bool is_behind_another(const ring_entry& entry) const noexcept {
    if (entry.operation == codes::poll) return false;
    for (std::uint32_t k = slots_.first_of(entry.descriptor); k != none; k = slots_.next_of(k)) {
      const ring_entry& other = slots_[k].entry;
      if (other.operation != codes::poll && puts(other) == puts(entry)) return true;
    }
    return false;
  }

  [[nodiscard]] std::int32_t attempt(slot& one) const noexcept {
    return calls_->attempt(one.entry, std::exchange(one.was_tried, true));
  }

  // Watches for what those on a descriptor wait for. All but the newest were watched for; if they aren't any
  // more, the file that they wait for is closed, and the number another's.
  void watch(std::int32_t descriptor, std::uint32_t newest) noexcept {
    std::int32_t result = calls_->watch(epoll_, watch_change::modify, descriptor, events_wanted(descriptor));
    if (result == -ENOENT) {
      for (std::uint32_t k = slots_.first_of(descriptor); k != newest; k = slots_.first_of(descriptor))
        slots_.finish(k, -EBADF);
      if (newest == none) return;
      result = calls_->watch(epoll_, watch_change::add, descriptor, events_wanted(descriptor));
    }
    if (result < 0) slots_.finish_all_of(descriptor, result == -EPERM ? -EOPNOTSUPP : result);
  }

  // Once, so that an idle descriptor costs nothing; for changes, where somebody stays.
  [[nodiscard]] std::uint32_t events_wanted(std::int32_t descriptor) const noexcept {
    std::uint32_t events = 0;
    bool is_edge = false;
    for (std::uint32_t k = slots_.first_of(descriptor); k != none; k = slots_.next_of(k)) {
      events |= waits_for(slots_[k].entry);
      is_edge = is_edge || slots_[k].is_edge;
    }
    return events | (is_edge ? epoll_events::edge : epoll_events::once);
  }

  std::int32_t cancel(const ring_entry& entry) noexcept {
    using namespace kernel::cancel_flag;
    const std::uint32_t flags = entry.operation_flags;
    if ((flags & any) != 0) return slots_.finish_all(-ECANCELED);
    const auto first = [&] {
      return (flags & by_descriptor) != 0 ? slots_.first_of(entry.descriptor)
                                          : slots_.first_named(entry.address);
    };
    std::int32_t count = 0;
    for (std::uint32_t at = first(); at != none; at = first()) {
      slots_.finish(at, -ECANCELED);
      if ((flags & all) == 0) return 0;
      ++count;
    }
    return (flags & all) != 0 ? count : -ENOENT;
  }

  std::int32_t await_completions(const ring_wait& wait) noexcept {
    if (wait.count == 0 && !wants_enter()) return 0;
    instant now = monotonic_clock::now();
    const instant end = wait.count == 0 ? now : now + wait.timeout;
    const instant gathered = wait.count > 1 ? now + wait.gather : now;
    for (bool is_first = true;; is_first = false) {
      slots_.expire(now, -ETIME);
      const bool gathers = now < gathered;
      const bool is_over = slots_.answered() >= (gathers ? wait.count : 1) || now >= end;
      if (is_over && (!is_first || slots_.watched() == 0)) return 0;
      const instant until = std::min({end, slots_.earliest(), gathers ? gathered : never});
      const std::int32_t result = look(is_over ? duration{} : until == never ? forever : until - now);
      if (result < 0) return result;
      if (is_over) return 0;
      now = monotonic_clock::now();
    }
  }

  std::int32_t look(duration timeout) noexcept {
    std::array<descriptor_event, 64> events;
    std::int32_t count = -ENOSYS;
    if (is_precise_) count = calls_->wait(epoll_, events, timeout);
    if (count == -ENOSYS || count == -EPERM) {  // older than Linux 5.11, or a sandbox that is
      is_precise_ = false;
      count = calls_->wait_coarsely(epoll_, events, timeout);
    }
    if (count == -EINTR) return count;
    if (count < 0) slots_.finish_all(count);
    for (std::int32_t k = 0; k < count; ++k) serve(events[static_cast<std::size_t>(k)]);
    return std::min(count, 0);
  }

  // Tries again what waits on a descriptor, as far as one before it in the same direction does not have to
  // wait any more.
  void serve(const descriptor_event& ready) noexcept {
    constexpr std::uint32_t for_all = epoll_events::failed | epoll_events::hung_up;
    std::array<bool, 2> is_empty{};
    bool is_edge = false;
    std::uint32_t following = none;
    const std::uint32_t first = slots_.first_of(ready.descriptor);
    for (std::uint32_t at = first; at != none; at = following) {
      following = slots_.next_of(at);
      const auto& one = slots_[at];
      const bool is_poll = one.entry.operation == codes::poll;
      bool& is_done = is_empty[puts(one.entry) ? 1 : 0];
      is_edge = is_edge || one.is_edge;
      if ((ready.events & (waits_for(one.entry) | for_all)) == 0) continue;
      if (!is_poll && is_done) continue;
      // One that stays is told what epoll has just looked up; another one asks whether it is still so.
      const std::uint32_t events = ready.events & (waits_for(one.entry) | for_all);
      const std::int32_t result = stays(one.entry) ? static_cast<std::int32_t>(events) : attempt(slots_[at]);
      if (result == not_yet) {
        if (!is_poll) is_done = true;
      } else if (result >= 0 && stays(one.entry)) {
        const bool has_unreaped = one.is_answered;
        slots_.answer(at, has_unreaped ? one.result | result : result, ring_completion::more);
      } else {
        slots_.finish(at, result);
      }
    }
    if (first == none) {
      calls_->watch(epoll_, watch_change::forget, ready.descriptor, 0);
      return;
    }
    if (is_edge || slots_.first_of(ready.descriptor) == none) return;
    // An error that stays, and that nobody who waits can take, would end every wait: from here on only what
    // changes does.
    if ((ready.events & for_all) != 0) {
      for (std::uint32_t k = slots_.first_of(ready.descriptor); k != none; k = slots_.next_of(k))
        slots_[k].is_edge = true;
    }
    watch(ready.descriptor, none);
  }

  const epoll_calls* calls_;
  std::uint32_t room_;
  std::uint32_t begin_ = 0;
  std::uint32_t pending_ = 0;
  std::vector<ring_entry> queue_;
  slots slots_;
  bool is_precise_ = true;
  int epoll_;
};

expected<epoll_ring, refusal> epoll_ring::open(const epoll_ring_options& options, const epoll_calls& calls) {
  auto made = std::make_unique<state>(options, calls);
  if (made->error() != 0) return unexpected<refusal>{refusal_of_open(made->error(), options)};
  return epoll_ring{opened{}, std::move(made)};
}

epoll_ring::epoll_ring(const epoll_ring_options& options, const epoll_calls& calls)
    : state_(std::make_unique<state>(options, calls)) {
  if (state_->error() != 0) throw_refusal(refusal_of_open(state_->error(), options));
}
epoll_ring::epoll_ring(opened /*tag*/, std::unique_ptr<state> made) noexcept : state_(std::move(made)) {}
epoll_ring::epoll_ring(epoll_ring&& from) noexcept = default;
epoll_ring::~epoll_ring() = default;

bool epoll_ring::supports(std::uint8_t operation) const noexcept { return serves(operation); }
std::uint32_t epoll_ring::room() const noexcept { return state_->room(); }
void epoll_ring::put(const ring_entry& entry) noexcept { state_->put(entry); }
std::uint32_t epoll_ring::pending() const noexcept { return state_->pending(); }
bool epoll_ring::wants_enter() const noexcept { return state_->wants_enter(); }
ring_entered epoll_ring::enter(const ring_wait& wait) noexcept { return state_->enter(wait); }
std::uint32_t epoll_ring::answered() const noexcept { return state_->answered(); }
ring_completion epoll_ring::take_completion() noexcept { return state_->take_completion(); }
ring_entry epoll_ring::take_entry() noexcept { return state_->take_entry(); }

}  // namespace pinion::iosubmit::inline PINION_MODE
