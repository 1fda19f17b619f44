// SPDX-License-Identifier: Apache-2.0
//
// parker over I/O and over a wait of its owner's, in virtual time: what its spin sees, what it serves, and
// when it sleeps.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/waker.hpp>
#include <string>
#include <vector>

namespace pinion::waker {
namespace {

using namespace std::chrono_literals;

constexpr spin_options two_cores{.most = ceil(20us), .least = ceil(1us), .cores = 2};
constexpr spin_options no_spin{.most = duration{0}, .least = ceil(1us), .cores = 2};
constexpr auto forget = [](wake_node&) {};

// I/O whose answers come when a test says. Its log: s submits, p parks, w its wait is over, t turn, a an
// answer.
struct virtual_io {
  explicit virtual_io(sim::virtual_clock& with) : clock(with) {}

  template <class Woke>
  void park(instant until, Woke woke) {
    log += 'p';
    if (while_asleep) while_asleep();
    if (!has_answers() && !is_signalled) clock.advance_to(std::min(until, answer_at));
    is_signalled = false;
    woke();
    log += 'w';
    hand_out();
  }
  void turn(instant now) {
    log += 't';
    turned_at = now;
    hand_out();
  }
  void submit() noexcept { log += 's'; }
  [[nodiscard]] bool has_answers() const noexcept { return answer_at <= clock.time(); }
  void hand_out() {
    if (!has_answers()) return;
    log += 'a';
    answer_at = never;
    if (answered) answered();
  }

  sim::virtual_clock& clock;
  std::string log;
  instant answer_at = never;
  instant turned_at{};
  std::function<void()> answered, while_asleep;
  bool is_signalled = false;
  bool has_room = true;
};
static_assert(parking_io<virtual_io>);

// A notifier that ends its waits.
struct io_notifier {
  struct attachment {
    io_notifier& of;
    [[nodiscard]] bool renew() const noexcept { return of.io->has_room; }
    ~attachment() { of.io = nullptr; }
  };
  bool signal() noexcept {
    ++signals;
    if (io != nullptr) io->is_signalled = true;
    return true;
  }
  static bool consume() noexcept { return false; }
  attachment attach(virtual_io& to) {
    io = &to;
    return {*this};
  }
  virtual_io* io = nullptr;
  int signals = 0;
};
static_assert(attachable_notifier<io_notifier, virtual_io>);

struct parking_in_io {
  explicit parking_in_io(spin_options options)
      : park(channel, io, options, sim::virtual_clock::view{clock}) {}

