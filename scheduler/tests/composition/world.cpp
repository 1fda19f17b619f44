// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <pinion/base/kernel.hpp>
#include <utility>

namespace pinion::scheduler::testing {
namespace {

constexpr auto later = [](const auto& a, const auto& b) {
  return a.at != b.at ? b.at < a.at : b.order < a.order;
};
constexpr std::uint32_t cannot_be_cancelled = 1;

}  // namespace

// ---- world

world::world(instant start) : clock_(start), outer_(std::exchange(current_, this)) {}

world::~world() { current_ = outer_; }

void world::at(instant when, std::function<void()> what) {
  deeds_.push_back({.at = std::max(when, now()), .order = orders_++, .what = std::move(what)});
  std::ranges::push_heap(deeds_, later);
}

bool world::others(instant until) {
  if (deeds_.empty() || until < deeds_.front().at) return false;
  std::ranges::pop_heap(deeds_, later);
  const deed next = std::move(deeds_.back());
  deeds_.pop_back();
  clock_.advance_to(next.at);
  next.what();
  return true;
}

void world::pass(duration length) {
  const instant end = now() + length;
  while (others(end)) {
  }
  clock_.advance_to(end);
  for (const kernel_ring* each : rings_) each->look();
}

world::file* world::find(int descriptor) noexcept {
  const auto at = static_cast<std::size_t>(descriptor);
  if (descriptor < 0 || at >= files_.size() || !files_[at].is_open) return nullptr;
  return &files_[at];
}

int world::open(file what) {
  what.is_open = true;
  files_.push_back(std::move(what));
  return static_cast<int>(files_.size()) - 1;
}

int world::open_counter() { return open({}); }

int world::add_one(int descriptor) {
  file* const counter = find(descriptor);
  if (counter == nullptr || counter->ring != nullptr) return -EBADF;
  ++signals;
  ++counter->count;
  tell(*counter);
  return 0;
}

void world::tell(const file& counter) {
  for (const watcher& each : counter.watchers)
    each.ring->deliver({.user_data = each.user_data, .result = 1, .flags = ring_completion::more});
}

int world::take(int descriptor) {
  file* const counter = find(descriptor);
  if (counter == nullptr || counter->ring != nullptr) return -EBADF;
  return std::exchange(counter->count, 0) != 0 ? 0 : -EAGAIN;
}

void world::close(int descriptor) {
  if (file* const open = find(descriptor); open != nullptr) *open = {};
}

int world::add_ring(const kernel_ring& ring) {
  rings_.push_back(&ring);
  return ring.how.tells_unasked ? open({.ring = &ring}) : -1;
}

// What has a number of it still may send to it: nobody hears.
void world::remove_ring(const kernel_ring& ring) {
  std::erase(rings_, &ring);
  for (file& each : files_) {
    std::erase_if(each.watchers, [&](const watcher& one) { return one.ring == &ring; });
    if (each.ring == &ring) each = {};
  }
}

int world::duplicate(int ring) {
  file* const of = find(ring);
  if (of == nullptr || of->ring == nullptr) return -EBADF;
  return open({.ring = of->ring});
}

int world::send(int ring, std::uint64_t user_data) {
  const file* const to = find(ring);
  if (to == nullptr || to->ring == nullptr) return -EBADF;
  ++signals;
  to->ring->deliver({.user_data = user_data, .result = 0, .flags = 0});
  return 0;
}

void world::watch(const kernel_ring& ring, const ring_entry& entry) {
  file* const counter = find(entry.descriptor);
  if (counter == nullptr) return;
  counter->watchers.push_back({.ring = &ring, .user_data = entry.user_data});
  // It is readable already; a ring that is in the middle of taking entries can't be told now.
  if (counter->count != 0)
    at(now(), [this, at = entry.descriptor] {
      if (const file* const still = find(at); still != nullptr && still->count != 0) tell(*still);
    });
}

void world::forget_watch(const kernel_ring& ring, std::uint64_t user_data) {
  for (file& each : files_)
    std::erase_if(each.watchers,
                  [&](const watcher& one) { return one.ring == &ring && one.user_data == user_data; });
}

void world_sync::futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                            instant until) noexcept {
  world& in = world::current();
  while (word.load(std::memory_order_relaxed) == expected) {
    if (in.others(until)) continue;
    if (until != never) {
      in.clock().advance_to(until);
      return;
    }
    ++in.stuck;  // and ends all the same
    const_cast<atomic<std::uint32_t>&>(word).store(expected + 1, std::memory_order_relaxed);
  }
}

// ---- rings

kernel_ring::kernel_ring(world& of, const temper& like, std::uint64_t seed)
    : in(of), how(like), inner(of.clock(), like.ring), numbers_(seed) {
  descriptor = in.add_ring(*this);
  inner.serve([this](const ring_entry& entry, instant now) { return answer(entry, now); });
  inner.while_asleep([this](instant until) { return in.others(until); });
}

kernel_ring::~kernel_ring() { in.remove_ring(*this); }

void kernel_ring::deliver(const ring_completion& what) const {
  inner.deliver(what);
  look();
}

void kernel_ring::look() const noexcept {
  flags = how.has_flags() && inner.wants_enter() ? kernel::submission_flag::taskrun : 0;
}

ring_entered kernel_ring::enter(const ring_wait& wait) noexcept {
  if (how.is_faulty) misbehave();
  ++enters;
  waits += wait.count != 0 ? 1U : 0U;
  const ring_entered done = inner.enter(wait);
  look();
  return done;
}

void kernel_ring::handed_out(const ring_completion& what) noexcept {
  look();
  if ((what.flags & ring_completion::more) == 0) in.forget_watch(*this, what.user_data);
}

sim::virtual_answer kernel_ring::answer(const ring_entry& entry, instant now) {
  switch (entry.operation) {
  case kernel::codes::poll: in.watch(*this, entry); return {.at = never};
  case kernel::codes::msg_ring: return {.at = now, .result = in.send(entry.descriptor, entry.offset)};
  default:
    return {.at = now + duration{entry.offset},
            .result = 1,
            .can_be_cancelled = entry.operation_flags != cannot_be_cancelled};
  }
}

void kernel_ring::misbehave() noexcept {
  switch (numbers_() % 12) {
  case 0: return inner.fail(1, -EAGAIN);
  case 1: return inner.fail(1, -EINTR);
  case 2: return inner.fail(1, -EBUSY);
  case 3: return inner.accept_at_most(static_cast<std::uint32_t>(numbers_() % 3), 1);
  case 4: return inner.end_early(1);
  default: return;
  }
}

world_ring::ring_features world_ring::features() const noexcept {
  namespace setup = pinion::kernel::setup;
  if (!kernel_->how.has_flags()) return {};
  return {.setup_flags = setup::single_issuer | setup::defer_taskrun | setup::taskrun_flag};
}

ring_entry device_answers(duration after, bool can_be_cancelled) noexcept {
  return {.operation = kernel::codes::recv,
          .descriptor = 0,
          .offset = after.ns,
          .operation_flags = can_be_cancelled ? 0 : cannot_be_cancelled};
}

}  // namespace pinion::scheduler::testing
