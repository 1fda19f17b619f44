// SPDX-License-Identifier: Apache-2.0
//
// any_inbox: a shipped inbox behind virtual calls, so that channels differ in their notifiers alone.
//
// A channel makes its inbox by itself, without arguments; so which one it makes is said before, for this
// thread:
//
//   choose_inbox(inbox_kinds()[k]);
//   wake_channel<any_inbox, eventfd_notifier> channel;
#pragma once

#include <cstddef>
#include <memory>
#include <pinion/waker.hpp>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pinion::scheduler::testing {

/// A sink by reference.
class wake_sink {
 public:
  template <class Sink>
  explicit wake_sink(Sink& sink) noexcept
      : sink_(const_cast<void*>(static_cast<const void*>(&sink))),
        call_([](void* to, waker::wake_node& node) { (*static_cast<Sink*>(to))(node); }) {}
  void operator()(waker::wake_node& node) const { call_(sink_, node); }

 private:
  void* sink_;
  void (*call_)(void* to, waker::wake_node& node);
};

/// What any_inbox stands on.
class inbox_behind {
 public:
  inbox_behind() = default;
  inbox_behind(const inbox_behind&) = delete;
  inbox_behind& operator=(const inbox_behind&) = delete;
  virtual ~inbox_behind() = default;
  virtual waker::push_result push(waker::wake_node& node) noexcept = 0;
  virtual std::size_t drain(const wake_sink& sink) = 0;
  virtual bool try_arm() noexcept = 0;
  virtual bool disarm() noexcept = 0;
  [[nodiscard]] virtual bool has_wakes() const noexcept = 0;
  virtual std::size_t close(const wake_sink& sink) = 0;
  [[nodiscard]] virtual bool is_closed() const noexcept = 0;
};

/// An inbox, by its name in cmake/parts.json.
struct inbox_kind {
  std::string_view name;
  std::unique_ptr<inbox_behind> (*make)();
};
/// The list that a new inbox adds its name to.
[[nodiscard]] const std::vector<inbox_kind>& inbox_kinds();

/// From here on this thread's any_inboxes are of that kind.
void choose_inbox(const inbox_kind& kind) noexcept;
[[nodiscard]] std::unique_ptr<inbox_behind> make_chosen_inbox();

/// An inbox of wake_nodes.
class any_inbox {
 public:
  using node_type = waker::wake_node;

  any_inbox() : behind_(make_chosen_inbox()) {}

  [[nodiscard]] waker::push_result push(node_type& node) noexcept { return behind_->push(node); }
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    return behind_->drain(wake_sink{sink});
  }
  [[nodiscard]] bool try_arm() noexcept { return behind_->try_arm(); }
  bool disarm() noexcept { return behind_->disarm(); }
  [[nodiscard]] bool has_wakes() const noexcept { return behind_->has_wakes(); }
  template <class Sink>
  std::size_t close(Sink&& sink) {
    return behind_->close(wake_sink{sink});
  }
  [[nodiscard]] bool is_closed() const noexcept { return behind_->is_closed(); }

 private:
  std::unique_ptr<inbox_behind> behind_;
};
static_assert(waker::inbox<any_inbox>);

}  // namespace pinion::scheduler::testing
