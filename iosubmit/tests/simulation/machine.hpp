// SPDX-License-Identifier: Apache-2.0
//
// machine: an executor on one core, in virtual time, over the submission that is shipped.
//
// A turn runs what was ready when it began, at most 64 tasks, and one slice of what is to be computed; then
// turn() or park() is called, as any owner does. All that costs time moves the clock: tasks, slices, the turn
// itself, enters, what an enter's entries cost the caller, answers, a wake. What the policy decides is all
// that differs between two machines: arrivals and service times belong to the requests, so they are the same
// whatever is asked first.
//
//   machine<adaptive> executor{costs, adaptive{}, true};
//   const outcome found = executor.run(phase, seed);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <pinion/iosubmit/submission.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <utility>
#include <vector>

#include "costs.hpp"
#include "loads.hpp"
#include "random_draws.hpp"

namespace pinion::iosubmit::simulation {

/// What one client saw.
struct seen {
  std::vector<std::uint64_t> latencies_ns;
  std::uint64_t done_in_time = 0;  ///< before the phase ended
};

/// What a phase came to.
struct outcome {
  std::vector<seen> clients;
  std::vector<std::uint64_t> firsts_ns;  ///< of each burst
  std::vector<std::uint64_t> bursts_ns;
  std::uint64_t wall_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t operations = 0;
  std::uint64_t enters = 0;
  std::uint64_t sleeps = 0;
};

template <submit_policy Policy>
class machine {
 public:
  machine(const costs& of, Policy policy, bool keeps_back)
      : costs_(of), io_(ring(keeps_back), std::move(policy), sim::virtual_clock::view{clock_}) {}
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Runs a phase and what is left of it at its end. What the policy has learned stays for the next one.
  outcome run(const phase& what, std::uint64_t seed) {
    begin(what, seed);
    while (!is_over()) turn();
    end();
    return std::move(outcome_);
  }

  [[nodiscard]] Policy& policy() noexcept { return io_.policy(); }

 private:
  static constexpr std::size_t tasks_a_turn = 64;
  static constexpr duration turn_cost{150};
  static constexpr std::size_t read_channels = 8;
  static constexpr std::size_t write_channels = 2;

  struct request : operation {
    request() : operation{{}, &answer} {}
    machine* home = nullptr;
    std::size_t who = 0;
    instant arrived;
    std::size_t burst = 0;
    bool is_first = false;
    bool is_answered = false;
  };
  struct arrival {
    instant at;
    std::size_t who;
    std::size_t burst;
    bool is_first;
    std::size_t quantile;
    std::size_t order;
    friend bool operator<(const arrival& a, const arrival& b) noexcept {
      return a.at != b.at ? a.at < b.at : a.order < b.order;
    }
  };
  struct burst_progress {
    instant begun;
    std::uint32_t left;
  };

  sim::virtual_ring ring(bool keeps_back) {
    sim::virtual_ring made{clock_,
                           {.entries = 256,
                            .completions = 4096,
                            .keeps_back = keeps_back,
                            .enter_cost = costs_.enter,
                            .wake_cost = costs_.wake}};
    made.serve([this](const ring_entry& entry, instant) { return serve(entry); });
    return made;
  }

  // ---- the device ----

  sim::virtual_answer serve(const ring_entry& entry) {
    const auto what = static_cast<kind>(entry.descriptor);
    const std::uint64_t enter = io_.ring().counts().enters;
    const costs::call& cost = costs_.of_call(what);
    auto& last = last_enter_[static_cast<std::size_t>(what)];
    spend(std::exchange(last, enter) == enter ? cost.each : cost.first + cost.each);
    const duration service = entry.length != 0 ? spoken(entry) : costs_.service(what, entry.offset);
    switch (what) {
    case kind::direct_read: return {.at = through(reads_, service)};
    case kind::large_write: return {.at = through(writes_, service)};
    case kind::receive: return {.at = clock_.time() + service};
    default: return {.at = clock_.time()};
    }
  }

