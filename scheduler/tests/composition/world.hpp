// SPDX-License-Identifier: Apache-2.0
//
// world: a machine in virtual time, for several owners of loops: its clock, its descriptors, and what other
// threads do meanwhile.
//
//   world in{instant{1'000'000'000}};
//   in.at(in.now() + duration{1'000'000}, [&] { sender.push(event); });   // another thread, in 1 ms
//   in.pass(duration{50'000});                                           // a task computes
//
// Time passes where a task computes (pass) and where an owner waits in its ring or its notifier. What others
// do comes at its time in both. One world at a time: what the notifiers ask of the operating system they ask
// static functions for, and those ask the world that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/base/ring.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <random>
#include <utility>
#include <vector>

namespace pinion::scheduler::testing {

class kernel_ring;

class world {
 public:
  explicit world(instant start);
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world();

  /// The one that is.
  [[nodiscard]] static world& current() noexcept { return *current_; }

  [[nodiscard]] sim::virtual_clock& clock() noexcept { return clock_; }
  [[nodiscard]] instant now() const noexcept { return clock_.time(); }

  /// What another thread does then.
  void at(instant when, std::function<void()> what);
  /// The first that others do until then, at its time; false: nothing.
  bool others(instant until);
  /// They do nothing of what was to come.
  void forget_others() {
    deeds_.clear();
    between_calls_ = nullptr;
  }
  /// A task computes for so long.
  void pass(duration length);

  /// What another thread does in the middle of a round: when the loop has made so many more calls of its
  /// parts.
  void in_so_many_calls(std::uint32_t calls, std::function<void()> what) {
    calls_left_ = calls;
    between_calls_ = std::move(what);
  }
  /// The loop makes one.
  void loop_calls() {
    if (between_calls_ && calls_left_-- == 0) std::exchange(between_calls_, nullptr)();
  }
  [[nodiscard]] bool is_to_come() const noexcept { return static_cast<bool>(between_calls_); }

  /// While one lives, somebody asks for something, cancels or wakes: nobody may go on inside of that (law
  /// C1).
  class call {
   public:
    explicit call(world& in) noexcept : in_(in) { ++in_.calls_; }
    call(const call&) = delete;
    call& operator=(const call&) = delete;
    ~call() { --in_.calls_; }

   private:
    world& in_;
  };
  [[nodiscard]] bool is_inside_a_call() const noexcept { return calls_ != 0; }

  // What the operating system has: counters (eventfd) and rings, by their descriptors. Errors are negative.
  [[nodiscard]] int open_counter();
  int add_one(int descriptor);
  int take(int descriptor);
  void close(int descriptor);
  [[nodiscard]] int add_ring(const kernel_ring& ring);
  void remove_ring(const kernel_ring& ring);
  [[nodiscard]] int duplicate(int ring);
  int send(int ring, std::uint64_t user_data);
  /// A poll that stays, of a counter.
  void watch(const kernel_ring& ring, const ring_entry& entry);
  void forget_watch(const kernel_ring& ring, std::uint64_t user_data);

  bool has_messages = true;   ///< a thread without a ring can send a completion into one (Linux 6.13)
  std::uint64_t signals = 0;  ///< writes into counters, messages by calls and by entries
  std::uint64_t stuck = 0;    ///< waits of notifiers that nobody would ever have ended

 private:
  struct deed {
    instant at;
    std::uint64_t order;
    std::function<void()> what;
  };
  struct watcher {
    const kernel_ring* ring;
    std::uint64_t user_data;
  };
  struct file {
    bool is_open = false;
    const kernel_ring* ring = nullptr;  // else a counter
    std::uint64_t count = 0;
    std::vector<watcher> watchers{};
  };

  [[nodiscard]] file* find(int descriptor) noexcept;
  int open(file what);
  void tell(const file& counter);

  static inline world* current_ = nullptr;

  sim::virtual_clock clock_;
  world* outer_;
  std::vector<deed> deeds_;  // a heap, the first at its front
  std::uint64_t orders_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t calls_left_ = 0;
  std::function<void()> between_calls_;
  std::vector<file> files_;
  std::vector<const kernel_ring*> rings_;
};

/// What a ring is like.
struct temper {
  const char* name = "";
  sim::virtual_ring_options ring{};
  bool tells_unasked = true;  ///< false: it is a ring of readiness calls without a descriptor, as over epoll
  bool is_faulty = false;     ///< enters fail, fall short and end early, as the numbers fall

