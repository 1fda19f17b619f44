// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "bench/program/random_numbers.hpp"
#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};
constexpr duration length_of_a_program = ms * 60;
constexpr duration patience{10'000'000};  // submission's

// One wait: what was asked, and what has happened since.
struct account {
  std::size_t who = 0;
  step asked{};
  instant began{};
  instant due{};               // when it ends by itself; `never`: a wake ends it
  duration bound{};            // by which its store may be late
  bool was_requested = false;  // when it began
  instant requested = never;   // since
  bool is_pushed = false;      // a wake is there for it
  instant left = never;        // of an operation: by when it has left
  bool was_stopped = false;    // and the I/O was, since
  bool is_over = false;
  std::uint32_t rounds = 0;  // since it should have gone on
  std::uint32_t sleeps = 0;  // and those among them in which the loop slept
};

// What a coroutine is woken by.
struct own_event {
  any_event* event = nullptr;
  std::uint64_t pushes = 0;
  std::uint64_t wakes = 0;  // waits that ended with one
  bool is_woken = false;    // a wake is there for the next wait
};

class play {
 public:
  play(const program& what, const composition_factory& factory)
      : program_(what), events_(what.scripts.size()), rig_(factory, {.timers_a_turn = what.timers_a_turn}) {
    slots_[0] = &rig_.usual();
    slots_[1] = &rig_.slot();
    slots_[2] = &rig_.slot();
    if (factory.channel == nullptr) return;
    for (own_event& each : events_) each.event = &rig_.event();
  }

  violation run() {
    began_ = rig_.now();
    for (std::size_t who = 0; who != program_.scripts.size(); ++who) {
      if (program_.scripts[who].has_executor)
        rig_.begin(follows<task>(who));
      else
        rig_.begin(follows<free_task>(who));
    }
    for (const outside_push& each : program_.pushes)
      rig_.in().at(began_ + each.after, [this, &each] { push(each.event, false); });
    // Something ends the last wait.
    rig_.in().at(began_ + length_of_a_program, [this] { is_closing_ = true; });
    for (int rounds = 0; rounds != rounds_max && !is_closing_ && !rig_.is_done() && !wrong_; ++rounds) {
      round();
      if (!has_stopped_ && began_ + program_.stops_io_after <= rig_.now()) stop_io();
    }
    if (!wrong_) end();
    return wrong_ ? wrong_ : rig_.breach();
  }

 private:
  static constexpr int rounds_max = 20'000;

  template <class... Words>
  void wrong(const account& a, const Words&... words) {
    if (wrong_) return;
    wrong_ = broken(rig_.factory(), "coroutine ", a.who, ", a wait of kind ", static_cast<int>(a.asked.what),
                    " that began after ", (a.began - began_).ns, " ns: ", words...);
  }
  template <class... Words>
  void wrong(const Words&... words) {
    if (!wrong_) wrong_ = broken(rig_.factory(), words...);
  }

  // ---- The coroutines

  template <class Coroutine>
  Coroutine follows(std::size_t who) {
    for (const step& each : program_.scripts[who].steps) {
      if (is_closing_) break;
      if (!is_wait(each.what)) {
        act_on(each);
        continue;
      }
      const std::size_t number = begin(who, each);
      const outcome how = co_await wait_for(who, each);
      end(number, how);
    }
  }

  static bool is_wait(act what) noexcept { return what <= act::wait || what == act::yield; }

  watched_wait wait_for(std::size_t who, const step& s) {
    cancel_slot* const slot = s.slot == step::none ? nullptr : slots_[s.slot];
    switch (s.what) {
    case act::sleep: return rig_.sleep(rig_.now() + s.length, slot);
    case act::ask: {
      const ring_entry entry = device_answers(s.length, s.can_be_cancelled);
      return s.is_urgent ? rig_.ask_urgent(entry, slot) : rig_.ask(entry, slot);
    }
    case act::io_sleep: return rig_.io_sleep(s.length, slot);
    case act::wait: return rig_.wait(*events_[who].event, slot);
    default: return rig_.yield();
    }
  }

  void act_on(const step& s) {
    switch (s.what) {
    case act::push: return push(s.which, false);
    case act::push_by_port: return push(s.which, true);
    case act::compute: has_computed_ = true; return rig_.in().pass(s.length);
    case act::request: return request(s.which);
    case act::reset: is_requested_[s.which] = false; return slots_[s.which]->reset();
    default: return;
    }
  }

