// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's stores behind the interface of workloads/deadlines.hpp. A new backend joins by a line in
// timer_bench.cpp. Who is measured beside them stands in peers/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/timer.hpp>
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

/// A wheel of hooks, used as its users do: the hooks are theirs, here in one array, and a name is a pointer.
template <class Levels>
class hook_contestant {
  struct item : timer_hook {
    explicit item(item* next) noexcept : next_free(next) {}
    std::uint64_t payload = 0;
    item* next_free;
  };

 public:
  explicit hook_contestant(std::uint64_t start_ns) : hooks_(instant{start_ns}) {}
  hook_contestant(const hook_contestant&) = delete;
  hook_contestant& operator=(const hook_contestant&) = delete;
  ~hook_contestant() { hooks_.clear(); }

  item* arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    if (free_ == nullptr) {
      items_.grow_to(made_ + 1);
      make_items(made_ + slab<item>::page_size);
    }
    item* i = std::exchange(free_, free_->next_free);
    i->payload = payload;
    hooks_.schedule(*i, instant{deadline_ns});
    return i;
  }
  std::uint64_t cancel(item* i) {
    if (!hooks_.cancel(*i)) return 0;
    i->next_free = std::exchange(free_, i);
    return i->payload;
  }
  item* push_on(item* i, std::uint64_t deadline_ns, std::uint64_t) {
    hooks_.schedule(*i, instant{deadline_ns});
    return i;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    hooks_.poll(instant{now_ns}, [&](item& i) { fired(i.payload); });
  }
  template <class Fired>
  bool advance_within(std::uint64_t now_ns, std::size_t budget, Fired fired) {
    return hooks_.poll(instant{now_ns}, budget, [&](item& i) { fired(i.payload); }).more;
  }
  std::uint64_t next_wakeup() const { return hooks_.next_wakeup().ns; }
  void reserve(std::size_t n) {
    items_.reserve(n);
    make_items(items_.capacity());
  }
  std::uint64_t work() const
    requires requires(const hook_wheel<item, Levels>& w) { w.work(); }
  {
    return hooks_.work();
  }

 private:
  /// The slab's room becomes items, up to a number of them.
  void make_items(std::size_t end) {
    for (auto k = static_cast<std::uint32_t>(end); k-- > made_;) {
      free_ = std::construct_at(&items_[k], free_);
    }
    made_ = end;
  }

  slab<item> items_;
  std::size_t made_ = 0;
  item* free_ = nullptr;
  hook_wheel<item, Levels> hooks_;
};

/// The intrusive form of deferred_wheel: the same levels over hooks.
using deferred_hooks = hook_contestant<deferred_levels>;

}  // namespace pinion::timer::bench::inline PINION_MODE
