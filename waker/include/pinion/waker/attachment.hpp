// SPDX-License-Identifier: Apache-2.0
//
// ring_watch, epoll_watch: that a notifier's signals end the wait of an owner's loop, for as long as these
// live. What a notifier's attach() gives (law W8).
//
//   const auto in_ring = channel.notifier().attach(io);               // io: a submission
//
//   const auto in_epoll = channel.notifier().attach(epoll_set{epoll});
//
// Before each wait the loop calls renew(), which costs a look: a watch may have ended, and is queued again.
// There is nothing else to do: no completion to recognise, no counter to read. With epoll_set::data the loop
// recognises the event, and passes it by. attachment_of is such an attachment as a member of the type that
// composes channel and loop.
//
// A watch that fails in passing, for want of memory say, is queued again by the next renew(); if it fails
// once more, a millisecond later, so that the loop does not go round for it alone. One that fails for good is
// reported, and given up.
#pragma once

#include <cstdint>
#include <pinion/base/callback.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/waker/concept.hpp>
#include <system_error>
#include <utility>

namespace pinion::waker {

/// An epoll's descriptor, and the data that events of the notifier are to have.
struct epoll_set {
  int descriptor = -1;
  std::uint64_t data = ~std::uint64_t{0};
};

namespace attach_detail {
PINION_EXPORT [[noreturn]] void refuse_second();
/// Of a watch that ended with that errno: whether another may do better. Reports an error that will not pass,
/// and one that has come `again`.
PINION_EXPORT bool passes(int error, bool again) noexcept;
PINION_EXPORT void add_to_epoll(const epoll_set& set, int descriptor);
PINION_EXPORT void take_from_epoll(const epoll_set& set, int descriptor) noexcept;

/// Of a notifier: that it is attached once at a time.
class attached {
 public:
  explicit attached(bool& flag) : flag_(flag) {
    if (flag) refuse_second();
    flag = true;
  }
  attached(const attached&) = delete;
  attached& operator=(const attached&) = delete;
  ~attached() { flag_ = false; }

 private:
  bool& flag_;
};

/// A mark that add_sink() answered, or its refusal thrown.
inline std::uint8_t given(const expected<std::uint8_t, refusal>& mark) {
  if (!mark) throw_refusal(mark.error());
  return *mark;
}
}  // namespace attach_detail

/// Watches a descriptor in a ring, again whenever the watch has ended. Of the ring's owner.
template <ring_watcher Io>
class ring_watch {
 public:
  /// Throws a refusal where the ring's owner has no mark left, or the notifier is attached already.
  ring_watch(Io& io, int descriptor, bool& is_attached)
      : attached_(is_attached), io_(io), descriptor_(descriptor),
        mark_(attach_detail::given(io.add_sink({.function = &told, .context = this}))) {
    renew();
  }
  ring_watch(const ring_watch&) = delete;
  ring_watch& operator=(const ring_watch&) = delete;
  /// Before the ring's owner and the notifier go.
  ~ring_watch() {
    if (is_under_way_) io_.unwatch(name());
    io_.remove_sink(mark_);
  }

  /// Before each wait: that it is watched. False: the ring has no room, so the loop goes round before it
  /// waits.
  bool renew() noexcept {
    if (!is_under_way_) [[unlikely]]
      is_under_way_ = io_.watch(pauses() ? pause() : watch());
    return is_under_way_;
  }

  /// What another ring may send to have this ring's wait end: with it, nothing is watched, and nothing ends.
  [[nodiscard]] std::uint64_t message() const noexcept { return mark_ | message_bit; }

 private:
  static constexpr std::uint32_t readable = 1;  // POLLIN
  static constexpr std::uint64_t message_bit = 8;
  static constexpr std::uint64_t pause_bit = 16;
  static constexpr kernel_time pause_time{.seconds = 0,
                                          .nanoseconds = 1'000'000};  // read when it is submitted