  void push(std::size_t event, bool by_port) {
    ++events_[event].pushes;
    if (by_port)
      rig_.push_by_port(*events_[event].event, rig_.io());
    else
      rig_.push(*events_[event].event);
    bool is_for_somebody = false;
    for (account& each : accounts_) {
      if (each.is_over || each.who != event || each.asked.what != act::wait) continue;
      each.is_pushed = is_for_somebody = true;
    }
    if (!is_for_somebody) events_[event].is_woken = true;
  }

  void request(std::size_t slot) {
    is_requested_[slot] = true;
    for (account& each : accounts_)
      if (!each.is_over && each.asked.slot == slot && each.asked.what != act::yield)
        each.requested = std::min(each.requested, rig_.now());
    rig_.request(*slots_[slot]);
  }

  void stop_io() {
    has_stopped_ = is_stopping_ = true;
    for (account& each : accounts_) each.was_stopped = true;
    rig_.stop_io();
    is_stopping_ = false;
  }

  // ---- The account

  std::size_t begin(std::size_t who, const step& s) {
    account a{.who = who,
              .asked = s,
              .began = rig_.now(),
              .due = rig_.now() + s.length,
              .was_stopped = is_stopping_};
    if (s.what == act::sleep) a.bound = rig_.timers().lateness_bound(s.length);
    if (s.what == act::wait) {
      a.due = never;
      a.is_pushed = std::exchange(events_[who].is_woken, false);
    }
    if (s.what == act::yield) a.asked.slot = step::none;
    a.was_requested = a.asked.slot != step::none && is_requested_[a.asked.slot];
    accounts_.push_back(a);
    return accounts_.size() - 1;
  }

  void end(std::size_t number, const outcome& how) {
    account& a = accounts_[number];
    a.is_over = true;
    const bool is_requested = a.was_requested || a.requested != never;
    if (how.is_cancelled()) {
      const bool was_stopped = a.was_stopped && (a.asked.what == act::ask || a.asked.what == act::io_sleep);
      if (was_stopped) return;
      if (!is_requested) wrong(a, "ended as cancelled, and nobody had requested its slot");
      if (a.asked.what == act::ask && !a.asked.can_be_cancelled && !a.was_requested)
        wrong(a, "ended as cancelled, though the kernel can't cancel it");
      // A wake that came meanwhile is kept.
      if (a.is_pushed) events_[a.who].is_woken = true;
      return;
    }
    if (how.error) return wrong(a, "ended with \"", how.error.message(), '"');
    if (a.was_requested) return wrong(a, "began under a requested slot, and was not cancelled");
    if (a.asked.what == act::yield) return;
    if (a.asked.what == act::wait) {
      own_event& mine = events_[a.who];
      if (mine.pushes < ++mine.wakes)
        wrong(a, "was woken ", mine.wakes, " times by ", mine.pushes, " pushes");
      return;
    }
    if (rig_.now() < a.due) wrong(a, "ended ", (a.due - rig_.now()).ns, " ns early");
    if (a.asked.what == act::sleep && a.requested < a.due)
      wrong(a, "ended by itself, and its slot had been requested ", (a.due - a.requested).ns,
            " ns before it was due");
    if (a.asked.what == act::ask && how.value != 1) wrong(a, "ended with ", how.value);
  }

  // Whether it should have gone on by then.
  [[nodiscard]] bool is_over_by(const account& a, instant now) const {
    const bool is_stopped = a.was_requested || a.requested != never;
    switch (a.asked.what) {
    case act::yield: return true;
    case act::wait: return is_stopped || a.is_pushed;
    case act::sleep: return is_stopped || a.due + a.bound <= now;
    default:
      // Under a slot that was requested before, an operation that does nothing takes its place.
      if (a.was_requested) return a.left != never;
      if (a.requested != never && a.asked.can_be_cancelled) return true;
      return a.left != never && a.left + a.asked.length + slack_of(rig_.factory()) <= now;
    }
  }

