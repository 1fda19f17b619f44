// SPDX-License-Identifier: Apache-2.0
//
// life: one engine of an owner in the world, from its making to its end, and the tokens that are with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine.hpp"
#include "pipe.hpp"
#include "world.hpp"

namespace pinion::scheduler::testing {

/// Of the owner's thread.
class life {
 public:
  life(world& in, std::size_t number, const composition& which, dice& numbers);
  life(const life&) = delete;
  life& operator=(const life&) = delete;
  ~life() = default;

  /// Until it has seen enough, or the world is over; tokens that are left are in the owner's hand.
  void run();

  /// So many tokens are here, and go on.
  void arrive(std::int64_t tokens);
  /// Takes what an event brought.
  void take(letter_box::counted_event& from);
  /// A token goes on in some way.
  void go_on();
  /// It has: counted, and goes on.
  void moved(way how);
  void wrong(const std::string& what);

  // For the ways.
  [[nodiscard]] engine& loop() noexcept { return *engine_; }
  [[nodiscard]] loop_executor& tasks() noexcept { return engine_->tasks(); }
  [[nodiscard]] any_timers& timers() noexcept { return engine_->timers(); }
  [[nodiscard]] any_io& io() noexcept { return *engine_->io(); }
  [[nodiscard]] cancel_slot& all() noexcept { return all_; }
  [[nodiscard]] owner_state& owner() noexcept { return owner_; }
  [[nodiscard]] dice& numbers() noexcept { return numbers_; }
  [[nodiscard]] const pipe& bytes() const noexcept { return owner_.bytes; }
  [[nodiscard]] const pipe& quiet() const noexcept { return quiet_; }
  [[nodiscard]] const std::array<int, 2>& sockets() const noexcept { return sockets_.ends; }
  [[nodiscard]] bool is_ending() const noexcept { return is_ending_; }

 private:
  struct socket_pair {
    socket_pair();
    socket_pair(const socket_pair&) = delete;
    socket_pair& operator=(const socket_pair&) = delete;
    ~socket_pair();
    std::array<int, 2> ends{-1, -1};
  };
  struct own_timer {
    timer::handle name{};
    instant due{};
    bool is_armed = false;
  };

  void begin();
  void end();
  [[nodiscard]] bool can(way how) const noexcept;
  [[nodiscard]] way draw_way() noexcept;
  void go(way how);
  void count_begun(way how) noexcept;
  bool send(way how);
  bool push(const office& to, way how);
  bool write_byte();
  void arm_own();
  void disturb_others();
  void came_due(std::size_t place);
  [[nodiscard]] std::shared_ptr<const office> some_office();

  world& world_;
  owner_state& owner_;
  std::size_t number_;
  dice& numbers_;
  cancel_slot all_;
  pipe quiet_;
  socket_pair sockets_;
  std::unique_ptr<engine> engine_;
  std::shared_ptr<letter_box> box_;
  std::vector<own_timer> own_;
  std::size_t armed_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t moves_max_;
  bool is_ending_ = false;
};

// The ways that are coroutines. Each ends with moved().
task sleeps_a_while(loop_executor& by, life& of);
task sleeps_in_ring(loop_executor& by, life& of);
task goes_round(loop_executor& by, life& of);
task yields_and_works(loop_executor& by, life& of);
task writes_home(loop_executor& by, life& of);
task waits_in_vain(loop_executor& by, life& of, way how);
// What serves others' tokens.
task reads_bytes(loop_executor& by, life& of);
task listens(loop_executor& by, life& of, letter_box::counted_event& to);

}  // namespace pinion::scheduler::testing
