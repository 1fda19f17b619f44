// SPDX-License-Identifier: Apache-2.0
//
// Owners of rings that watch for other parts (ring_watcher): one of a real ring, which waits and tells its
// sinks, and the same as a parker sleeps in it; and one that records what it is asked, and tells what a test
// makes up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/callback.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/waker.hpp>
#include <system_error>
#include <vector>

#include "raw_ring.hpp"

namespace pinion::waker::testing {

using pinion::testing::raw_ring;

// Marks 2 to 7. The lowest that is free is given first, so that it is used again at once.
class sinks {
 public:
  [[nodiscard]] expected<std::uint8_t, refusal> add_sink(const callback<const ring_completion&>& told) {
    for (std::uint8_t mark = 2; mark != 8; ++mark) {
      if (is_taken_[mark]) continue;
      is_taken_[mark] = true;
      told_[mark] = told;
      return mark;
    }
    return unexpected<refusal>{{.code = std::make_error_code(std::errc::device_or_resource_busy),
                                .asked = "a mark",
                                .reason = "all are in use",
                                .remedy = "remove a sink"}};
  }
  void remove_sink(std::uint8_t mark) noexcept { is_taken_[mark] = false, told_[mark] = {}; }
  [[nodiscard]] std::size_t taken() const noexcept {
    std::size_t count = 0;
    for (const bool is_taken : is_taken_) count += is_taken ? 1U : 0U;
    return count;
  }
  void tell(const ring_completion& completion) noexcept {
    if (told_[mark_of(completion.user_data)]) told_[mark_of(completion.user_data)](completion);
  }

 private:
  std::array<callback<const ring_completion&>, 8> told_{};
  std::array<bool, 8> is_taken_{};
};

// Over a real ring.
class watching_ring : public sinks {
 public:
  [[nodiscard]] int descriptor() const noexcept { return ring_.descriptor(); }
  [[nodiscard]] bool is_owner() const noexcept { return ring_.is_owner(); }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept { return ring_.queue(entry, answer); }
  bool watch(const ring_entry& entry) noexcept {
    ++watched;
    return ring_.put(entry);
  }
  // Answered to nobody: to the sink it would look like the watch's end.
  bool unwatch(std::uint64_t user_data) noexcept {
    return ring_.put({.operation = kernel::codes::cancel, .address = user_data});
  }

  // Whether something came, at most until then.
  bool hears(instant until = monotonic_clock::now()) {
    const bool is_there = ring_.wait(until) == 0;
    return hand_out() != 0 && is_there;
  }

  int watched = 0;
  ring_completion last{};

 protected:
  std::size_t hand_out() {
    return ring_.reap([this](const raw_ring::completion& c) {
      last = {.user_data = c.user_data, .result = c.result, .flags = c.flags};
      tell(last);
    });
  }
  raw_ring& ring() noexcept { return ring_; }
  [[nodiscard]] const raw_ring& ring() const noexcept { return ring_; }

 private:
  raw_ring ring_{raw_ring::one_issuer | raw_ring::deferred | raw_ring::flagged};
};

class parking_ring : public watching_ring {
 public:
  template <class Woke>
  void park(instant until, Woke woke) {
    ring().wait(until);
    woke();
    hand_out();
  }
  void turn(instant now) {
    if (has_answers()) ring().wait(now);
    hand_out();
  }
  void submit() noexcept { ring().submit(); }
  [[nodiscard]] bool has_answers() const noexcept {
    constexpr std::uint32_t kept_back = kernel::submission_flag::taskrun | kernel::submission_flag::overflow;
    // Relaxed: what the kernel announces there is fetched by an enter.
    const std::uint32_t flags =
        std::atomic_ref{*const_cast<std::uint32_t*>(ring().flags())}.load(std::memory_order_relaxed);
    return ring().has_completions() || (flags & kept_back) != 0;
  }
};
static_assert(parking_io<parking_ring>);

// Over none.
class recording_watcher : public sinks {
 public:
  bool watch(const ring_entry& entry) noexcept {
    if (has_room) watched.push_back(entry);
    return has_room;
  }
  bool unwatch(std::uint64_t user_data) noexcept {
    unwatched.push_back(user_data);
    return has_room;
  }
  // The last completion of what was watched last; its result is negative for an error.
  void end_last(std::int32_t result) noexcept {
    tell({.user_data = watched.back().user_data, .result = result, .flags = 0});
  }
  void hear_last() noexcept {
    tell({.user_data = watched.back().user_data, .result = 1, .flags = ring_completion::more});
  }

  bool has_room = true;
  std::vector<ring_entry> watched;
  std::vector<std::uint64_t> unwatched;
};

static_assert(ring_watcher<watching_ring> && ring_watcher<recording_watcher>);

}  // namespace pinion::waker::testing
