// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's stores behind the interface of workloads/deadlines.hpp. A new backend joins by a
// line in timer_bench.cpp. Who is measured beside them stands in peers/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/timer.hpp>
#include <pinion/timer/detail/slab.hpp>
#include <utility>

namespace pinion::timer::bench::inline PINION_MODE {

template <template <class> class Store>
class store_contestant {
 public:
  explicit store_contestant(std::uint64_t start_ns) : store_(instant{start_ns}) {}

  handle arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    return store_.schedule(instant{deadline_ns}, std::move(payload));
  }
  std::uint64_t cancel(handle h) { return store_.cancel(h).value_or(0); }
  handle push_on(handle h, std::uint64_t deadline_ns, std::uint64_t payload) {
    return store_.reschedule(h, instant{deadline_ns}) ? h : arm(deadline_ns, payload);
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    store_.poll(instant{now_ns}, [&](handle, instant, std::uint64_t&& payload) { fired(payload); });
  }
  template <class Fired>
  bool advance_within(std::uint64_t now_ns, std::size_t budget, Fired fired) {
    const auto sink = [&](handle, instant, std::uint64_t&& payload) { fired(payload); };
    return store_.poll(instant{now_ns}, budget, sink).more;
  }
  std::uint64_t next_wakeup() const { return store_.next_wakeup().ns; }
  void reserve(std::size_t n) { store_.reserve(n); }
  std::uint64_t work() const
    requires requires(const Store<std::uint64_t>& s) { s.work(); }
  {
    return store_.work();
  }

 private:
  Store<std::uint64_t> store_;
};

/// A hook with a payload.
struct item : timer_hook {
  std::uint64_t payload = 0;
  item* next_free = nullptr;
};
inline std::uint64_t& payload_of(item& i) noexcept { return i.payload; }
inline item* next_free_of(item& i) noexcept { return i.next_free; }
inline void set_next_free(item& i, item* next) noexcept { i.next_free = next; }

// An entry of bitmap_wheel has room for a payload, and while it is free for the next one that is.
inline std::uint64_t& payload_of(bitmap_wheel::entry& e) noexcept { return e.user; }
inline bitmap_wheel::entry* next_free_of(bitmap_wheel::entry& e) noexcept {
  return static_cast<bitmap_wheel::entry*>(e.context);
}
inline void set_next_free(bitmap_wheel::entry& e, bitmap_wheel::entry* next) noexcept { e.context = next; }

/// A wheel of hooks, used as its users do: the hooks are theirs, here in one array, and a name is a pointer.
template <class Wheel>
class hook_contestant {
  using hook = typename Wheel::hook_type;

 public:
  explicit hook_contestant(std::uint64_t start_ns) : hooks_(instant{start_ns}) {}
  hook_contestant(const hook_contestant&) = delete;
  hook_contestant& operator=(const hook_contestant&) = delete;
  ~hook_contestant() { hooks_.clear(); }

  hook* arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    if (free_ == nullptr) {
      items_.grow_to(made_ + 1);
      make_items(made_ + slab<hook>::page_size);
    }
    hook* h = std::exchange(free_, next_free_of(*free_));
    payload_of(*h) = payload;
    hooks_.schedule(*h, instant{deadline_ns});
    return h;
  }
  std::uint64_t cancel(hook* h) {
    if (!hooks_.cancel(*h)) return 0;
    set_next_free(*h, std::exchange(free_, h));
    return payload_of(*h);
  }
  hook* push_on(hook* h, std::uint64_t deadline_ns, std::uint64_t) {
    hooks_.schedule(*h, instant{deadline_ns});
    return h;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    hooks_.poll(instant{now_ns}, unlimited, [&](hook& h) { fired(payload_of(h)); });
  }
  template <class Fired>
  bool advance_within(std::uint64_t now_ns, std::size_t budget, Fired fired) {
    return hooks_.poll(instant{now_ns}, budget, [&](hook& h) { fired(payload_of(h)); }).more;
  }
  std::uint64_t next_wakeup() const { return hooks_.next_wakeup().ns; }
  void reserve(std::size_t n) {
    items_.reserve(n);
    make_items(items_.capacity());
  }
  std::uint64_t work() const
    requires requires(const Wheel& w) { w.work(); }
  {
    return hooks_.work();
  }

 private:
  /// The slab's room becomes hooks, up to a number of them.
  void make_items(std::size_t end) {
    for (auto k = static_cast<std::uint32_t>(end); k-- > made_;) {
      set_next_free(*std::construct_at(&items_[k]), std::exchange(free_, &items_[k]));
    }
    made_ = end;
  }

  slab<hook> items_;
  std::size_t made_ = 0;
  hook* free_ = nullptr;
  Wheel hooks_;
};

/// bitmap_wheel, and the intrusive form of deferred_wheel: the same levels over hooks.
using bitmap_entries = hook_contestant<bitmap_wheel>;
using deferred_hooks = hook_contestant<deferred_hook_wheel<item>>;

}  // namespace pinion::timer::bench::inline PINION_MODE
