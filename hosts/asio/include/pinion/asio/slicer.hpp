// SPDX-License-Identifier: Apache-2.0
//
// slicer: tells a preempt_source what an io_context runs, so that its handlers and coroutines know when to
// let others run.
//
// An io_context calls nobody before it runs a handler, nor before it sleeps. What it does allow is an
// executor of one's own; so the slicer has one, and sees each function that is executed by it begin and end.
// The first check in a function begins a slice, which is due after the quantum; the end of the function ends
// it. So the source rests whenever the io_context could sleep (law Y4), and what doesn't check costs a
// comparison.
//
//   boost::asio::io_context context{1};
//   pinion::asio::slicer<> slicer{context};
//   co_spawn(slicer.get_executor(), [&]() -> awaitable<void> {
//     for (const block& each : blocks) {
//       hash(each);
//       if (slicer.is_due()) co_await pinion::asio::async_yield(slicer, use_awaitable);
//     }
//   }, detached);
//   context.run();
//
// One thread at a time runs the functions of a slicer: one io_context::run(), or a strand.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <pinion/asio/sliced_executor.hpp>
#include <pinion/base/assert.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/default_source.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <pinion/preempt/slicer.hpp>
#include <thread>
#include <utility>

namespace pinion::asio {

/// Where a slice begins.
enum class slice_start : std::uint8_t {
  at_first_check,  ///< a function that never checks is no slice, costs next to nothing, and is not heard of
  with_function,   ///< each function is one: a look at the clock, and with a ticker sometimes a system call,
                   ///< for stall reports and statistics of functions that never check
};

/// How functions are sliced.
struct slicer_options {
  duration quantum{1'000'000};  ///< for how long a function may run before its checks say so: 10 us to 10 s
  slice_start start = slice_start::at_first_check;
};

inline namespace PINION_MODE {

/// Of one io_context, or of one strand. It must live while its functions run; functions that are destroyed
/// unrun don't need it.
template <preempt::preempt_source Source = preempt::default_source>
class slicer {
 public:
  /// What executes its functions.
  using executor_type = sliced_executor<slicer, boost::asio::io_context::executor_type>;

  /// Of that context; the source is made of the arguments, on the thread that is to run the context, if the
  /// source wants that. Throws a refusal (std::system_error, invalid_argument) for a quantum out of range,
  /// and what making the source throws.
  template <class... Arguments>
  explicit slicer(boost::asio::io_context& context, const slicer_options& options = {},
                  Arguments&&... arguments);
  slicer(const slicer&) = delete;
  slicer& operator=(const slicer&) = delete;

  /// By which to run what is to be sliced. Any thread.
  [[nodiscard]] executor_type get_executor() noexcept { return {*this, context_.get_executor()}; }

  /// Whether the function that runs should let others run: two loads, but for the first check in a function,
  /// which begins its slice. Never, outside of functions of this slicer.
  [[nodiscard]] bool is_due() noexcept;

  /// Calls `function` as one of this slicer's: for what the context runs by another executor. Inside of
  /// another one it is part of that. Returns or throws what `function` does.
  template <class Function>
  decltype(auto) run(Function&& function);

  /// Whether a slice is running: a function has checked, and is not over.
  [[nodiscard]] bool is_slicing() const noexcept { return stage_ == stage::slice; }
  /// The source, for what it alone can say.
  [[nodiscard]] Source& source() noexcept { return slices_.source(); }
  /// Where checks, yields and slices are noted: to set a stall report, or to hold a no_yield.
  [[nodiscard]] preempt::slice_log& slices() noexcept { return slices_.log(); }
  /// What its slices were like; counted where PINION_STATISTICS=ON.
  [[nodiscard]] const preempt::queue_slices& counts() const noexcept { return slices_.counts(queue_); }
  /// What it was made with.
  [[nodiscard]] const slicer_options& options() const noexcept { return options_; }

 private:
  enum class stage : std::uint8_t { outside, function, slice };

  struct function_end {
    slicer& of;
    ~function_end() {
      if (of.stage_ == stage::slice) of.end_slice();
      of.stage_ = stage::outside;
    }
  };

  void begin_slice() noexcept;
  void end_slice() noexcept;
  [[nodiscard]] bool is_due_first() noexcept;

  preempt::slicer<Source> slices_;
  preempt::slice_rule::queue queue_{};
  stage stage_ = stage::outside;
#if PINION_CHECKED
  std::thread::id runner_;
#endif
  slicer_options options_;
  boost::asio::io_context& context_;
};

// ---- Implementation ----

template <preempt::preempt_source Source>
template <class... Arguments>
slicer<Source>::slicer(boost::asio::io_context& context, const slicer_options& options,
                       Arguments&&... arguments)
    : slices_(std::forward<Arguments>(arguments)...), options_(options), context_(context) {
  const auto added = slices_.add({.quantum = options.quantum});
  if (!added) throw_refusal(added.error());
  queue_ = *added;
}

template <preempt::preempt_source Source>
bool slicer<Source>::is_due() noexcept {
  PINION_ASSERT(
      !slices_.log().is_held(),
      "a function checked whether to yield while it holds a no_yield: let go of it first, or check later");
  if (stage_ != stage::slice) [[unlikely]]
    return is_due_first();
  slices_.log().checked();
  return slices_.word().is_due();
}

template <preempt::preempt_source Source>
bool slicer<Source>::is_due_first() noexcept {
  if (stage_ == stage::outside) return false;
  begin_slice();
  return is_due();
}

template <preempt::preempt_source Source>
template <class Function>
decltype(auto) slicer<Source>::run(Function&& function) {
  if (stage_ != stage::outside) {
#if PINION_CHECKED
    PINION_ASSERT(runner_ == std::this_thread::get_id(),
                  "two threads run functions of one slicer: run its io_context on one thread, or have a "
                  "slicer for each");
#endif
    return std::forward<Function>(function)();
  }
#if PINION_CHECKED
  runner_ = std::this_thread::get_id();
#endif
  stage_ = stage::function;
  const function_end end{*this};
  if (options_.start == slice_start::with_function) begin_slice();
  return std::forward<Function>(function)();
}

template <preempt::preempt_source Source>
void slicer<Source>::begin_slice() noexcept {
  stage_ = stage::slice;
  slices_.begin(queue_, {.now = monotonic_clock::now(), .waits_for_others = true});
}

template <preempt::preempt_source Source>
void slicer<Source>::end_slice() noexcept {
  // The time is read for who listens alone.
  slices_.end(slices_.log().is_listened_to() ? monotonic_clock::now() : instant{0});
  slices_.rest();
}

}  // namespace PINION_MODE

}  // namespace pinion::asio
