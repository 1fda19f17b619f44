// SPDX-License-Identifier: Apache-2.0
//
// stall_detector: the hook, the handler, and what is told.
#include <pinion/scheduler/stall_detector.hpp>

#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <pinion/base/assert.hpp>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/preempt/detail/posix_timer_calls.hpp>
#include <pinion/preempt/detail/thread_signal.hpp>
#include <pinion/scheduler/function_name.hpp>
#include <system_error>
#include <vector>

namespace pinion::scheduler::inline PINION_MODE {
namespace {

constexpr std::size_t frames_max = 128;
constexpr std::size_t name_max = 64;
constexpr std::uint32_t places_max = 65'536;
constexpr duration patience{1'000'000'000};  // with a thread that does not take its signal

using address = std::uintptr_t;

/// What is known of a place: where its functions begin.
struct place {
  address coroutine = 0;
  address called = 0;  // by it; 0: nothing
  friend bool operator==(const place&, const place&) noexcept = default;
};

/// The stack of a thread, walked in a handler of signals.
class stack_room {
 public:
  /// From the function that was interrupted outwards; where there is none, from here.
  void walk() noexcept {
    size_ = 0;
    has_interrupted_ = false;
    _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* self) { return static_cast<stack_room*>(self)->add(frame); }, this);
  }
  void clear() noexcept { size_ = 0; }
  /// Cuts off what is not inside of a function that begins there. False: it is not in this stack.
  bool cut_at(address function) noexcept {
    const auto at = std::find(functions_.begin(), functions_.begin() + size_, function);
    const bool is_there = at != functions_.begin() + size_;
    if (is_there) size_ = at - functions_.begin();
    return is_there;
  }
  /// The place, of a stack that was cut; of another one, the innermost function.
  [[nodiscard]] place where(bool was_cut) const noexcept {
    if (size_ == 0) return {};
    const auto last = static_cast<std::size_t>(size_ - 1);
    if (!was_cut) return {.coroutine = functions_[0]};
    return {.coroutine = functions_[last], .called = last == 0 ? 0 : functions_[last - 1]};
  }
  [[nodiscard]] std::span<const void* const> addresses() const noexcept {
    return {addresses_.data(), static_cast<std::size_t>(size_)};
  }

 private:
  _Unwind_Reason_Code add(_Unwind_Context* frame) noexcept {
    int is_exact = 0;  // for the function that a signal interrupted; else behind the call
    const address at = _Unwind_GetIPInfo(frame, &is_exact);
    if (at == 0) return _URC_END_OF_STACK;
    if (is_exact != 0 && !has_interrupted_) {
      has_interrupted_ = true;
      size_ = 0;  // so far it was the handler's
    }
    if (size_ == static_cast<std::ptrdiff_t>(frames_max)) return _URC_END_OF_STACK;
    addresses_[static_cast<std::size_t>(size_)] = std::bit_cast<const void*>(is_exact != 0 ? at : at - 1);
    functions_[static_cast<std::size_t>(size_++)] = _Unwind_GetRegionStart(frame);
    return _URC_NO_REASON;
  }

  std::ptrdiff_t size_ = 0;
  bool has_interrupted_ = false;
  std::array<const void*, frames_max> addresses_{};
  std::array<address, frames_max> functions_{};
};

[[noreturn]] void refuse(const char* asked, const char* reason, const char* remedy) {
  throw_refusal({.code = std::make_error_code(std::errc::invalid_argument),
                 .asked = asked,
                 .reason = reason,
                 .remedy = remedy});
}

stall_options checked(const stall_options& options) {
  if (options.after < preempt::quantum_min)
    refuse("a stall_detector after less than 10 us",
           "slices end later than that by themselves, by the wake of a thread",
           "give 10 us or more; 25 ms is usual");
  if (options.places == 0 || options.places > places_max)
    refuse("a stall_detector that tells of no place, or of more than 65,536",
           "it has room for each place from the start", "give 1 to 65,536; 64 is usual");
  return options;
}

pid_t this_thread() noexcept { return static_cast<pid_t>(::syscall(SYS_gettid)); }

}  // namespace

/// What the hook and the handler share.
class stall_detector::probe {
 public:
  probe(executor_base& of, const stall_options& options, address run_slice)
      : of_(of), options_(checked(options)), run_slice_(run_slice), signal_(*this, user, options.signal) {
    places_.reserve(options.places);
    stack_.walk();
  }

