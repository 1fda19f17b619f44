// SPDX-License-Identifier: Apache-2.0
//
// tsc_counter: whether the processor's counter is a clock, and its rate.
#include <pinion/preempt/detail/tsc_clock.hpp>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <pinion/base/diagnostic.hpp>

namespace pinion::preempt {
namespace {

const char* what_is_wrong() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  constexpr unsigned power_leaf = 0x80000007;
  constexpr unsigned is_invariant = 1U << 8U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & is_invariant) != 0) return nullptr;
  return "this processor, or the virtual machine, does not say that its time stamp counter is invariant: "
         "tsc_budget reads the monotonic clock instead, as seldom, which takes longer each time; "
         "give the guest the flag invtsc, or take a ticker_source";
#else
  return "this processor has no time stamp counter: tsc_budget reads the monotonic clock instead, as seldom, "
         "which takes longer each time; a ticker_source reads none";
#endif
}

constexpr const char* no_rate =
    "the time stamp counter went back, or ran at a rate that no processor has: "
    "tsc_budget reads the monotonic clock instead, as seldom, which takes longer each time; "
    "most likely a virtual machine was moved: take a ticker_source there";

tsc_pair read_both() noexcept {
  constexpr tsc_scale counter{tsc_scale::per_ns_max};  // any but 0 names the counter
  tsc_pair pair;
  pair.before = tsc_counter::read(counter);
  pair.time = monotonic_clock::now();
  pair.after = tsc_counter::read(counter);
  return pair;
}

constinit tsc_gauge gauge{{.what_is_wrong = &what_is_wrong, .read_both = &read_both}};

}  // namespace

tsc_scale tsc_counter::scale() noexcept { return gauge.scale(); }

tsc_state tsc_counter::state() noexcept { return gauge.state(); }

tsc_scale tsc_gauge::scale() noexcept {
  if (state() == tsc_state::measuring && !is_measured_now_.test_and_set(std::memory_order_acquire)) {
    const char* const wrong = measure();
    is_measured_now_.clear(std::memory_order_release);
    // After the flag: a sink may begin slices itself.
    if (wrong != nullptr) report(severity::warning, "preempt", "tsc-unfit", wrong);
  }
  return {per_ns_.load(std::memory_order_relaxed)};
}

// With the flag held. What has to be reported, if anything.
const char* tsc_gauge::measure() noexcept {
  // Somebody else may have measured since the state was looked at.
  if (state() != tsc_state::measuring) return nullptr;
  const char* wrong = was_asked_ ? nullptr : processor_.what_is_wrong();
  was_asked_ = true;
  if (wrong == nullptr) {
    rate_.saw(processor_.read_both());
    if (rate_.state() == tsc_state::unusable) wrong = no_rate;
  }
  per_ns_.store(rate_.scale().per_ns, std::memory_order_relaxed);
  state_.store(wrong != nullptr ? tsc_state::unusable : rate_.state(), std::memory_order_relaxed);
  return wrong;
}

void tsc_rate::saw(const tsc_pair& pair) noexcept {
  if (state_ != tsc_state::measuring) return;
  if (pair.after < pair.before) {
    state_ = tsc_state::unusable;
    return;
  }
  if (pair.after - pair.before > pair_max) return;
  if (!has_first_) {
    first_ = pair;
    has_first_ = true;
    return;
  }
  const duration passed = pair.time - first_.time;
  if (passed < apart) return;
  // A counter that went back comes out as one that is far too fast.
  const auto cycles = static_cast<double>(pair.after - first_.before);
  const auto per_ns = static_cast<std::uint64_t>(cycles / static_cast<double>(passed.ns) * (1U << 20U));
  const bool is_believed = tsc_scale::per_ns_min <= per_ns && per_ns <= tsc_scale::per_ns_max;
  state_ = is_believed ? tsc_state::in_use : tsc_state::unusable;
  if (is_believed) scale_ = {per_ns + per_ns / 1024 + 1};
}

}  // namespace pinion::preempt
