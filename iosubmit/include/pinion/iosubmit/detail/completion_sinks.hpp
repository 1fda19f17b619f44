// SPDX-License-Identifier: Apache-2.0
//
// completion_sinks: who is told of completions that are no operation's and no port's: those whose user_data
// has a mark of 2 to 7.
//
// Each mark has one sink at a time. A watch's last completion may come after its sink was removed, and must
// not reach the next one. So the user_data of a watch says which of the mark's sinks it is for: the number of
// sinks since the mark last had no watch. That number is one of 256; a mark that has left watches behind 256
// times, and of which one has never ended, is not free.
#pragma once

#include <array>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/callback.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>

namespace pinion::iosubmit::sinks_detail {
/// Why there is no mark left; bit k of the two says whether mark k has a sink, or has left watches too often.
PINION_EXPORT [[nodiscard]] refusal no_mark_left(std::uint32_t with_sink, std::uint32_t with_watch);
}  // namespace pinion::iosubmit::sinks_detail

namespace pinion::iosubmit::inline PINION_MODE::submission_detail {

class completion_sinks {
 public:
  /// A mark that is free, and this sink's from now on. Those that are free longest are given first.
  [[nodiscard]] expected<std::uint8_t, refusal> add(callback<const ring_completion&> told) {
    std::uint32_t with_sink = 0, with_watch = 0;
    for (std::uint32_t tried = 0; tried != marks; ++tried) {
      const std::uint32_t at = next_;
      next_ = (next_ + 1) % marks;
      sink& one = sinks_[at];
      if (!one.is_taken && (one.watches == 0 || one.use != last_use)) {
        one.use = one.watches == 0 ? 0 : static_cast<std::uint8_t>(one.use + 1);
        one.told = told;
        one.is_taken = true;
        return static_cast<std::uint8_t>(first_mark + at);
      }
      (one.is_taken ? with_sink : with_watch) |= 1U << (first_mark + at);
    }
    return unexpected<refusal>{sinks_detail::no_mark_left(with_sink, with_watch)};
  }
  /// Nobody is told from now on.
  void remove(std::uint8_t mark) noexcept {
    PINION_ASSERT(has(mark),
                  "a sink was removed that is not there: remove the mark that add_sink() gave, once");
    of(mark).told = {};
    of(mark).is_taken = false;
  }
  /// Whether it was added, and not removed.
  [[nodiscard]] bool has(std::uint8_t mark) const noexcept {
    return mark >= first_mark && mark < first_mark + marks && sinks_[mark - first_mark].is_taken;
  }

  /// That watch as the kernel is to have it; where it cancels one, that one's name, too.
  [[nodiscard]] ring_entry named(ring_entry entry) noexcept {
    entry.user_data = name_of(entry.user_data);
    if (entry.operation == codes::cancel && entries_detail::is_watch(entry.address))
      entry.address = name_of(entry.address);
    return entry;
  }
  /// A watch was put into the ring.
  void began(std::uint8_t mark) noexcept { ++of(mark).watches; }
  /// Tells the sink of the mark; false: there is none, or the watch was an earlier one's.
  bool tell(ring_completion completion) noexcept {
    sink& one = of(mark_of(completion.user_data));
    bool is_for_it = true;
    if (entries_detail::is_watch(completion.user_data)) {
      is_for_it = entries_detail::use_of(completion.user_data) == one.use;
      completion.user_data &= ~entries_detail::tag_bits;
      if ((completion.flags & ring_completion::more) == 0 && one.watches != 0) --one.watches;
    }
    if (!one.told || !is_for_it) return false;
    one.told(completion);
    return true;
  }

 private:
  struct sink {
    callback<const ring_completion&> told;
    std::uint32_t watches = 0;  // that have not ended, also of earlier sinks
    std::uint8_t use = 0;       // which sink it is since there was no watch
    bool is_taken = false;
  };
  static constexpr std::uint8_t first_mark = operation::mark + 1;
  static constexpr std::uint32_t marks = 8 - first_mark;
  static constexpr std::uint8_t last_use = 255;

  [[nodiscard]] std::uint64_t name_of(std::uint64_t user_data) noexcept {
    const std::uint8_t mark = mark_of(user_data);
    return entries_detail::as_watch(user_data, mark < first_mark ? 0 : of(mark).use);
  }
  [[nodiscard]] sink& of(std::uint8_t mark) noexcept { return sinks_[mark - first_mark]; }

  std::array<sink, marks> sinks_{};
  std::uint32_t next_ = 0;
};

}  // namespace pinion::iosubmit::inline PINION_MODE::submission_detail