  [[nodiscard]] bool pauses() const noexcept { return failures_ > 1; }
  [[nodiscard]] std::uint64_t name() const noexcept { return pauses() ? mark_ | pause_bit : mark_; }
  [[nodiscard]] ring_entry watch() const noexcept {
    return {.operation = kernel::codes::poll,
            .descriptor = descriptor_,
            .length = kernel::poll_flag::stays,
            .operation_flags = readable,
            .user_data = name()};
  }
  [[nodiscard]] ring_entry pause() const noexcept {
    return {.operation = kernel::codes::timeout,
            .address = kernel::address_of(&pause_time),
            .length = 1,
            .user_data = name()};
  }

  // Messages are told here as well: they have ended the wait, which is all that they are for.
  static void told(void* self, const ring_completion& completion) noexcept {
    auto& mine = *static_cast<ring_watch*>(self);
    if (completion.user_data == mine.name()) mine.ended(completion);
  }
  void ended(const ring_completion& by) noexcept {
    // A watch that the ring's owner has stopped (submission::stop()) is queued again, like one that ended by
    // itself.
    constexpr auto cancelled = -static_cast<std::int32_t>(std::errc::operation_canceled);
    is_under_way_ = (by.flags & ring_completion::more) != 0;
    if (pauses()) {
      failures_ = 1;
    } else if (by.result >= 0 || by.result == cancelled) {
      failures_ = 0;
    } else {
      is_under_way_ = !attach_detail::passes(-by.result, ++failures_ > 1);
    }
  }

  attach_detail::attached attached_;
  Io& io_;
  int descriptor_;
  std::uint8_t mark_;
  std::uint8_t failures_ = 0;  // in passing, since it was last heard of; after two of them it pauses
  bool is_under_way_ = false;  // the watch, or the pause before it; true for good where it was given up
};

/// Watches a descriptor in an epoll, edge by edge. Of the epoll's owner.
class epoll_watch {
 public:
  /// Throws a refusal where the epoll takes no more, or the notifier is attached already.
  epoll_watch(const epoll_set& set, int descriptor, bool& is_attached)
      : attached_(is_attached), set_(set), descriptor_(descriptor) {
    attach_detail::add_to_epoll(set_, descriptor_);
  }
  epoll_watch(const epoll_watch&) = delete;
  epoll_watch& operator=(const epoll_watch&) = delete;
  /// Before the notifier goes and the epoll is closed.
  ~epoll_watch() { attach_detail::take_from_epoll(set_, descriptor_); }

  /// Before each wait: nothing; true.
  [[nodiscard]] static bool renew() noexcept { return true; }

 private:
  attach_detail::attached attached_;
  epoll_set set_;
  int descriptor_;
};

namespace attach_detail {
/// That one loop has a channel; nothing for types that don't tell.
template <class Channel>
struct claim_of {
  explicit claim_of(Channel& /*channel*/) noexcept {}
};
template <class Channel>
  requires requires(Channel& channel) { channel.attach(); }
struct claim_of<Channel> {
  explicit claim_of(Channel& channel) : held_(channel.attach()) {}

 private:
  attached held_;
};
}  // namespace attach_detail

/// A channel's attachment to a loop, as a member of the type that composes the two: refuses a channel that
/// another loop has. Where the two can't be attached, that is all.
template <class Channel, class Loop>
struct attachment_of {
  /// Throws a refusal where another loop has the channel.
  attachment_of(Channel& channel, Loop& /*loop*/) : claim_(channel) {}
  /// Before each wait.
  [[nodiscard]] static constexpr bool renew() noexcept { return true; }

 private:
  [[no_unique_address]] attach_detail::claim_of<Channel> claim_;
};
template <class Channel, class Loop>
  requires attachable_notifier<typename Channel::notifier_type, Loop>
struct attachment_of<Channel, Loop> {
  /// Attaches the channel's notifier; throws a refusal where that can't be, or another loop has the channel.
  attachment_of(Channel& channel, Loop& loop) : claim_(channel), held_(channel.notifier().attach(loop)) {}
  /// Before each wait; false: go round first.
  [[nodiscard]] bool renew() noexcept { return held_.renew(); }

 private:
  [[no_unique_address]] attach_detail::claim_of<Channel> claim_;
  decltype(std::declval<Channel&>().notifier().attach(std::declval<Loop&>())) held_;
};

}  // namespace pinion::waker
