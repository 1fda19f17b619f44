// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <unordered_map>

#include "rig.hpp"

namespace pinion::iosubmit::testing {
namespace {

// The oracle: who is asked, as which, and how often each was answered.
class exercise {
 public:
  explicit exercise(const submission_factory& factory)
      : factory_(factory), numbers_(factory.seed), rig_(factory) {
    for (task& each : tasks_) {
      each.owner = this;
      each.ask(device_read());
      each.then = [this](probe& done) { answered(static_cast<task&>(done)); };
    }
    rig_.ring().serve([this](const ring_entry& entry, instant now) { return served(entry, now); });
  }

  violation run(std::string_view law, std::vector<enter_seen>* log) {
    for (int step = 0; step < 600; ++step) {
      take_step();
      if (log != nullptr) {
        const auto& enters = rig_.io().record.enters;
        log->insert(log->end(), enters.begin(), enters.end());
      }
    }
    if (draw(2) == 0) {
      rig_.ring().fail(0, 0);
      asks_again_ = false;
      if (!rig_.settle()) wrong("after 5,000 parks something is still not answered");
    }
    asks_again_ = false;
    // A ring that refuses for good at its end lets go of nothing.
    if (refuses_for_good_) rig_.ring().fail(0, 0);
    violation what = rig_.found(std::string{law});
    const bool by_destructor = draw(2) == 0;
    by_destructor ? rig_.destroy() : rig_.io().stop();
    for (const task& each : tasks_) {
      if (each.asked != each.answers)
        wrong("an operation that was asked for ", each.asked, " times was answered ", each.answers, " times");
    }
    for (const port_task& each : port_tasks_) {
      if (each.asked != each.answers)
        wrong("a port's entry that was asked for ", each.asked, " times was answered ", each.answers,
              " times");
    }
    if (!what && law == "S5") what = wrong_;
    return what;
  }

 private:
  struct task : probe {
    exercise* owner = nullptr;
    int asked = 0;
  };
  struct port_task : port_probe {
    int asked = 0;
  };

  std::uint64_t draw(std::uint64_t below) { return numbers_() % below; }

  template <class... Words>
  void wrong(const Words&... words) {
    if (!wrong_) wrong_ = broken(factory_, words...);
  }

  void take_step() {
    const std::uint64_t what = draw(100);
    if (what < 45) {
      for (std::uint64_t k = draw(8); k-- > 0;) ask();
    } else if (what < 63) {
      rig_.turn();
    } else if (what < 65) {
      rig_.submit();
    } else if (what < 85) {
      const bool has_end = draw(3) == 0 && rig_.io().depth() + rig_.io().in_flight() != 0;
      rig_.park(has_end ? never : rig_.now() + duration{draw(2'000'000)});
    } else if (what < 92) {
      rig_.clock().advance_by(duration{draw(300'000)});
    } else if (what < 94) {
      rig_.ring().deliver({.user_data = 8 | 2, .result = 1, .flags = 0});
    } else if (!factory_.is_faulty) {
      go_wrong();
    }
  }

  void go_wrong() {
    const sim::virtual_ring& ring = rig_.ring();
    const std::uint64_t what = draw(7);
    if (what < 4) refuses_for_good_ = what == 3;
    switch (what) {
    case 0: return ring.fail(1 + draw(3), -EAGAIN);
    case 1: return ring.fail(1 + draw(3), -EBUSY);
    case 2: return ring.fail(1 + draw(3), -EINTR);
    case 3: return ring.fail(1, -EPERM);
    case 4: return ring.end_early(1 + draw(2));
    default: return ring.accept_at_most(static_cast<std::uint32_t>(draw(4)), 1 + draw(2));
    }
  }

  void ask() {
    if (draw(5) == 0) {
      port_task& one = port_tasks_[draw(port_tasks_.size())];
      if (one.asked != one.answers) return;
      const std::uint64_t as = ++asked_;
      order_[user_data_of(one, 0)] = as;
      ++one.asked;
      if (!rig_.queue(device_read(), one)) --one.asked;
      return;
    }
    task& one = tasks_[draw(tasks_.size())];
    if (one.asked != one.answers) return;
    ask(one);
  }

  void ask(task& one) {
    ++one.asked;
    order_[one.entry().user_data] = ++asked_;
    draw(8) == 0 ? rig_.queue_urgent(one) : rig_.queue(one);
  }

  void answered(task& one) {
    if (one.answers > one.asked) wrong("an operation was answered that was not asked for, or was before");
    if (one.result == -EAGAIN || one.result == -EBUSY || one.result == -EINTR)
      wrong("what passes by itself was given for an answer: ", one.result);
    if (asks_again_ && one.result == 0 && draw(4) == 0) ask(one);
  }

  sim::virtual_answer served(const ring_entry& entry, instant now) {
    const std::uint64_t as = order_[entry.user_data];
    if (as <= taken_) wrong("entry ", as, " was handed over behind entry ", taken_);
    taken_ = as;
    return {.at = now + duration{draw(500'000)}, .result = 0, .can_be_cancelled = draw(4) != 0};
  }

  submission_factory factory_;
  std::mt19937_64 numbers_;
  std::array<task, 64> tasks_;
  std::array<port_task, 16> port_tasks_;
  std::unordered_map<std::uint64_t, std::uint64_t> order_;
  std::uint64_t asked_ = 0;
  std::uint64_t taken_ = 0;
  bool asks_again_ = true;
  bool refuses_for_good_ = false;
  violation wrong_;
  rig rig_;  // last: it goes before whom it answers
};

}  // namespace

violation work_out(const char* law, const submission_factory& factory, std::vector<enter_seen>* log) {
  for (std::uint64_t round = 0; round < (log != nullptr ? 1U : 12U); ++round) {
    submission_factory seeded = factory;
    seeded.seed = factory.seed + round;
    if (violation what = exercise{seeded}.run(law, log)) return what;
  }
  return {};
}

}  // namespace pinion::iosubmit::testing
