// SPDX-License-Identifier: Apache-2.0
//
// rounds: has an io_context call one function: soon, when a time has come, and when a descriptor was written
// to. And served: the base of what asks it to.
//
// Handlers of ours may still be in the context when the turn has gone. They keep this object, which then
// calls nobody.
#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <system_error>
#include <utility>

namespace pinion::asio::inline PINION_MODE::turn_detail {

/// Of one context, and of its thread. Kept by shared_ptr.
class rounds : public std::enable_shared_from_this<rounds> {
 public:
  using function = void (*)(void* turn);

  /// Calls `round` with `turn`.
  rounds(boost::asio::io_context& context, function round, void* turn)
      : context_(context), timer_(std::in_place, context), watched_(context), round_(round), turn_(turn) {}

  /// A round comes in the context's queue, before it waits: one, however often it is asked for, and none for
  /// what a round does, which looks again at its end. Allocates nothing.
  void ask() noexcept {
    if (is_asked_ || is_inside_ || turn_ == nullptr) return;
    is_asked_ = true;
    boost::asio::post(context_, asked{shared_from_this()});
  }
  /// The same, for a timer that is due then.
  void ask_for(instant due) noexcept {
    asked_for_ = std::min(asked_for_, due);
    ask();
  }
  /// When a time brings one.
  [[nodiscard]] instant wakes_at() const noexcept { return set_for_; }

  /// Each write to this eventfd brings a round, until ignore().
  void listen(int descriptor) {
    watched_.assign(descriptor);
    listen_on();
  }
  /// Again: nothing. The descriptor stays open.
  void ignore() noexcept {
    if (watched_.is_open()) watched_.release();
  }

  /// Nobody is called any more.
  void end() noexcept {
    turn_ = nullptr;
    ignore();
    timer_.reset();
  }

  /// As long as a round lasts. Another one comes, unless it was settled that there is nothing more to do.
  class lasting {
   public:
    explicit lasting(rounds& of) noexcept : of_(of) { of_.is_inside_ = true; }
    lasting(const lasting&) = delete;
    lasting& operator=(const lasting&) = delete;
    ~lasting() {
      of_.is_inside_ = false;
      if (!is_settled_) of_.ask();
    }
    /// Until then nothing is due; `never`: nothing will be, and the context may end.
    void settle(instant until, instant now) {
      of_.wake_at(until, now);
      is_settled_ = true;
    }

   private:
    rounds& of_;
    bool is_settled_ = false;
  };

 private:
  struct room {
    alignas(std::max_align_t) std::byte bytes[320];
  };
  /// Room for one handler, of which there is one at a time: its allocator has it, and keeps its owner.
  template <class T>
  struct in_room {
    using value_type = T;
    in_room(std::shared_ptr<rounds> owner, room& where) noexcept : of(std::move(owner)), at(&where) {}
    template <class U>
    explicit(false) in_room(const in_room<U>& other) noexcept : of(other.of), at(other.at) {}
    T* allocate([[maybe_unused]] std::size_t count) noexcept {
      static_assert(sizeof(T) <= sizeof(room) && alignof(T) <= alignof(room));
      return reinterpret_cast<T*>(at->bytes);
    }
    static void deallocate(T* /*at*/, std::size_t /*count*/) noexcept {}
    template <class U>
    bool operator==(const in_room<U>& other) const noexcept {
      return at == other.at;
    }
    std::shared_ptr<rounds> of;
    room* at;
  };
  struct asked {
    using allocator_type = in_room<void>;
    std::shared_ptr<rounds> of;
    [[nodiscard]] allocator_type get_allocator() const noexcept { return {of, of->room_to_ask_}; }
    void operator()() const {
      of->is_asked_ = false;
      of->run();
    }
  };
  struct heard {
    using allocator_type = in_room<void>;
    std::shared_ptr<rounds> of;
    [[nodiscard]] allocator_type get_allocator() const noexcept { return {of, of->room_to_hear_}; }
    void operator()(const boost::system::error_code& error, std::size_t /*bytes*/) const {
      if (error || !of->watched_.is_open()) return;
      of->listen_on();
      of->run();
    }
  };

  void run() {
    if (turn_ != nullptr) round_(turn_);
  }
  void wake_at(instant until, instant now);
  // Allocates nothing, so it can't leave a turn deaf.
  void listen_on() {
    watched_.async_read_some(boost::asio::buffer(&signals_, sizeof signals_), heard{shared_from_this()});
  }

  boost::asio::io_context& context_;
  std::optional<boost::asio::steady_timer> timer_;  // none when the turn has gone
  boost::asio::posix::stream_descriptor watched_;
  function round_;
  void* turn_;
  std::uint64_t signals_ = 0;  // read, and of no interest
  instant set_for_ = never;
  instant asked_for_ = never;
  bool is_asked_ = false;
  bool is_inside_ = false;
  room room_to_ask_, room_to_hear_;
};

inline void rounds::wake_at(instant until, instant now) {
  const instant wanted = std::exchange(asked_for_, never);
  if (until == never) {
    if (std::exchange(set_for_, never) != never) timer_->cancel();
    return;
  }
  // Also for a timer that has gone meanwhile, as a request's that was answered at once: then those that are
  // like it, and later, ask for nothing. Set for an earlier time than is needed, the context wakes once for
  // nothing.
  if (now < wanted) until = std::min(until, wanted);
  if (until >= set_for_) return;
  set_for_ = never;
  timer_->expires_after(ceil_to<std::chrono::nanoseconds>(until - now));
  timer_->async_wait([of = shared_from_this()](const boost::system::error_code& error) {
    if (error) return;
    of->set_for_ = never;
    of->run();
  });
  set_for_ = until;
}

/// What a turn serves. It asks for rounds, as long as there is a turn.
class served {
  friend class serving;

 public:
  served() noexcept = default;
  served(const served&) = delete;
  served& operator=(const served&) = delete;

 protected:
  ~served() = default;
  void ask() const noexcept {
    if (by_ != nullptr) by_->ask();
  }
  /// A timer was armed, or moved.
  template <class Store>
  void ask_for(instant deadline, const Store& store) const noexcept {
    if (deadline == never) return ask_if_none(store);
    if (by_ == nullptr || deadline >= by_->wakes_at()) return;
    // A store rounds up, so that a timer often comes with others.
    if (const instant due = store.next_wakeup(); due < by_->wakes_at()) by_->ask_for(due);
  }
  /// A timer has gone: if nothing will fire any more, the context is not to wait.
  template <class Store>
  void ask_if_none(const Store& store) const noexcept {
    if (by_ != nullptr && by_->wakes_at() != never && store.next_wakeup() == never) by_->ask();
  }

 private:
  rounds* by_ = nullptr;
};

/// As long as a turn serves something.
class serving {
 public:
  /// Throws a refusal where another turn serves it. A nullptr is nothing to serve.
  serving(served* what, rounds& by) : what_(what) {
    if (what == nullptr) return;
    if (what->by_ != nullptr)
      throw_refusal({.code = std::make_error_code(std::errc::device_or_resource_busy),
                     .asked = "timers or tasks for a turn in an io_context",
                     .reason = "another turn serves them already",
                     .remedy = "give each turn its own, or let the other one go before"});
    what->by_ = &by;
  }
  serving(const serving&) = delete;
  serving& operator=(const serving&) = delete;
  ~serving() {
    if (what_ != nullptr) what_->by_ = nullptr;
  }

 private:
  served* what_;
};

}  // namespace pinion::asio::inline PINION_MODE::turn_detail