  using channel_type = wake_channel<tagged_inbox, io_notifier>;
  sim::virtual_clock clock{instant{1'000}};
  wake_node node;
  virtual_io io{clock};
  channel_type channel;
  parker<channel_type, virtual_io&, sim::virtual_clock::view> park;
  channel_type::sender_type sender = channel.sender();
};

TEST(ParkerOverIo, SleepsInItUntilAnAnswerAWakeOrItsTime) {
  parking_in_io p{no_spin};

  p.io.answer_at = instant{4'000};
  EXPECT_EQ(p.park(instant{9'000}), park_end::answers);
  EXPECT_EQ(p.clock.time(), instant{4'000});
  EXPECT_EQ(p.io.log, "pwa");

  p.io.while_asleep = [&] { p.sender.push(p.node); };
  EXPECT_EQ(p.park(instant{9'000}), park_end::wakes);
  EXPECT_EQ(p.clock.time(), instant{4'000});
  EXPECT_EQ(p.channel.notifier().signals, 1);
  p.channel.drain(forget);
  p.io.while_asleep = nullptr;

  EXPECT_EQ(p.park(instant{9'000}), park_end::timeout);
  EXPECT_EQ(p.clock.time(), instant{9'000});
  EXPECT_EQ(p.io.log, "pwapwpw");
}

// What has been queued goes before the spin, since its answers are what the spin is for; without a spin, with
// the sleep.
TEST(ParkerOverIo, ASpinSeesAnAnswerAndDoesNotSleep) {
  parking_in_io p{two_cores};
  p.clock.tick(duration{200}, /*seed=*/1);
  p.io.answer_at = p.clock.time() + ceil(2us);

  EXPECT_EQ(p.park(never), park_end::answers);

  EXPECT_EQ(p.io.log, "sta");
  EXPECT_LE(p.io.turned_at, p.clock.time());
  EXPECT_LE(instant{1'000} + ceil(2us), p.io.turned_at) << "it is told the time that it is";
}

TEST(ParkerOverIo, ASpinThatSeesNothingIsFollowedByOneSleep) {
  parking_in_io p{two_cores};
  p.clock.tick(duration{200}, /*seed=*/1);

  EXPECT_EQ(p.park(p.clock.time() + ceil(1ms)), park_end::timeout);

  EXPECT_EQ(p.io.log, "spw");
}

TEST(ParkerOverIo, ServesItAlsoWhereItDoesNotSleep) {
  parking_in_io p{no_spin};
  p.io.answer_at = instant{};
  p.sender.push(p.node);

  EXPECT_EQ(p.park(never), park_end::wakes);
  EXPECT_EQ(p.io.log, "ta");
  p.channel.drain(forget);

  p.io.log.clear();
  EXPECT_EQ(p.park(p.clock.time()), park_end::timeout);
  EXPECT_EQ(p.io.log, "t");

  p.io.log.clear();
  p.io.has_room = false;
  EXPECT_EQ(p.park(never), park_end::timeout) << "the notifier is not watched for";
  EXPECT_EQ(p.io.log, "t");
}

// Law C6: the owner is awake when answers are handed out.
TEST(ParkerOverIo, AnAnswerThatPushesIntoItsOwnChannelSignalsNobody) {
  parking_in_io p{no_spin};
  p.io.answer_at = instant{4'000};
  push_result pushed{};
  p.io.answered = [&] { pushed = p.sender.push(p.node); };

  EXPECT_EQ(p.park(never), park_end::answers);

  EXPECT_EQ(pushed, push_result::queued);
  EXPECT_EQ(p.channel.notifier().signals, 0);
  EXPECT_EQ(p.channel.drain(forget), 1U);
}

TEST(ParkerOverIo, SleepsOnWhereTheChannelIsClosed) {
  parking_in_io p{no_spin};
  p.channel.close(forget);
  p.io.answer_at = instant{4'000};

  EXPECT_EQ(p.park(never), park_end::answers);
  EXPECT_EQ(p.io.log, "pwa");
  p.channel.push(p.node);

  EXPECT_EQ(p.park(never), park_end::wakes) << "what its owner has pushed since";
  EXPECT_EQ(p.io.log, "pwat");
  p.channel.drain(forget);
}

TEST(ParkerOverIo, IsAttachedWhileItLives) {
  parking_in_io p{no_spin};
  {
    parking_in_io::channel_type channel;
    const parker park{channel, p.io};
    EXPECT_EQ(channel.notifier().io, &p.io);
  }

  EXPECT_EQ(p.channel.notifier().io, &p.io);
}

// A spin that would have seen the answer pays: how long it would have had to be is learned from short sleeps.
TEST(ParkerOverIo, LearnsFromSleepsThatAnAnswerEnded) {
  parking_in_io p{two_cores};
  p.clock.tick(duration{200}, /*seed=*/1);
  for (int k = 0; k != 20; ++k) p.park(p.clock.time() + ceil(1ms));
  p.io.log.clear();
  p.park(p.clock.time() + ceil(1ms));
  EXPECT_EQ(p.io.log, "pw") << "it has given up";

  p.io.answer_at = p.clock.time() + ceil(4us);
  p.park(never);
  p.io.log.clear();
  p.io.answer_at = p.clock.time() + ceil(4us);
  p.park(never);

  EXPECT_EQ(p.io.log, "sta");
}

TEST(ParkerOverIo, LearnsNothingFromASleepThatOnlyItsTimeEnded) {
  parking_in_io p{two_cores};
  p.clock.tick(duration{200}, /*seed=*/1);
  for (int k = 0; k != 20; ++k) p.park(p.clock.time() + ceil(1ms));

  for (int k = 0; k != 20; ++k) p.park(p.clock.time() + ceil(4us));
  p.io.log.clear();
  p.park(p.clock.time() + ceil(1ms));

  EXPECT_EQ(p.io.log, "pw");
}

// A wait of the owner's, which looks at descriptors besides.
struct own_wait {
  std::vector<instant>& calls;
  sim::virtual_clock& clock;
  std::function<void()>& while_asleep;
  void operator()(instant until) const {
    calls.push_back(until);
    if (until <= clock.time()) return;
    if (while_asleep)
      while_asleep();
    else
      clock.advance_to(until);
  }
};
struct parking_by_hand {
  explicit parking_by_hand(spin_options options)
      : park(channel, own_wait{calls, clock, while_asleep}, options, sim::virtual_clock::view{clock}) {}

  using channel_type = wake_channel<tagged_inbox, sim::virtual_notifier>;
  sim::virtual_clock clock{instant{1'000}};
  wake_node node;
  std::vector<instant> calls;
  std::function<void()> while_asleep;
  channel_type channel{clock};
  parker<channel_type, own_wait, sim::virtual_clock::view> park;
  channel_type::sender_type sender = channel.sender();
};

TEST(ParkerOverAWait, CallsItOnceInEachParkAndWithATimeThatHasBeenWhereItMayNotSleep) {
  parking_by_hand p{no_spin};

  EXPECT_EQ(p.park(instant{2'000}), park_end::timeout);
  EXPECT_EQ(p.clock.time(), instant{2'000});
  EXPECT_EQ(p.park(instant{2'000}), park_end::timeout);
  p.while_asleep = [&] { p.sender.push(p.node); };
  EXPECT_EQ(p.park(never), park_end::wakes);
  EXPECT_EQ(p.park(never), park_end::wakes) << "it is still there";

  EXPECT_EQ(p.calls, (std::vector<instant>{instant{2'000}, instant{}, never, instant{}}));
  EXPECT_EQ(p.channel.notifier().signals(), 1U);
  EXPECT_EQ(p.channel.notifier().waits(), 0U) << "the notifier's own wait is not its owner's";
  p.channel.drain(forget);
  p.sender.push(p.node);
  EXPECT_EQ(p.channel.notifier().signals(), 1U) << "it is not armed afterwards";
  p.channel.drain(forget);
}

TEST(ParkerOverAWait, SleepsOnWhereTheChannelIsClosed) {
  parking_by_hand p{no_spin};
  p.channel.close(forget);

  EXPECT_EQ(p.park(instant{2'000}), park_end::timeout);

  EXPECT_EQ(p.calls, std::vector<instant>{instant{2'000}});
}

// What a loop has that looks at a ring of another library: the calls that the spin asks for, if they are
// there.
TEST(ParkerOverAWait, ItsSpinLooksAtWhatTheWaitCanSay) {
  struct looking {
    std::string& log;
    int& looks;
    void operator()(instant until) const { log += until == instant{} ? 't' : 'p'; }
    void submit() const noexcept { log += 's'; }
    [[nodiscard]] bool has_answers() const noexcept { return ++looks > 10; }
  };
  sim::virtual_clock clock{instant{1'000}};
  clock.tick(duration{200}, /*seed=*/1);
  wake_channel<tagged_inbox, sim::virtual_notifier> channel{clock};
  std::string log;
  int looks = 0;
  parker park{channel, looking{log, looks}, two_cores, sim::virtual_clock::view{clock}};

  EXPECT_EQ(park(never), park_end::answers);

  EXPECT_EQ(log, "st");
}

}  // namespace
}  // namespace pinion::waker
