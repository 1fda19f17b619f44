// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <cerrno>
#include <chrono>
#include <ratio>
#include <system_error>

#include "engine_over.hpp"
#include "engines.hpp"

namespace pinion::scheduler::testing {
namespace {

template <class Engine>
std::unique_ptr<engine> make(const composition& which) {
  return std::make_unique<Engine>(which);
}

// The list that a new notifier or ring adds its pairs to. A futex ends no wait of any I/O, and without an
// io_uring's owner there is nobody to send a message to.
const std::vector<engine_kind>& engine_kinds() {
  static const std::vector<engine_kind> all{
      {"eventfd_notifier", "uring_ring", true, &make_uring_with_eventfd},
      {"msg_ring_notifier", "uring_ring", true, &make_uring_with_messages},
      {"eventfd_notifier", "epoll_ring", true, &make_epoll_with_eventfd},
      {"msg_ring_notifier", "epoll_ring", true, &make_epoll_with_messages},
      {"eventfd_notifier", "either_ring", true, &make_either_with_eventfd},
      {"msg_ring_notifier", "either_ring", true, &make_either_with_messages},
      {"eventfd_notifier", "either_without_uring", true, &make_either_with_eventfd},
      {"msg_ring_notifier", "either_without_uring", true, &make_either_with_messages},
      {"eventfd_notifier", "none", false, &make<engine_alone<eventfd>>},
      {"futex_notifier", "none", false, &make<engine_alone<waker::futex_notifier>>},
      {"eventfd_notifier", "epoll_set", false, &make<engine_in_epoll>},
  };
  return all;
}

void add_all_with(const composition& begun, bool has_submission, std::vector<composition>& all) {
  for (const policy_kind& policy : policy_kinds()) {
    for (const source_kind& source : source_kinds()) {
      if (source.make == nullptr && begun.ring != "uring_ring") continue;
      composition one = begun;
      one.policy = has_submission ? policy.name : "none";
      one.source = source.name;
      all.push_back(one);
    }
    if (!has_submission) return;
  }
}

}  // namespace

std::string to_string(const composition& of) {
  std::string text;
  for (const std::string_view part : {of.store, of.inbox, of.notifier, of.ring, of.policy, of.source})
    text.append(text.empty() ? "" : " ").append(part);
  if (of.entries != 0) text.append(" of ").append(std::to_string(of.entries)).append(" entries");
  if (!of.defers) text.append(", not deferring");
  return text;
}

const std::vector<composition>& all_compositions() {
  static const std::vector<composition> all = [] {
    std::vector<composition> list;
    for (const timers_kind& store : timers_kinds()) {
      for (const inbox_kind& inbox : inbox_kinds()) {
        for (const engine_kind& kind : engine_kinds()) {
          composition begun;
          begun.store = store.name, begun.inbox = inbox.name;
          begun.notifier = kind.notifier, begun.ring = kind.ring;
          add_all_with(begun, kind.has_submission, list);
        }
      }
    }
    return list;
  }();
  return all;
}

const std::string& why_not_here(const composition& which) {
  static const std::string nothing_against_it;
  static const std::string no_uring = [] {
    const auto ring = iosubmit::uring_ring::open({});
    return ring ? std::string{} : to_string(ring.error());
  }();
  return which.ring == "uring_ring" || which.ring == "either_ring" ? no_uring : nothing_against_it;
}

std::unique_ptr<engine> make_engine(const composition& which) {
  for (const engine_kind& kind : engine_kinds())
    if (kind.notifier == which.notifier && kind.ring == which.ring) return kind.make(which);
  throw std::invalid_argument{"no engine has these parts: " + to_string(which)};
}

iosubmit::uring_options uring_options_of(const composition& which) noexcept {
  iosubmit::uring_options options;
  if (which.entries != 0) options.entries = options.completion_entries = which.entries;
  options.defer_taskrun = which.defers;
  return options;
}

iosubmit::epoll_ring_options epoll_options_of(const composition& which) noexcept {
  iosubmit::epoll_ring_options options;
  if (which.entries != 0) options.entries = options.in_flight = which.entries;
  return options;
}

engine::engine(const composition& which) : of(which), timers_(named(timers_kinds(), which.store).make()) {}

engine_in_epoll::owned_epoll::owned_epoll() {
  descriptor = ::epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
}

engine_in_epoll::engine_in_epoll(const composition& which)
    : engine(which), channel_(make_channel<eventfd>(which)),
      slices_(named(source_kinds(), which.source).make()), loop_(timers(), *channel_, epoll_, slices_) {
  runs_in(slices_.word(), slices_.log());
  is_woken_by(*channel_, std::make_shared<sender_of<channel_type>>(*channel_));
}

void engine_in_epoll::turn(bool stays_ready) {
  const instant until = loop_.prepare(pretending{tasks(), stays_ready});
  if (until != instant{}) {
    const duration length = until == never ? forever : until - monotonic_clock::now();
    if (const int error = seam::before_wait(call::epoll_wait, length); error == 0) {
      using milliseconds = std::chrono::duration<int, std::milli>;
      epoll_event seen{};
      const int limit = until == never ? -1 : ceil_to<milliseconds>(length).count();
      ::epoll_wait(epoll_.descriptor, &seen, 1, limit);
    }
  }
  loop_.woke();
}

void engine_in_epoll::end(cancel_slot& all, const std::function<bool()>& is_over) {
  all.request();
  while (tasks().has_ready() || !is_over()) turn(false);
  channel_->close(waker::call_wakes);
}

}  // namespace pinion::scheduler::testing