  // One round, and what has not gone on by its end though it should have when it began.
  void round() {
    const instant before = rig_.now();
    const std::size_t resumed = rig_.tasks().resumed();
    has_computed_ = false;
    rig_.round();
    if (rig_.has_slept_on_a_wake()) wrong("the loop slept although a wake was in its inbox");
    const bool has_slept = rig_.tasks().resumed() == resumed && !has_computed_ && before + us < rig_.now();
    for (account& each : accounts_)
      if (!each.is_over) look_at(each, before, has_slept);
  }
  void look_at(account& a, instant before, bool has_slept) {
    const bool is_faulty = rig_.factory().ring != nullptr && rig_.factory().ring->is_faulty;
    // What is queued has left when the loop goes to sleep, and otherwise when the submission's patience is at
    // its end.
    if (a.left == never && (has_slept || a.began + patience <= before))
      a.left = has_slept ? std::max(a.began, before) : rig_.now();
    const instant latest = std::max(a.due + a.bound, before) + slack_of(rig_.factory());
    if (has_slept && a.asked.what == act::sleep && latest < rig_.now())
      wrong(a, "the loop slept until ", (rig_.now() - a.due).ns, " ns behind its deadline");
    if (!is_over_by(a, before)) return;
    a.sleeps += has_slept ? 1U : 0U;
    if (++a.rounds > (is_faulty ? 10 : 1) * rounds_allowed())
      wrong(a, "does not go on, ", a.rounds, " rounds after it should have");
    // A request to cancel is answered behind one wait, and what it cancelled behind another; a slice's
    // timeout may end either.
    if (a.sleeps > (is_faulty ? 60U : 6U))
      wrong(a, "does not go on, though the loop slept ", a.sleeps, " times");
  }
  // Those that are ready run before it, one in a round at least; and a poll may look at two entries of the
  // store only.
  [[nodiscard]] std::uint32_t rounds_allowed() const {
    const auto others = static_cast<std::uint32_t>(program_.scripts.size());
    return 3 * others + 12 + (program_.timers_a_turn < 16 ? 40U : 0U);
  }

  void end() {
    is_closing_ = true;
    for (std::size_t slot = 0; slot != step::slots; ++slot) request(slot);
    int asked = 0;
    rig_.end(*slots_[0], [&] { return rig_.is_done() || ++asked == rounds_max; });
    if (!rig_.is_done()) return wrong("an end does not end");
    if (const composition_factory& f = rig_.factory(); f.has_io()) {
      if (rig_.io().in_flight() != 0 || rig_.io().depth() != 0 || rig_.kernel().inner.in_flight() != 0)
        wrong("an end left operations");
    }
    if (rig_.factory().timers != nullptr && rig_.timers().size() != 0) wrong("an end left timers armed");
    for (const own_event& each : events_)
      if (each.event != nullptr && each.event->is_queued()) wrong("an end left a wake in the inbox");
  }

  const program& program_;
  std::vector<account> accounts_;
  std::array<bool, step::slots> is_requested_{};
  std::array<cancel_slot*, step::slots> slots_{};
  std::vector<own_event> events_;  // of each coroutine
  instant began_{};
  bool is_closing_ = false;
  bool has_stopped_ = false;
  bool is_stopping_ = false;   // what is asked meanwhile is stopped by the next turn
  bool has_computed_ = false;  // in this round
  violation wrong_;
  rig rig_;  // last: what its coroutines write to goes after it
};

program shortest(program broken_one, const composition_factory& factory) {
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const program& each : shorter(broken_one)) {
      if (!played(each, factory)) continue;
      broken_one = each;
      is_shorter = true;
      break;
    }
  }
  return broken_one;
}

const std::vector<composition_factory>& all_compositions() {
  static const std::vector<composition_factory> all = [] {
    std::vector<composition_factory> list = compositions_with(nullptr);
    for (const timers_value& timers : all_timers()) {
      const auto more = compositions_with(&timers);
      list.insert(list.end(), more.begin(), more.end());
    }
    const auto spins = spinning(every_pair_of(compositions_with(&named(all_timers(), "deferred_wheel"))));
    list.insert(list.end(), spins.begin(), spins.end());
    std::erase_if(list, [](const composition_factory& one) { return one.must_be_refused(); });
    return list;
  }();
  return all;
}

}  // namespace

violation played(const program& what, const composition_factory& factory) {
  return play{what, factory}.run();
}

finding play_on(const std::optional<composition_factory>& factory, std::uint64_t seed,
                std::uint64_t programs) {
  finding all;
  for (; all.programs != programs; ++all.programs, ++seed) {
    const auto& among = all_compositions();
    composition_factory on =
        factory ? *factory : among[bench::random_numbers{seed ^ 0x5eed}.below(among.size())];
    on.seed = seed;
    const program what = drawn_program(seed, on);
    all.found = played(what, on);
    if (!all.found) continue;
    const program least = shortest(what, on);
    all.text =
        in_words("\non ", on.described(), "\nreplay: PINION_TEST_SEED=", seed,
                 " PINION_TEST_PROGRAMS=1 scheduler_composition --gtest_filter='model.*'\nshortened to\n",
                 least.text(), "which breaks: ", played(least, on).what())
            .what();
    return all;
  }
  return all;
}

}  // namespace pinion::scheduler::testing
