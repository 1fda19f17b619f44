// SPDX-License-Identifier: Apache-2.0
//
// world: owners, each a thread with an engine, between which tokens go round. What the stress test plays in.
//
// A token is in one place at any time: with a task, in a timer, in a letter or event that was pushed, or a
// byte in a pipe. There it waits, and goes on in a way that is drawn: it sleeps, is sent to another owner,
// goes through the kernel, waits for what never comes and is cancelled. So a wake, a timer, an answer or a
// cancel that gets lost takes its tokens along, and if nothing is lost all are there when the threads have
// ended. When the last one is lost nothing moves: the watchdog's case.
//
// An owner has one engine after the other (life.hpp), each of other parts. Its pipe stays; its letters are
// closed with the engine, and senders are told.
//
// Memory ordering: relaxed throughout; what is handed over goes through an inbox or a mutex.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine.hpp"
#include "pipe.hpp"
#include "watchdog.hpp"

namespace pinion::scheduler::testing {

class life;

/// Numbers from a seed.
class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t draw() noexcept {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  std::uint32_t below(std::uint32_t end) noexcept { return static_cast<std::uint32_t>(draw() % end); }
  bool one_in(std::uint32_t times) noexcept { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

/// How a token goes on.
enum class way : std::uint8_t {
  letter,      ///< pushed to an owner, which calls it
  by_port,     ///< the same, and the signal goes with the sender's own ring
  forced,      ///< the same, with a signal in any case
  to_event,    ///< pushed to an owner, one of whose tasks awaits it
  byte,        ///< written into an owner's pipe, of which a task reads through the ring
  byte_home,   ///< written there through the own ring
  sleeps,      ///< in the timers, under a slot
  timer,       ///< a timer of its own, which others push on or take back
  io_sleeps,   ///< a timeout in the ring
  round_trip,  ///< sent and received through a socket of its engine
  yields,      ///< among the tasks, working a little
  waits_for_wake,
  waits_for_timer,
  waits_for_io,  ///< for what never comes, until it is cancelled: by a task, a timer, a wake or an answer
  count
};
inline constexpr std::size_t ways = static_cast<std::size_t>(way::count);
[[nodiscard]] const char* to_string(way of) noexcept;

/// What senders reach an engine by, one for each sender. It stays to the end, when it is counted.
struct letter_box {
  struct counted_letter : waker::wake_call {
    counted_letter() noexcept : wake_call(&came) {}
    static void came(wake_call& self);
    letter_box* box = nullptr;
    std::atomic<std::int64_t> asked{0};
    std::int64_t seen = 0;
  };
  struct counted_event : event {
    using event::event;
    std::atomic<std::int64_t> asked{0};
    std::int64_t seen = 0;
  };
  letter_box(event_channel& channel, std::size_t senders);

  life* owner = nullptr;
  std::vector<std::unique_ptr<counted_letter>> letters;
  std::vector<std::unique_ptr<counted_event>> events;
};

/// Where an owner is reached, while its engine is there and a little longer.
struct office {
  std::shared_ptr<const any_sender> to;
  std::shared_ptr<letter_box> box;
  bool reads_bytes = false;
};

/// One owner, as others see it.
struct alignas(64) owner_state {
  pipe bytes;
  std::mutex mutex;  // of the office, and of who writes to the pipe
  std::shared_ptr<const office> at;
  std::int64_t hand = 0;  // tokens between two engines; the owner's

  // For the watchdog.
  std::array<std::atomic<std::uint64_t>, ways> begun{}, ended{};
  std::atomic<std::uint64_t> lives{0}, rounds{0}, live{0};
  std::atomic<int> reads{0}, listens{0};  // tasks that serve others, by what they wait for
  std::atomic<const char*> phase{"not begun"};
  std::string parts;  // under `mutex`
};

struct world_options {
  std::uint64_t seed = 1;
  std::size_t owners = 2;
  std::int64_t tokens = 4;
  std::uint64_t moves = 1'000;     ///< after so many it ends
  std::uint32_t ways_allowed = 0;  ///< a bit for each
  std::uint32_t fails_one_in = 0;  ///< system calls fail now and then, as kernels do
};

class world {
 public:
  /// `progress` is called at each move, on whichever thread.
  world(const world_options& options, watchdog& progress);
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// Plays it, with a thread for each owner. What was not as it should be; empty if all was.
  [[nodiscard]] std::string play();

  // For owners.
  [[nodiscard]] const world_options& options() const noexcept { return options_; }
  [[nodiscard]] owner_state& owner(std::size_t number) noexcept { return *owners_[number]; }
  [[nodiscard]] bool is_over() const noexcept { return is_over_.load(); }
  void publish(std::size_t number, std::shared_ptr<const office> where);
  void moved(std::size_t number, way how) noexcept;
  void wrong(const std::string& what);

  /// For the watchdog: where everybody is; and how often tokens have gone each way.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] std::array<std::uint64_t, ways> gone() const;

 private:
  void live(std::size_t number);
  void finish();
  void count_what_is_left();

  world_options options_;
  watchdog& progress_;
  std::vector<std::unique_ptr<owner_state>> owners_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<letter_box>> boxes_;
  std::string wrong_;
  std::atomic<std::uint64_t> moves_{0};
  std::atomic<bool> is_over_{false}, is_finishing_{false};
};

}  // namespace pinion::scheduler::testing