  // The other side's silence; it is what follows that somebody waits for.
  duration spoken(const ring_entry& entry) {
    auto& one = static_cast<request&>(static_cast<operation&>(answer_of(entry.user_data)));
    const duration silence = draws_.wait(1e9 / static_cast<double>(phase_->clients[one.who].quiet.ns));
    one.arrived = clock_.time() + silence;
    return silence;
  }

  template <std::size_t Channels>
  instant through(std::array<instant, Channels>& channels, duration service) {
    instant& first_free = *std::ranges::min_element(channels);
    first_free = std::max(first_free, clock_.time()) + service;
    return first_free;
  }

  // ---- the executor ----

  void turn() {
    const instant begun = clock_.time();
    while (next_arrival_ != arrivals_.size() && arrivals_[next_arrival_].at <= begun)
      admit(arrivals_[next_arrival_++]);
    spend(turn_cost);
    for (std::size_t left = std::min(ready_.size(), tasks_a_turn); left != 0; --left) {
      request& next = *ready_.front();
      ready_.pop_front();
      run(next);
    }
    compute(begun);
    const instant now = clock_.time();
    if (!ready_.empty() || has_to_compute(now) || next_arrival() <= now) {
      io_.turn(now);
    } else {
      io_.park(std::min({next_arrival(), next_job_, now < end_ ? end_ : never}));
    }
  }

  void compute(instant now) {
    while (next_job_ <= now) {
      slices_left_ += phase_->beside.slices;
      next_job_ = after(next_job_, draws_.wait(phase_->beside.jobs));
    }
    if (!has_to_compute(now)) return;
    spend(phase_->beside.slice);
    if (slices_left_ != 0) --slices_left_;
  }
  [[nodiscard]] bool has_to_compute(instant now) const {
    const bool is_endless = phase_->beside.slice != duration{} && phase_->beside.slices == 0 && now < end_;
    return is_endless || slices_left_ != 0;
  }

  void run(request& one) {
    const client& who = phase_->clients[one.who];
    if (!one.is_answered) {
      spend(who.before);
      io_.queue(one);
      return;
    }
    spend(who.after);
    finish(one);
    if (who.depth != 0 && clock_.time() < end_) {
      ask(one, one.who, draws_.quantile());
      spend(who.before);
      io_.queue(one);
    } else {
      free_.push_back(&one);
    }
  }

  void finish(request& one) {
    const instant now = clock_.time();
    seen& mine = outcome_.clients[one.who];
    mine.latencies_ns.push_back((now - one.arrived).ns);
    if (now <= end_) ++mine.done_in_time;
    ++outcome_.operations;
    if (phase_->clients[one.who].burst == 0) return;
    if (one.is_first) outcome_.firsts_ns.push_back((now - one.arrived).ns);
    burst_progress& of = bursts_[one.burst];
    if (--of.left == 0) outcome_.bursts_ns.push_back((now - of.begun).ns);
  }

  static void answer(ring_answer& self, std::int32_t /*result*/) noexcept {
    auto& mine = static_cast<request&>(self);
    mine.is_answered = true;
    mine.home->spend(mine.home->costs_.completion);
    mine.home->ready_.push_back(&mine);
  }

  // ---- who asks ----

  void admit(const arrival& what) {
    request& one = fresh();
    ask(one, what.who, what.quantile);
    one.arrived = what.at;
    one.burst = what.burst;
    one.is_first = what.is_first;
    ready_.push_back(&one);
  }
  request& fresh() {
    if (free_.empty()) {
      requests_.emplace_back();
      requests_.back().home = this;
      free_.push_back(&requests_.back());
    }
    request& one = *free_.back();
    free_.pop_back();
    return one;
  }
  void ask(request& one, std::size_t who, std::size_t quantile) {
    one.who = who;
    one.arrived = clock_.time();
    one.is_answered = false;
    one.is_first = false;
    one.ask({.operation = codes::read,
             .descriptor = static_cast<std::int32_t>(phase_->clients[who].what),
             .offset = quantile,
             .length = phase_->clients[who].quiet != duration{} ? 1U : 0U});
  }

