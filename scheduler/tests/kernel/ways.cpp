// SPDX-License-Identifier: Apache-2.0
//
// The ways of a token that are coroutines.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "life.hpp"

namespace pinion::scheduler::testing {
namespace {

const std::array<std::byte, 1> one_byte{std::byte{1}};

// Up to 2 ms, and short ones as often as long ones.
duration some_time(life& of) { return duration{of.numbers().below(1U << of.numbers().below(22))}; }

// An answer that requests a slot.
struct requesting_answer : iosubmit::operation {
  explicit requesting_answer(cancel_slot& slot) noexcept
      : operation{iosubmit::entries::nop(), &done}, requested(slot) {}
  static void done(ring_answer& self, std::int32_t /*result*/) noexcept {
    static_cast<requesting_answer&>(self).requested.request();
  }
  cancel_slot& requested;
};
// And a wake that does.
struct requesting_wake : waker::wake_call {
  explicit requesting_wake(cancel_slot& slot) noexcept : wake_call(&came), requested(slot) {}
  static void came(wake_call& self) { static_cast<requesting_wake&>(self).requested.request(); }
  cancel_slot& requested;
};

task requests(loop_executor& /*by*/, cancel_slot& slot) {
  slot.request();
  co_return;
}

// Something that will cancel a wait, from whichever kind of callback. It stays until it has.
struct canceller {
  explicit canceller(life& of) {
    switch (of.numbers().below(of.loop().io() != nullptr ? 4 : 3)) {
    case 0: requests(of.tasks(), slot); return;
    case 1: of.timers().at(of.timers().deadline(some_time(of)), [this] { slot.request(); }); return;
    case 2: of.loop().sender()->push(wake); return;
    default: of.io().queue(answer);
    }
  }
  cancel_slot slot;
  requesting_answer answer{slot};
  requesting_wake wake{slot};
};

// A wait that was in vain ended as it should.
template <class Result>
void expect_cancelled(life& of, const Result& result, way how) {
  if (!result && result.error() == std::errc::operation_canceled) return;
  of.wrong(std::string{to_string(how)} + " ended with " + (result ? "success" : result.error().message()));
}

// While one of these is at work.
struct counted {
  explicit counted(std::atomic<int>& of) noexcept : count(of) {
    count.fetch_add(1, std::memory_order_relaxed);
  }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { count.fetch_sub(1, std::memory_order_relaxed); }
  std::atomic<int>& count;
};

}  // namespace

task sleeps_a_while(loop_executor& /*by*/, life& of) {
  const instant due = of.timers().deadline(some_time(of));
  const auto slept = co_await timer::sleep_until(of.timers(), due, of.all());
  if (slept && monotonic_clock::now() < due) of.wrong("a sleep was over early");
  if (!slept && !of.all().is_requested()) of.wrong("a sleep was cancelled by nobody");
  of.moved(way::sleeps);
}

task sleeps_in_ring(loop_executor& /*by*/, life& of) {
  const auto slept = co_await iosubmit::sleep_for(of.io(), some_time(of), of.all());
  if (!slept && !of.all().is_requested())
    of.wrong("a sleep in the ring ended with " + slept.error().message());
  of.moved(way::io_sleeps);
}

// Without a slot: neither end waits for long.
task goes_round(loop_executor& /*by*/, life& of) {
  std::array<std::byte, 1> into{};
  const auto sent = co_await iosubmit::awaiting(of.io(), iosubmit::entries::send(of.sockets()[1], one_byte));
  if (!sent || *sent != 1) of.wrong("a byte was not sent: " + sent.error().message());
  const auto received =
      co_await iosubmit::awaiting_urgent(of.io(), iosubmit::entries::recv(of.sockets()[0], into));
  if (!received || *received != 1) of.wrong("a byte was not received: " + received.error().message());
  of.moved(way::round_trip);
}

task yields_and_works(loop_executor& by, life& of) {
  const std::uint32_t times = 1 + of.numbers().below(4);
  const duration work{of.numbers().below(5'000)};
  for (std::uint32_t k = 0; k != times; ++k) {
    const instant end = monotonic_clock::now() + work;
    while (monotonic_clock::now() < end) co_await preempt::yield_if_needed();
    co_await preempt::yield_now(by);
  }
  of.moved(way::yields);
}

task writes_home(loop_executor& /*by*/, life& of) {
  const auto written =
      co_await iosubmit::awaiting(of.io(), iosubmit::entries::write(of.bytes().in(), one_byte));
  if (!written || *written != 1) of.wrong("a byte was not written: " + written.error().message());
  of.moved(way::byte_home);
}

task waits_in_vain(loop_executor& by, life& of, way how) {
  canceller soon{of};
  std::array<std::byte, 1> into{};
  event never_woken{of.loop().channel()};
  if (how == way::waits_for_wake) {
    const auto ended = co_await never_woken.wait(soon.slot);
    expect_cancelled(of, ended, how);
  } else if (how == way::waits_for_timer) {
    const auto ended = co_await timer::sleep_until(of.timers(), never, soon.slot);
    expect_cancelled(of, ended, how);
  } else {
    const auto ended =
        co_await iosubmit::awaiting(of.io(), iosubmit::entries::read(of.quiet().out(), into), soon.slot);
    expect_cancelled(of, ended, how);
  }
  while (!soon.slot.is_requested()) co_await preempt::yield_now(by);
  of.moved(how);
}

task reads_bytes(loop_executor& /*by*/, life& of) {
  const counted serving{of.owner().reads};
  std::array<std::byte, 64> into{};
  for (;;) {
    const auto count =
        co_await iosubmit::awaiting(of.io(), iosubmit::entries::read(of.bytes().out(), into), of.all());
    if (count) of.arrive(*count);
    if (!count && count.error() != std::errc::operation_canceled)
      of.wrong("bytes could not be read: " + count.error().message());
    if (!count || of.is_ending()) co_return;
  }
}

task listens(loop_executor& /*by*/, life& of, letter_box::counted_event& to) {
  const counted serving{of.owner().listens};
  for (;;) {
    const auto woken = co_await to.wait(of.all());
    if (!woken) co_return;
    of.take(to);
  }
}

}  // namespace pinion::scheduler::testing