  [[nodiscard]] int signal() const noexcept { return signal_.number(); }
  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_.load(std::memory_order_acquire); }

  // The hook, on the source's thread.
  void tell(const preempt::stall& seen) noexcept {
    tell_once(seen);
    looks_.fetch_add(1, std::memory_order_release);
  }

  // For thread_signal. The handler, on the executor's thread, in the middle of anything.
  void signalled() noexcept {
    std::uint32_t state = asked;
    if (!state_.compare_exchange_strong(state, walking, std::memory_order_acquire, std::memory_order_relaxed))
      return;
    const task_header* const task = of_.running_task();
    is_there_ = task != nullptr && of_.preempt_word().seen() == slice_;
    if (is_there_) {
      queue_ = &task->queue();
      // The task, and its name, may be gone when the hook's thread reads on.
      if (task->name != nullptr) std::strncpy(name_.data(), task->name, name_.size() - 1);
      stack_.walk();
    }
    state_.store(done, std::memory_order_release);
    std_sync::futex_wake(state_, 1);
  }
  // In a child of fork(): the hook's thread is not there, and this one has another number.
  void was_forked() noexcept {
    state_.store(idle, std::memory_order_relaxed);
    if (preempt::posix_timer_calls::thread() == signal_.thread()) thread_ = this_thread();
  }

 private:
  static constexpr std::uint32_t idle = 0;
  static constexpr std::uint32_t asked = 1;
  static constexpr std::uint32_t walking = 2;
  static constexpr std::uint32_t done = 3;
  static constexpr preempt::signal_user user{
      .name = "a stall_detector", .otherwise = "do without one: slice_log::report_above() tells of slices"};

  void tell_once(const preempt::stall& seen) noexcept {
    const instant now = monotonic_clock::now();
    if (places_.size() == options_.places || now < next_ || !look(seen.slice)) return;
    const place where = stack_.where(stack_.cut_at(run_slice_));
    if (std::find(places_.begin(), places_.end(), where) != places_.end()) return;
    places_.push_back(where);  // there is room
    next_ = now + options_.between;
    const stalled_task what{.late = seen.length,
                            .task = name_.data(),
                            .queue = queue_ != nullptr ? std::string_view{queue_->options().name}
                                                       : std::string_view{},
                            .stack = stack_.addresses()};
    if (options_.told) return options_.told(what);
    tell_people(what);
  }

  // Has the thread look at itself. Whether it stalls still, in that slice.
  bool look(std::uint32_t slice) noexcept {
    slice_ = slice;
    name_.fill('\0');
    queue_ = nullptr;
    stack_.clear();
    state_.store(asked, std::memory_order_release);
    const bool is_gone = ::syscall(SYS_tgkill, ::getpid(), thread_, signal_.number()) != 0 && errno == ESRCH;
    const instant until = is_gone ? instant{} : monotonic_clock::now() + patience;
    for (std::uint32_t state = asked; (state = state_.load(std::memory_order_acquire)) != done;) {
      // Relaxed: nothing was written since `asked`.
      if (state == asked && monotonic_clock::now() >= until &&
          state_.compare_exchange_strong(state, idle, std::memory_order_relaxed, std::memory_order_relaxed))
        return !is_gone && of_.preempt_word().seen() == slice;
      std_sync::futex_wait(state_, state, state == asked ? until : never);
    }
    state_.store(idle, std::memory_order_relaxed);
    return is_there_;
  }

  static void tell_people(const stalled_task& what) noexcept {
    try {
      std::string key = "stall";
      if (!what.stack.empty()) key += " in " + function_name(what.stack.back());
      if (what.stack.size() > 1) key += ", " + function_name(what.stack[what.stack.size() - 2]);
      report(severity::error, "scheduler", key, to_string(what));
    } catch (const std::exception&) {
      report(severity::error, "scheduler", "stall",
             "a task holds up its thread, and there was no memory to say where");
    }
  }

  executor_base& of_;
  stall_options options_;
  // The hook's.
  std::atomic<std::uint64_t> looks_{0};
  std::vector<place> places_;
  instant next_;
  address run_slice_;
  pid_t thread_ = this_thread();
  // Of which turn it is.
  std::atomic<std::uint32_t> state_{idle};
  std::uint32_t slice_ = 0;
  bool is_there_ = false;
  const task_queue* queue_ = nullptr;
  std::array<char, name_max> name_{};
  stack_room stack_;
  // Last, since a signal may come from here on.
  preempt::signal_detail::thread_signal<preempt::posix_timer_calls, probe> signal_;
};

stall_detector::stall_detector(executor_base& of, const stall_options& options, void* source,
                               watch_function watch, std::uintptr_t run_slice)
    : of_(of), source_(source), watch_(watch), probe_(std::make_unique<probe>(of, options, run_slice)) {
  PINION_ASSERT(!of.has_detector_,
                "an executor was given a second stall_detector: keep one, and have it tell both");
  constexpr auto tell = [](void* to, const preempt::stall& seen) noexcept {
    static_cast<probe*>(to)->tell(seen);
  };
  watch_(source_, {.after = options.after, .hook = {.function = tell, .context = probe_.get()}});
  of.has_detector_ = true;
}

stall_detector::~stall_detector() {
  // No thread is to be started for that, so it does not throw.
  watch_(source_, {});
  of_.has_detector_ = false;
}

int stall_detector::signal() const noexcept { return probe_->signal(); }

std::uint64_t stall_detector::looks() const noexcept { return probe_->looks(); }

std::string to_string(const stalled_task& seen) {
  std::array<char, 32> late{};
  std::snprintf(late.data(), late.size(), "%.1f ms", static_cast<double>(seen.late.ns) / 1e6);
  std::string text = seen.task.empty() ? "a task" : "the task " + std::string{seen.task};
  if (!seen.queue.empty()) text += " of the queue " + std::string{seen.queue};
  text += " holds up its thread for " + std::string{late.data()} + " already, beyond its slice: ";
  if (seen.stack.empty())
    return text +
           "where is unknown, since the thread did not take a signal within a second; most likely it blocks "
           "all signals";
  text += "co_await preempt::yield_if_needed() in its loops, or give the work to another thread. It is in";
  for (const void* each : seen.stack) text += "\n  " + function_name(each);
  return text;
}

}  // namespace pinion::scheduler::inline PINION_MODE
