// SPDX-License-Identifier: Apache-2.0
//
// fake_kernel: an io_uring in memory, as old as it is asked to be, that refuses what it is told to.
//
// It knows the flags, features, registrations and operations of its level and answers EINVAL to the others,
// as the kernel does; it keeps the queues in the kernel's layout, so the ring over it is the shipped one.
// Time does not pass: a wait that finds nothing ends what is held (poll, timeout: whatever is no nop and no
// cancel), and is over; or it is over, and what is held waits for its cancel.
//
//   fake_kernel kernel{601};                                     // Linux 6.1
//   kernel.fails(faulty::enter, -EAGAIN, 2);                     // the next two enters
//   basic_uring_ring<faulty_calls> ring{{.entries = 8}};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <vector>

namespace pinion::iosubmit::testing {

/// What can be made to fail.
enum class faulty : std::uint8_t {
  setup,
  map,
  probe,
  enable,
  add_descriptor,
  enter,
  caller,
  add_buffer_ring,
  add_buffers,
  add_files,
  update_files,
  send_zc,
  close,
  last = close
};

/// A thread, as the kernel tells them apart.
using caller = const void*;

/// One ring at a time. Levels are hundreds of the major version and the minor one: 5.18 is 518.
class fake_kernel {
 public:
  static constexpr int always = std::numeric_limits<int>::max();
  static constexpr std::array<int, 10> levels{510, 511, 513, 518, 519, 600, 601, 606, 612, 615};

  explicit fake_kernel(int level);
  fake_kernel(const fake_kernel&) = delete;
  fake_kernel& operator=(const fake_kernel&) = delete;
  ~fake_kernel();

  /// The one that faulty_calls reach.
  static fake_kernel& current();

  /// The next so many of these calls are answered with that.
  void fails(faulty call, int error, int times) { faults_[static_cast<std::size_t>(call)] = {error, times}; }
  /// Setup does not know these flags, whatever the level says.
  void forgets(std::uint32_t setup_flags) { forgotten_ |= setup_flags; }
  /// The next enter takes at most so many.
  void takes_at_most(std::uint32_t count) { most_ = count; }
  /// Completions wait, flagged, until an enter that fetches.
  void keeps_completions_back() { keeps_back_ = true; }
  /// What does not fit is dropped instead of kept.
  void has_no_memory_for_overflow() { drops_ = true; }
  /// Nobody ever speaks on what is held.
  void holds_until_cancelled() { holds_ = true; }
  /// Another ring sends that.
  void deliver(const ring_completion& message) { complete(message); }
  /// The next so many enters come from another thread than the one that calls: from one without rings, or
  /// with a ring in another place.
  void is_entered_by_newcomer(int times) { fails(faulty::caller, newcomer, times); }
  void is_entered_by_neighbour(int times) { fails(faulty::caller, neighbour, times); }

  // What explanations look at.
  int disabled_by_setting = 0;
  std::uint64_t memory_limit = 65536;
  std::uint64_t descriptor_limit = 1024;

  // What was seen.
  int setups = 0, enters = 0, waits = 0;
  int rings = 0, mappings = 0, registered = 0, buffer_rings = 0, pinned = 0;  // that are there now
  std::vector<int> files;                                                     // by their places
  std::vector<ring_entry> entries_taken;                                      // all entries, in order
  bool saw_registered_enter = false, saw_min_wait = false, saw_no_iowait = false, saw_timeout = false;
  bool saw_short_enter = false, saw_overflow = false, saw_kept_back = false;
  std::uint32_t last_wait_for = 0;
  /// How often this has failed, and how often all that are to fail some times still will.
  [[nodiscard]] int times_met(faulty call) const noexcept { return met_[static_cast<std::size_t>(call)]; }
  [[nodiscard]] int times_met() const noexcept;
  [[nodiscard]] int times_left() const noexcept;

  // The calls.
  int setup(std::uint32_t entries, kernel::setup_parameters& parameters);
  int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
            const kernel::wait_argument* argument);
  int enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count);
  int map(int ring, std::size_t bytes, std::uint64_t region, void*& at);
  void unmap(void* at, std::size_t bytes);
  void close(int ring);

 private:
  struct fault {
    int error = 0;
    int times = 0;
  };
  static constexpr int descriptor = 100;
  static constexpr std::uint32_t places = 16;
  static constexpr int newcomer = 1, neighbour = 2;

  int enlist_files_or_memory(std::uint32_t what, void* argument, std::uint32_t count);
  int injected(faulty call) noexcept;
  [[nodiscard]] caller who_calls() noexcept;
  [[nodiscard]] int named(int ring, bool by_place, caller by) const;
  [[nodiscard]] bool defers() const noexcept;
  std::uint32_t& word(std::uint32_t offset) noexcept;
  std::uint32_t take(std::uint32_t submit);
  void run(const ring_entry& entry);
  void end_what_is_held(std::int32_t result);
  void complete(const ring_completion& one);
  void post(const ring_completion& one);
  void fetch();
  [[nodiscard]] std::uint32_t posted() noexcept;

  int level_;
  static constexpr std::size_t calls = static_cast<std::size_t>(faulty::last) + 1;

  std::array<fault, calls> faults_{};
  std::array<int, calls> met_{};
  std::uint32_t forgotten_ = 0;
  std::uint32_t most_ = std::numeric_limits<std::uint32_t>::max();
  bool keeps_back_ = false;
  bool drops_ = false;
  bool holds_ = false;
  bool has_dropped_ = false;
  bool is_enabled_ = false;
  kernel::setup_parameters made_;
  std::vector<std::uint64_t> queues_;
  std::vector<ring_entry> entries_;
  std::deque<ring_completion> overflow_;
  std::deque<ring_completion> kept_back_;
  std::vector<ring_entry> held_;
  caller owner_ = nullptr;
  std::map<caller, std::map<std::uint32_t, int>> rings_of_;  // each thread's places, and the rings there
};

/// The calls of the ring that is tested.
struct faulty_calls {
  static int setup(std::uint32_t entries, kernel::setup_parameters& parameters) noexcept {
    return fake_kernel::current().setup(entries, parameters);
  }
  static int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                   const kernel::wait_argument* argument) noexcept {
    return fake_kernel::current().enter(ring, submit, wait_for, flags, argument);
  }
  static int enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    return fake_kernel::current().enlist(ring, what, argument, count);
  }
  static int map(int ring, std::size_t bytes, std::uint64_t region, void*& at) noexcept {
    return fake_kernel::current().map(ring, bytes, region, at);
  }
  static void unmap(void* at, std::size_t bytes) noexcept { fake_kernel::current().unmap(at, bytes); }
  static void close(int ring) noexcept { fake_kernel::current().close(ring); }
  static std::uint64_t memory_limit() noexcept { return fake_kernel::current().memory_limit; }
  static std::uint64_t descriptor_limit() noexcept { return fake_kernel::current().descriptor_limit; }
  static int disabled_by_setting() noexcept { return fake_kernel::current().disabled_by_setting; }
};

}  // namespace pinion::iosubmit::testing
