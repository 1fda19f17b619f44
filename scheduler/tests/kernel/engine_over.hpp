// SPDX-License-Identifier: Apache-2.0
//
// engine_over, engine_alone: the instances of turn behind engine. Included where they are made.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <memory>
#include <pinion/iosubmit.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/waker.hpp>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "any_inbox.hpp"
#include "any_source.hpp"
#include "engine.hpp"
#include "seam.hpp"

namespace pinion::scheduler::testing {

using uring = iosubmit::basic_uring_ring<seam_uring>;
using either = iosubmit::either_ring<uring, iosubmit::epoll_ring>;
using eventfd = waker::basic_eventfd_notifier<seam_eventfd>;
using messages = waker::basic_msg_ring_notifier<seam_message, std_sync>;

/// The one of that name.
template <class Kind>
const Kind& named(const std::vector<Kind>& kinds, std::string_view name) {
  for (const Kind& each : kinds)
    if (each.name == name) return each;
  throw std::invalid_argument{"no part is called " + std::string{name}};
}

template <class Channel>
class sender_of final : public any_sender {
 public:
  explicit sender_of(const Channel& channel) : to_(channel.sender()) {}
  waker::push_result push(waker::wake_node& node) const noexcept override { return to_.push(node); }
  waker::push_result push(waker::wake_node& node, any_io& own) const noexcept override {
    return to_.push(node, own);
  }
  waker::push_result force(waker::wake_node& node) const noexcept override { return to_.force(node); }

 private:
  typename Channel::sender_type to_;
};

template <class Io>
class io_of final : public any_io {
 public:
  explicit io_of(Io& io) noexcept : io_(io) {}
  void queue(iosubmit::operation& what) noexcept override { io_.queue(what); }
  void queue_urgent(iosubmit::operation& what) noexcept override { io_.queue_urgent(what); }
  [[nodiscard]] std::uint32_t in_flight() const noexcept override { return io_.in_flight(); }
  [[nodiscard]] int descriptor() const noexcept override {
    if constexpr (ring_port<Io>) return io_.descriptor();
    return -1;
  }
  [[nodiscard]] bool is_owner() const noexcept override {
    if constexpr (ring_port<Io>) return io_.is_owner();
    return false;
  }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept override {
    if constexpr (ring_port<Io>) return io_.queue(entry, answer);
    return false;
  }

 private:
  Io& io_;
};

/// Tasks that a turn runs, and as if there were always some.
struct pretending {
  loop_executor& tasks;
  bool stays_ready;
  [[nodiscard]] bool has_ready() const noexcept { return stays_ready || tasks.has_ready(); }
  void run() const { tasks.run(); }
};

template <class Notifier>
using channel_by = waker::wake_channel<any_inbox, Notifier>;

template <class Notifier>
std::unique_ptr<channel_by<Notifier>> make_channel(const composition& of, auto&... arguments) {
  choose_inbox(named(inbox_kinds(), of.inbox));
  return std::make_unique<channel_by<Notifier>>(arguments...);
}

/// Over a submission.
template <class Notifier, class Ring>
class engine_over final : public engine {
  using io_type = iosubmit::submission<any_policy, Ring>;
  using channel_type = channel_by<Notifier>;

 public:
  engine_over(const composition& which, Ring ring)
      : engine(which), io_(std::move(ring), named(policy_kinds(), which.policy).policy),
        channel_(make_channel<Notifier>(which, io_)), slices_(make_source(which)),
        loop_(timers(), *channel_, io_, slices_), port_(io_) {
    runs_in(slices_.word(), slices_.log());
    is_woken_by(*channel_, std::make_shared<sender_of<channel_type>>(*channel_));
  }
  [[nodiscard]] any_io* io() noexcept override { return &port_; }
  void turn(bool stays_ready) override { loop_(pretending{tasks(), stays_ready}); }
  void end(cancel_slot& all, const std::function<bool()>& is_over) override {
    loop_.end(all, tasks(), is_over);
  }

 private:
  std::unique_ptr<source_behind> make_source(const composition& which) {
    const source_kind& kind = named(source_kinds(), which.source);
    if (kind.make != nullptr) return kind.make();
    if constexpr (std::is_same_v<Ring, uring>)
      return std::make_unique<behind_source<preempt::uring_source<io_type>>>(io_);
    else
      throw std::invalid_argument{"this source needs a uring_ring"};
  }

  io_type io_;
  std::unique_ptr<channel_type> channel_;
  preempt::slicer<any_source> slices_;
  scheduler::turn<any_timers, channel_type, io_type, preempt::slicer<any_source>> loop_;
  io_of<io_type> port_;
};

/// Without I/O: it waits in the notifier.
template <class Notifier>
class engine_alone final : public engine {
  using channel_type = channel_by<Notifier>;

 public:
  explicit engine_alone(const composition& which)
      : engine(which), channel_(make_channel<Notifier>(which)),
        slices_(named(source_kinds(), which.source).make()), loop_(timers(), *channel_, absent, slices_) {
    runs_in(slices_.word(), slices_.log());
    is_woken_by(*channel_, std::make_shared<sender_of<channel_type>>(*channel_));
  }
  [[nodiscard]] any_io* io() noexcept override { return nullptr; }
  void turn(bool stays_ready) override { loop_(pretending{tasks(), stays_ready}); }
  void end(cancel_slot& all, const std::function<bool()>& is_over) override {
    loop_.end(all, tasks(), is_over);
  }

 private:
  std::unique_ptr<channel_type> channel_;
  preempt::slicer<any_source> slices_;
  scheduler::turn<any_timers, channel_type, nothing, preempt::slicer<any_source>> loop_;
};

/// In a loop that waits in epoll by itself.
class engine_in_epoll final : public engine {
  using channel_type = channel_by<eventfd>;

 public:
  explicit engine_in_epoll(const composition& which);
  [[nodiscard]] any_io* io() noexcept override { return nullptr; }
  void turn(bool stays_ready) override;
  void end(cancel_slot& all, const std::function<bool()>& is_over) override;

 private:
  struct owned_epoll : waker::epoll_set {
    owned_epoll();
    owned_epoll(const owned_epoll&) = delete;
    owned_epoll& operator=(const owned_epoll&) = delete;
    ~owned_epoll() { ::close(descriptor); }
  };

  owned_epoll epoll_;
  std::unique_ptr<channel_type> channel_;
  preempt::slicer<any_source> slices_;
  scheduler::turn<any_timers, channel_type, waker::epoll_set, preempt::slicer<any_source>> loop_;
};

}  // namespace pinion::scheduler::testing
