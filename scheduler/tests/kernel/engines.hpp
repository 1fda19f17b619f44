// SPDX-License-Identifier: Apache-2.0
//
// Who makes engines: for each pair of a notifier and a way to wait that can work, one row.
#pragma once

#include <memory>
#include <pinion/iosubmit.hpp>
#include <string_view>

#include "engine.hpp"

namespace pinion::scheduler::testing {

struct engine_kind {
  std::string_view notifier, ring;
  bool has_submission;
  std::unique_ptr<engine> (*make)(const composition& which);
};

/// A ring's options, as the composition says.
[[nodiscard]] iosubmit::uring_options uring_options_of(const composition& which) noexcept;
[[nodiscard]] iosubmit::epoll_ring_options epoll_options_of(const composition& which) noexcept;

// Each in a file of its own.
std::unique_ptr<engine> make_uring_with_eventfd(const composition& which);
std::unique_ptr<engine> make_uring_with_messages(const composition& which);
std::unique_ptr<engine> make_epoll_with_eventfd(const composition& which);
std::unique_ptr<engine> make_epoll_with_messages(const composition& which);
std::unique_ptr<engine> make_either_with_eventfd(const composition& which);
std::unique_ptr<engine> make_either_with_messages(const composition& which);

}  // namespace pinion::scheduler::testing