  /// Whether it has flags in which the kernel says that completions are kept back (DEFER_TASKRUN with
  /// TASKRUN_FLAG).
  [[nodiscard]] bool has_flags() const noexcept { return ring.keeps_back && tells_unasked; }
};

/// The kernel's side of a ring.
class kernel_ring {
 public:
  kernel_ring(world& in, const temper& how, std::uint64_t seed);
  kernel_ring(const kernel_ring&) = delete;
  kernel_ring& operator=(const kernel_ring&) = delete;
  ~kernel_ring();

  /// Something came from elsewhere: a message, or a counter that is watched became readable.
  void deliver(const ring_completion& what) const;
  /// Time has passed: the flags say what is kept back.
  void look() const noexcept;
  /// Whether something has come that is not handed out yet, kept back or not.
  [[nodiscard]] bool has_come() const noexcept { return inner.has_completions() || inner.wants_enter(); }
  ring_entered enter(const ring_wait& wait) noexcept;
  void handed_out(const ring_completion& what) noexcept;

  world& in;
  const temper how;
  sim::virtual_ring inner;
  int descriptor = -1;
  std::uint64_t enters = 0;
  std::uint64_t waits = 0;  ///< those among them that were to wait
  mutable std::uint32_t flags = 0;

 private:
  [[nodiscard]] sim::virtual_answer answer(const ring_entry& entry, instant now);
  void misbehave() noexcept;

  std::mt19937_64 numbers_;
};

/// The owner's side: sim's ring as iosubmit's concept has it, and with what preempt's uring_source asks of
/// one.
class world_ring {
 public:
  struct ring_features {
    std::uint32_t setup_flags = 0;
  };

  world_ring(world& in, const temper& how, std::uint64_t seed)
      : kernel_(std::make_unique<kernel_ring>(in, how, seed)) {}

  [[nodiscard]] const kernel_ring& kernel() const noexcept { return *kernel_; }
  [[nodiscard]] const std::uint32_t* flags() const noexcept { return &kernel_->flags; }
  [[nodiscard]] ring_features features() const noexcept;

  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept {
    return kernel_->inner.supports(operation);
  }
  [[nodiscard]] std::uint32_t room() const noexcept { return kernel_->inner.room(); }
  void put(const ring_entry& entry) noexcept { kernel_->inner.put(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return kernel_->inner.pending(); }
  [[nodiscard]] bool has_completions() const noexcept { return kernel_->inner.has_completions(); }
  [[nodiscard]] bool wants_enter() const noexcept {
    return kernel_->inner.wants_enter() || (!kernel_->how.tells_unasked && kernel_->inner.in_flight() != 0);
  }
  ring_entered enter(const ring_wait& wait) noexcept { return kernel_->enter(wait); }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    return kernel_->inner.reap([&](const ring_completion& c) noexcept {
      kernel_->handed_out(c);
      sink(c);
    });
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    return kernel_->inner.withdraw(sink);
  }
  [[nodiscard]] int descriptor() const noexcept { return kernel_->descriptor; }
  [[nodiscard]] bool is_owner() const noexcept { return kernel_->descriptor >= 0; }

 private:
  std::unique_ptr<kernel_ring> kernel_;
};

/// What a device is asked in these tests, and after how long it answers 1; `forever`: not before it is
/// cancelled. One that can't be cancelled is answered at its time, whatever is asked.
[[nodiscard]] ring_entry device_answers(duration after, bool can_be_cancelled = true) noexcept;

/// What basic_eventfd_notifier and basic_msg_ring_notifier ask the operating system for.
struct world_calls {
  static int open() noexcept { return world::current().open_counter(); }
  static int add_one(int descriptor) noexcept { return world::current().add_one(descriptor); }
  static int take(int descriptor) noexcept { return world::current().take(descriptor); }
  static int wait(int /*descriptor*/, duration /*timeout*/) noexcept { return 0; }
  static void close(int descriptor) noexcept { world::current().close(descriptor); }
  static int duplicate(int ring) noexcept { return world::current().duplicate(ring); }
  static bool can_send() noexcept { return world::current().has_messages; }
  static int send(int ring, std::uint64_t user_data) noexcept {
    return world::current().send(ring, user_data);
  }
};

/// A clock and a sync_traits for basic_futex_notifier, whose owner sleeps in the world.
struct world_time {
  static instant now() noexcept { return world::current().now(); }
};
struct world_sync : std_sync {
  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, instant until) noexcept;
  static void futex_wake(const atomic<std::uint32_t>& /*word*/, std::uint32_t /*count*/) noexcept {}
};

}  // namespace pinion::scheduler::testing
