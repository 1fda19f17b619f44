// SPDX-License-Identifier: Apache-2.0
//
// channel_of: a wake_channel as an any_channel, and how it is named on its axis.
//
//   const inbox_and_notifier one = channel_value<waker::tagged_inbox, eventfd>("tagged_inbox", "eventfd");
#pragma once

#include <concepts>
#include <memory>
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/waker.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

#include "composition.hpp"

namespace pinion::scheduler::testing {

template <class Notifier>
class notifier_of final : public any_notifier {
 public:
  notifier_of(world& in, Notifier& of) : in_(in), bell_(of) {}

  bool signal() noexcept override { return bell_.signal(); }
  bool consume() noexcept override { return bell_.consume(); }
  bool wait([[maybe_unused]] instant until) noexcept override {
    if constexpr (std::is_same_v<Notifier, sim::virtual_notifier>) {
      bell_.while_asleep([&] {
        const std::uint64_t before = bell_.signals();
        while (bell_.signals() == before && in_.others(until)) {
        }
      });
      const std::uint64_t stuck = bell_.stuck();
      const bool was_signalled = bell_.wait(until);
      in_.stuck += bell_.stuck() - stuck;
      return was_signalled;
    } else if constexpr (waker::waiting_notifier<Notifier>) {
      return bell_.wait(until);
    } else {
      return false;
    }
  }
  [[nodiscard]] any_attachment attach(any_io& io) override {
    if constexpr (waker::attachable_notifier<Notifier, any_io>)
      return any_attachment{std::make_unique<attached>(bell_, io)};
    else
      throw std::system_error{std::make_error_code(std::errc::not_supported), "it can't be attached"};
  }

 private:
  template <class Bell>
  struct watch_of {
    struct type {};
  };
  template <waker::attachable_notifier<any_io> Bell>
  struct watch_of<Bell> {
    using type = decltype(std::declval<Bell&>().attach(std::declval<any_io&>()));
  };
  struct attached final : any_attachment::held {
    attached(Notifier& bell, any_io& io) : watch(bell.attach(io)) {}
    bool renew() noexcept override { return watch.renew(); }
    typename watch_of<Notifier>::type watch;
  };

  world& in_;
  Notifier& bell_;
};

template <class Inbox, class Notifier>
class channel_of final : public any_channel {
 public:
  template <class... Arguments>
  explicit channel_of(world& in, Arguments&... arguments)
      : in_(in), channel_(arguments...), sender_(channel_.sender()), notifier_(in, channel_.notifier()) {}

  void push(waker::wake_node& node) noexcept override { channel_.push(node); }
  [[nodiscard]] bool try_arm() noexcept override {
    in_.loop_calls();
    const bool is_armed = channel_.try_arm();
    in_.loop_calls();
    return is_armed;
  }
  bool disarm() noexcept override {
    in_.loop_calls();
    return channel_.disarm();
  }
  [[nodiscard]] bool has_wakes() const noexcept override { return channel_.has_wakes(); }
  [[nodiscard]] bool is_closed() const noexcept override { return channel_.is_closed(); }
  [[nodiscard]] any_notifier& notifier() noexcept override { return notifier_; }

 protected:
  waker::push_result send(waker::wake_node& node) noexcept override { return sender_.push(node); }
  waker::push_result send(waker::wake_node& node, any_io& port) noexcept override {
    return sender_.push(node, port);
  }
  std::size_t drain_calls() override {
    in_.loop_calls();
    const std::size_t count = channel_.drain(waker::call_wakes);
    in_.loop_calls();
    return count;
  }
  std::size_t close_calls() override { return channel_.close(waker::call_wakes); }

 private:
  world& in_;
  waker::wake_channel<Inbox, Notifier> channel_;
  typename waker::wake_channel<Inbox, Notifier>::sender_type sender_;
  notifier_of<Notifier> notifier_;
};

template <class Inbox, class Notifier>
inbox_and_notifier channel_value(const char* inbox, const char* notifier, bool has_messages = true) {
  return {.inbox = inbox,
          .notifier = notifier,
          .make = [](world& in, any_io* io) -> std::unique_ptr<any_channel> {
            using channel = channel_of<Inbox, Notifier>;
            if constexpr (std::constructible_from<Notifier, any_io&>) {
              return std::make_unique<channel>(in, *io);
            } else if constexpr (std::constructible_from<Notifier, sim::virtual_clock&>) {
              return std::make_unique<channel>(in, in.clock());
            } else {
              return std::make_unique<channel>(in);
            }
          },
          .has_messages = has_messages};
}

}  // namespace pinion::scheduler::testing
