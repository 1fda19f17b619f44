// SPDX-License-Identifier: Apache-2.0
#include "any_inbox.hpp"

namespace pinion::scheduler::testing {
namespace {

template <class Inbox>
class behind_of final : public inbox_behind {
 public:
  waker::push_result push(waker::wake_node& node) noexcept override { return inbox_.push(node); }
  std::size_t drain(const wake_sink& sink) override { return inbox_.drain(sink); }
  bool try_arm() noexcept override { return inbox_.try_arm(); }
  bool disarm() noexcept override { return inbox_.disarm(); }
  [[nodiscard]] bool has_wakes() const noexcept override { return inbox_.has_wakes(); }
  std::size_t close(const wake_sink& sink) override { return inbox_.close(sink); }
  [[nodiscard]] bool is_closed() const noexcept override { return inbox_.is_closed(); }

 private:
  Inbox inbox_;
};

template <class Inbox>
inbox_kind of(std::string_view name) {
  return {name, []() -> std::unique_ptr<inbox_behind> { return std::make_unique<behind_of<Inbox>>(); }};
}

thread_local const inbox_kind* chosen_here = nullptr;

}  // namespace

const std::vector<inbox_kind>& inbox_kinds() {
  static const std::vector<inbox_kind> all{
      of<waker::tagged_inbox>("tagged_inbox"),
      of<waker::bounded_inbox<>>("bounded_inbox"),
      of<waker::bounded_inbox<2>>("smallest_bounded_inbox"),
      of<waker::mutex_inbox>("mutex_inbox"),
  };
  return all;
}

void choose_inbox(const inbox_kind& kind) noexcept { chosen_here = &kind; }

std::unique_ptr<inbox_behind> make_chosen_inbox() {
  return (chosen_here != nullptr ? *chosen_here : inbox_kinds().front()).make();
}

}  // namespace pinion::scheduler::testing