  // ---- a phase ----

  void begin(const phase& what, std::uint64_t seed) {
    phase_ = &what;
    draws_ = random_draws{seed};
    outcome_ = {};
    outcome_.clients.resize(what.clients.size());
    arrivals_.clear();
    next_arrival_ = 0;
    bursts_.clear();
    begun_ = clock_.time();
    end_ = begun_ + what.length;
    cpu_ns_ = 0;
    enters_before_ = io_.ring().counts().enters;
    sleeps_before_ = io_.ring().counts().sleeps;
    slices_left_ = 0;
    for (std::size_t who = 0; who < what.clients.size(); ++who) arrive(who);
    std::sort(arrivals_.begin(), arrivals_.end());
    next_job_ = after(begun_, draws_.wait(what.beside.jobs));
  }

  void arrive(std::size_t who) {
    const client& of = phase_->clients[who];
    for (std::uint32_t i = 0; i < of.depth; ++i) expect(begun_, who, 0, false);
    for (instant at = after(begun_, draws_.wait(of.rate)); at < end_; at = after(at, draws_.wait(of.rate)))
      expect(at, who, 0, false);
    if (of.burst == 0) return;
    for (instant at = begun_ + duration{of.period.ns / 2}; at < end_; at = at + of.period) {
      bursts_.push_back({at, of.burst + 1});
      expect(at, who, bursts_.size() - 1, true);
      for (std::uint32_t i = 0; i < of.burst; ++i) {
        const duration later{200'000 + draws_.below(of.spread.ns)};
        expect(at + later, who, bursts_.size() - 1, false);
      }
    }
  }

  void expect(instant at, std::size_t who, std::size_t burst, bool is_first) {
    arrivals_.push_back({at, who, burst, is_first, draws_.quantile(), arrivals_.size()});
  }

  // `never` is no time of this phase.
  [[nodiscard]] instant after(instant at, duration wait) const noexcept {
    const instant next = at + wait;
    return next < end_ ? next : never;
  }
  [[nodiscard]] instant next_arrival() const noexcept {
    return next_arrival_ == arrivals_.size() ? never : arrivals_[next_arrival_].at;
  }
  [[nodiscard]] bool is_over() const noexcept {
    return clock_.time() >= end_ && ready_.empty() && next_arrival() == never && io_.depth() == 0 &&
           io_.in_flight() == 0;
  }

  void end() {
    outcome_.wall_ns = phase_->length.ns;
    outcome_.enters = io_.ring().counts().enters - enters_before_;
    outcome_.sleeps = io_.ring().counts().sleeps - sleeps_before_;
    outcome_.cpu_ns = cpu_ns_ + outcome_.enters * costs_.enter.ns + outcome_.sleeps * costs_.sleep.ns;
  }

  void spend(duration time) {
    clock_.advance_by(time);
    cpu_ns_ += time.ns;
  }

  const costs& costs_;
  sim::virtual_clock clock_{instant{1'000'000'000}};
  std::array<std::uint64_t, kinds> last_enter_{};
  std::array<instant, read_channels> reads_{};
  std::array<instant, write_channels> writes_{};

  const phase* phase_ = nullptr;
  instant begun_, end_;
  random_draws draws_{0};
  std::vector<arrival> arrivals_;
  std::size_t next_arrival_ = 0;
  instant next_job_ = never;
  std::uint64_t slices_left_ = 0;
  std::vector<burst_progress> bursts_;
  outcome outcome_;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t enters_before_ = 0;
  std::uint64_t sleeps_before_ = 0;

  std::deque<request*> ready_;
  std::deque<request> requests_;
  std::vector<request*> free_;
  submission<Policy, sim::virtual_ring, sim::virtual_clock::view> io_;
};

}  // namespace pinion::iosubmit::simulation
