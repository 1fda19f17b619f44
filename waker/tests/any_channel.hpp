// SPDX-License-Identifier: Apache-2.0
//
// any_channel: an inbox and a notifier behind virtual calls, so that laws are compiled once and run against
// every pair of them and every mutant.
//
// A pair joins by a line in backends.cpp. Signals are counted on their way to the notifier.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/waker.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pinion::waker::testing {

/// What laws push: knows who pushed it and as which, and carries a word that only order makes safe to read.
struct letter : wake_node {
  std::size_t from = 0;
  std::size_t number = 0;
  std::size_t payload = 0;
  std::size_t delivered = 0;  ///< the owner's count
};

/// A callable by reference: passing one must not allocate, or law W3 would measure the test.
class sink_ref {
 public:
  template <class Sink>
    requires(!std::is_same_v<Sink, sink_ref>)
  explicit(false) sink_ref(const Sink& sink)
      : object_(&sink), call_([](const void* object, wake_node& node) {
          (*static_cast<const Sink*>(object))(static_cast<letter&>(node));
        }) {}
  void operator()(wake_node& node) const { call_(object_, node); }

 private:
  const void* object_;
  void (*call_)(const void*, wake_node&);
};

class any_channel {
 public:
  any_channel() = default;
  any_channel(const any_channel&) = delete;
  any_channel& operator=(const any_channel&) = delete;
  virtual ~any_channel() = default;

  // Any thread.
  virtual push_result push(letter& node) = 0;
  virtual push_result force(letter& node) = 0;
  [[nodiscard]] virtual std::size_t signals() const = 0;
  // The owner.
  virtual std::size_t drain(sink_ref sink) = 0;
  virtual bool try_arm() = 0;
  virtual bool disarm() = 0;
  [[nodiscard]] virtual bool has_wakes() const = 0;
  virtual std::size_t close(sink_ref sink) = 0;
  [[nodiscard]] virtual bool is_closed() const = 0;
  virtual bool wait(instant until) = 0;
  virtual bool consume() = 0;
  /// Destroys the owner's side; senders go on.
  virtual void drop_owner() = 0;
};

/// How to make one kind of channel, and which seed the laws draw their numbers from.
struct channel_factory {
  std::string name;
  std::function<std::unique_ptr<any_channel>()> make;
  bool keeps_w3 = true;  ///< false for the oracle, which waits for a mutex
  std::uint64_t seed = 1;
  std::string unavailable{};  ///< why this machine can't have it
};

/// A notifier that counts. Memory ordering: relaxed; read after the threads that signal were joined, or only
/// compared.
template <class Notifier>
class counting {
 public:
  explicit counting(std::atomic<std::size_t>& count) : count_(count) {}
  bool signal() noexcept {
    count_.fetch_add(1, std::memory_order_relaxed);
    return right_.signal();
  }
  bool consume() noexcept { return right_.consume(); }
  bool wait(instant until) noexcept { return right_.wait(until); }

 private:
  std::atomic<std::size_t>& count_;
  Notifier right_;
};

/// A wake_channel as an any_channel.
template <class Inbox, class Notifier>
class adapted final : public any_channel {
 public:
  push_result push(letter& node) override { return sender_.push(node); }
  push_result force(letter& node) override { return sender_.force(node); }
  [[nodiscard]] std::size_t signals() const override { return signals_.load(std::memory_order_relaxed); }
  std::size_t drain(sink_ref sink) override { return channel_->drain(sink); }
  bool try_arm() override { return channel_->try_arm(); }
  bool disarm() override { return channel_->disarm(); }
  [[nodiscard]] bool has_wakes() const override { return channel_->has_wakes(); }
  std::size_t close(sink_ref sink) override { return channel_->close(sink); }
  [[nodiscard]] bool is_closed() const override { return channel_->is_closed(); }
  bool wait(instant until) override { return channel_->notifier().wait(until); }
  bool consume() override { return channel_->notifier().consume(); }
  void drop_owner() override { channel_.reset(); }

 private:
  using channel_type = wake_channel<Inbox, counting<Notifier>>;
  std::atomic<std::size_t> signals_{0};
  std::unique_ptr<channel_type> channel_ = std::make_unique<channel_type>(signals_);
  typename channel_type::sender_type sender_ = channel_->sender();
};

/// Every pair that the laws hold for.
[[nodiscard]] const std::vector<channel_factory>& backends();

}  // namespace pinion::waker::testing
