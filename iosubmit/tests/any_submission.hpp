// SPDX-License-Identifier: Apache-2.0
//
// any_submission: a policy and a ring, joined, behind virtual calls, so that laws are compiled once and run
// against every pair of them and every mutant.
//
// The ring is sim's, in virtual time; each enter is noted on its way to it. A policy joins by a line in
// backends.cpp.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pinion::iosubmit::testing {

/// One enter, and how things stood around it.
struct enter_seen {
  ring_wait wait{};
  ring_entered result{};
  std::uint32_t offered = 0;       ///< entries in the ring that it could take
  std::uint32_t depth_before = 0;  ///< queued in all
  std::uint32_t depth_after = 0;
  bool had_completions = false;
  bool was_wanted = false;  ///< completions were kept back
  bool by_queue = false;    ///< made inside a call of queue()
  instant before{}, after{};

  [[nodiscard]] bool was_refused() const noexcept { return result.error != 0 || result.accepted < offered; }
  friend bool operator==(const enter_seen&, const enter_seen&) = default;
};

/// What a watched_ring writes down, and how it is to behave. Outlives the ring.
struct ring_record {
  std::vector<enter_seen> enters;
  std::function<std::uint32_t()> depth = [] { return 0U; };
  sim::virtual_clock* clock = nullptr;
  bool in_queue = false;
  bool is_faulty = false;  ///< enters fail, fall short and end early as the numbers fall
  std::mt19937_64 numbers{1};
};

/// sim's ring, whose enters are written down.
class watched_ring {
 public:
  watched_ring(sim::virtual_ring ring, ring_record& record) : ring_(std::move(ring)), record_(&record) {}

  [[nodiscard]] const sim::virtual_ring& inner() const noexcept { return ring_; }
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept { return ring_.supports(operation); }
  [[nodiscard]] std::uint32_t room() const noexcept { return ring_.room(); }
  void put(const ring_entry& entry) noexcept { ring_.put(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return ring_.pending(); }
  [[nodiscard]] bool has_completions() const noexcept { return ring_.has_completions(); }
  [[nodiscard]] bool wants_enter() const noexcept { return ring_.wants_enter(); }
  ring_entered enter(const ring_wait& wait) noexcept {
    if (record_->is_faulty) misbehave();
    enter_seen seen{.wait = wait,
                    .offered = wait.keeps_pending ? 0 : pending(),
                    .depth_before = record_->depth(),
                    .had_completions = has_completions(),
                    .was_wanted = wants_enter(),
                    .by_queue = record_->in_queue,
                    .before = record_->clock->time()};
    seen.result = ring_.enter(wait);
    seen.after = record_->clock->time();
    seen.depth_after = seen.depth_before - seen.result.accepted;
    record_->enters.push_back(seen);
    return seen.result;
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    return ring_.reap(sink);
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    return ring_.withdraw(sink);
  }

 private:
  void misbehave() noexcept {
    switch (record_->numbers() % 12) {
    case 0: return ring_.fail(1, -EAGAIN);
    case 1: return ring_.fail(1, -EINTR);
    case 2: return ring_.fail(1, -EBUSY);
    case 3: return ring_.accept_at_most(static_cast<std::uint32_t>(record_->numbers() % 3), 1);
    case 4: return ring_.end_early(1);
    default: return;
    }
  }

  sim::virtual_ring ring_;
  ring_record* record_;
};

class any_submission {
 public:
  any_submission() = default;
  any_submission(const any_submission&) = delete;
  any_submission& operator=(const any_submission&) = delete;
  virtual ~any_submission() = default;

  virtual void queue(operation& what) = 0;
  virtual void queue_urgent(operation& what) = 0;
  virtual bool queue(const ring_entry& entry, ring_answer& answer) = 0;
  virtual void submit() = 0;
  virtual std::size_t turn(instant now) = 0;
  virtual std::size_t park(instant until) = 0;
  virtual void stop() = 0;
  [[nodiscard]] virtual std::uint32_t depth() const = 0;
  [[nodiscard]] virtual std::uint32_t in_flight() const = 0;
  [[nodiscard]] virtual const sim::virtual_ring& ring() const = 0;

  ring_record record;
};

/// How to make one kind of submission, and which seed the laws draw their numbers from.
struct submission_factory {
  std::string name;
  std::function<std::unique_ptr<any_submission>(sim::virtual_clock&, const sim::virtual_ring_options&)> make;
  sim::virtual_ring_options ring{};
  bool is_faulty = false;
  std::uint64_t seed = 1;
  bool may_allocate = false;  ///< keeps what does not fit in a list of its own

  /// One over that clock.
  [[nodiscard]] std::unique_ptr<any_submission> operator()(sim::virtual_clock& clock) const {
    auto made = make(clock, ring);
    made->record.is_faulty = is_faulty;
    made->record.numbers.seed(seed);
    return made;
  }
};

/// The shipped submission as an any_submission.
template <class Policy, class Ring = watched_ring>
class adapted final : public any_submission {
 public:
  adapted(sim::virtual_clock& clock, const sim::virtual_ring_options& how, Policy policy)
      : io_{Ring{sim::virtual_ring{clock, how}, record}, std::move(policy), clock} {
    record.clock = &clock;
    record.depth = [this] { return io_.depth(); };
  }
  void queue(operation& what) override { io_.queue(what); }
  void queue_urgent(operation& what) override { io_.queue_urgent(what); }
  bool queue(const ring_entry& entry, ring_answer& answer) override { return io_.queue(entry, answer); }
  void submit() override { io_.submit(); }
  std::size_t turn(instant now) override { return io_.turn(now); }
  std::size_t park(instant until) override { return io_.park(until); }
  void stop() override { io_.stop(); }
  [[nodiscard]] std::uint32_t depth() const override { return io_.depth(); }
  [[nodiscard]] std::uint32_t in_flight() const override { return io_.in_flight(); }
  [[nodiscard]] const sim::virtual_ring& ring() const override { return io_.ring().inner(); }

 private:
  submission<Policy, Ring, sim::virtual_clock::view> io_;
};

/// Every policy over a ring of every temper.
[[nodiscard]] const std::vector<submission_factory>& backends();

}  // namespace pinion::iosubmit::testing
