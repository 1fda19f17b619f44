// SPDX-License-Identifier: Apache-2.0
//
// The kernel behind a virtual_ring.
//
// What was taken stands in a heap by the time of its completion. An entry without a time, which complete() or
// a cancel ends, stands in a table by its user_data: each of 100,000 connections waits there, and one answer
// must not look at all of them. What is completed stands in a queue, of which the first `shown_` are in the
// completion queue and the others have overflowed. Whoever looks first has what is due moved to that queue.
#include <algorithm>
#include <bitset>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <pinion/base/kernel.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pinion::sim {
namespace {

// By its whole name: a virtual_ring has a kernel of its own.
using codes = pinion::kernel::codes;
namespace cancel_flag = pinion::kernel::cancel_flag;

// First in, first out; grows.
template <class T>
class fifo {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void push(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = value;
  }
  T pop() noexcept {
    const T value = slots_[first_];
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow() {
    std::rotate(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_), slots_.end());
    first_ = 0;
    slots_.resize(slots_.empty() ? 16 : 2 * slots_.size());
  }

  std::vector<T> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

struct taken {
  instant at;
  std::uint64_t order;  // equal times complete in the order of being taken
  ring_completion what;
  bool can_be_cancelled;
  enum : std::uint8_t { entry, message, happening } kind;
};
struct later {
  bool operator()(const taken& a, const taken& b) const noexcept {
    return a.at != b.at ? b.at < a.at : b.order < a.order;
  }
};

instant end_of_timeout(const ring_entry& entry, instant now) noexcept {
  kernel_time time;
  std::memcpy(&time, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(entry.address)), sizeof time);
  const bool is_absolute = (entry.operation_flags & pinion::kernel::timeout_flag::absolute) != 0;
  return (is_absolute ? instant{} : now) + time.length();
}

}  // namespace

class virtual_ring::kernel {
 public:
  kernel(virtual_clock& clock, const virtual_ring_options& how) : clock_(clock), how_(how) {
    how_.entries = std::max(1U, how_.entries);
    how_.completions = std::max(1U, how_.completions);
  }

  // Moves what is due; where the ring keeps back, only an enter does.
  void look() {
    if (!how_.keeps_back) collect();
  }

  void collect() {
    while (is_due()) {
      std::ranges::pop_heap(taken_, later{});
      const taken next = taken_.back();
      taken_.pop_back();
      if (next.kind == taken::happening) {
        happenings_.extract(next.order).mapped()();
        continue;
      }
      in_flight_ -= next.kind == taken::entry ? 1U : 0U;
      post(next.what);
    }
  }

  void push(const taken& one) {
    in_flight_ += one.kind == taken::entry ? 1U : 0U;
    if (one.kind == taken::entry && one.at == never)
      endless_.emplace(one.what.user_data, one);
    else
      push_timed(one);
  }

  ring_entered enter(const ring_wait& wait) {
    ++counts_.enters;
    clock_.advance_by(how_.enter_cost);
    if (wait.count != 0) ++counts_.waits;
    const bool hands_over = pending_.size() != 0 && !wait.keeps_pending;
    if (failing_ != 0 && meets(hands_over, wait.count != 0)) {
      failing_ -= failing_ == for_ever ? 0U : 1U;
      return failed(error_);
    }
    const bool fetches = wait.fetches || wait.count != 0;
    if (fetches) collect();
    if (fetches) show_overflowed();
    if (hands_over && how_.refuses_while_overflowing && shown_ < done_.size()) return failed(-EBUSY);
    const std::uint32_t accepted = hands_over ? take_entries() : 0;
    if (fetches) collect();
    if (wait.count == 0 || (hands_over && pending_.size() != 0)) return {.accepted = accepted};
    if (early_ != 0 && shown_ < wait.count) {
      --early_;
      return accepted != 0 ? ring_entered{.accepted = accepted} : failed(-EINTR);
    }
    sleep(wait);
    return {.accepted = accepted};
  }

  bool complete(std::uint64_t user_data, std::int32_t result) {
    const auto found = endless_.find(user_data);
    if (found == endless_.end()) return false;
    taken one = found->second;
    endless_.erase(found);
    end_now(one, result);
    push_timed(one);
    return true;
  }

  [[nodiscard]] bool is_due() const noexcept { return !taken_.empty() && taken_.front().at <= clock_.time(); }

 private:
  friend class virtual_ring;

  virtual_clock& clock_;
  virtual_ring_options how_;
  std::function<virtual_answer(const ring_entry&, instant)> device_;
  std::function<void(std::uint64_t)> cancelled_;
  std::function<bool(instant)> others_;
  std::bitset<256> lacking_;
  fifo<ring_entry> pending_;
  std::vector<taken> taken_;                                   // a heap
  std::unordered_multimap<std::uint64_t, taken> endless_;      // entries in flight that have no time
  std::map<std::uint64_t, std::function<void()>> happenings_;  // of at(), by their orders
  fifo<ring_completion> done_;
  std::size_t shown_ = 0;
  std::size_t in_flight_ = 0;
  std::uint64_t orders_ = 0;
  std::uint64_t failing_ = 0;
  std::int32_t error_ = 0;
  std::uint64_t shortened_ = 0;
  std::uint32_t shortened_to_ = 0;
  std::uint64_t early_ = 0;
  virtual_ring_counts counts_;

  ring_entered failed(std::int32_t error) noexcept {
    ++counts_.failed;
    return {.error = error};
  }

  [[nodiscard]] bool meets(bool hands_over, bool waits) const noexcept {
    if (error_ == -EAGAIN || error_ == -EBUSY) return hands_over;
    if (error_ == -EINTR) return waits && !hands_over;
    return true;
  }

  void post(const ring_completion& what) {
    ++counts_.completed;
    const bool fits = shown_ == done_.size() && shown_ < how_.completions;
    done_.push(what);
    if (fits) ++shown_;
  }

  void show_overflowed() noexcept { shown_ = std::min<std::size_t>(done_.size(), how_.completions); }

  std::uint32_t take_entries() {
    std::size_t count = pending_.size();
    if (shortened_ != 0) {
      shortened_ -= shortened_ == for_ever ? 0U : 1U;
      count = std::min<std::size_t>(count, shortened_to_);
    }
    counts_.accepted += count;
    for (std::size_t left = count; left != 0; --left) start(pending_.pop());
    return static_cast<std::uint32_t>(count);
  }

  void start(const ring_entry& entry) {
    const instant now = clock_.time();
    if (entry.operation == codes::refused || lacking_[entry.operation]) return answer(entry, -EINVAL);
    switch (entry.operation) {
    case codes::nop: return answer(entry, 0);
    case codes::timeout: return take(entry, {.at = end_of_timeout(entry, now), .result = -ETIME});
    case codes::cancel: return answer(entry, cancel(entry));
    default: return take(entry, device_ ? device_(entry, now) : virtual_answer{.at = now + how_.latency});
    }
  }

  void answer(const ring_entry& entry, std::int32_t result) {
    post({.user_data = entry.user_data, .result = result, .flags = 0});
  }

  void take(const ring_entry& entry, const virtual_answer& how) {
    push({.at = how.at,
          .order = orders_++,
          .what = {.user_data = entry.user_data, .result = how.result, .flags = 0},
          .can_be_cancelled = how.can_be_cancelled,
          .kind = taken::entry});
  }

  void push_timed(const taken& one) {
    taken_.push_back(one);
    std::ranges::push_heap(taken_, later{});
  }

  void end_now(taken& one, std::int32_t result) noexcept {
    one.at = clock_.time();
    one.order = orders_++;
    one.what.result = result;
  }

  // The stopped ones are due at once: they are completed as others are, in the order of being taken.
  std::int32_t cancel(const ring_entry& entry) {
    const bool any = (entry.operation_flags & cancel_flag::any) != 0;
    const bool every = any || (entry.operation_flags & cancel_flag::all) != 0;
    std::vector<taken> stopped;
    std::int32_t refusal = -ENOENT;
    const auto stops = [&](const taken& one) {
      if (one.kind != taken::entry || (!any && one.what.user_data != entry.address)) return false;
      if (!every && !stopped.empty()) return false;
      if (!one.can_be_cancelled || one.at <= clock_.time()) {
        refusal = -EALREADY;
        return false;
      }
      stopped.push_back(one);
      return true;
    };
    const auto [first, last] =
        any ? std::pair{endless_.begin(), endless_.end()} : endless_.equal_range(entry.address);
    for (auto at = first; at != last;) at = stops(at->second) ? endless_.erase(at) : std::next(at);
    if ((every || stopped.empty()) && std::erase_if(taken_, stops) != 0)
      std::ranges::make_heap(taken_, later{});
    std::ranges::sort(stopped, {}, &taken::order);
    for (taken& one : stopped) {
      end_now(one, -ECANCELED);
      push_timed(one);
    }
    // Behind the walk: the device may complete others, and have things happen.
    if (cancelled_)
      for (const taken& one : stopped) cancelled_(one.what.user_data);
    if (every) return static_cast<std::int32_t>(stopped.size());
    return stopped.empty() ? refusal : 0;
  }

  void sleep(const ring_wait& wait) {
    const instant start = clock_.time();
    const instant end = wait.timeout == forever ? never : start + wait.timeout;
    const instant gathered = wait.count > 1 ? start + wait.gather : never;
    const std::size_t wanted = std::min(wait.count, how_.completions);
    for (;;) {
      collect();
      const instant now = clock_.time();
      if (shown_ >= wanted || now >= end || (shown_ != 0 && now >= gathered)) break;
      const instant next =
          std::min({end, shown_ != 0 ? gathered : never, taken_.empty() ? never : taken_.front().at});
      if (others_ && others_(next)) continue;
      if (next == never) {
        ++counts_.stuck;
        break;
      }
      clock_.advance_to(next);
    }
    if (start < clock_.time()) {
      ++counts_.sleeps;
      clock_.advance_by(how_.wake_cost);
    }
  }
};

virtual_ring::virtual_ring(virtual_clock& clock, const virtual_ring_options& how)
    : kernel_(std::make_unique<kernel>(clock, how)) {}
virtual_ring::virtual_ring(virtual_ring&&) noexcept = default;
virtual_ring& virtual_ring::operator=(virtual_ring&&) noexcept = default;
virtual_ring::~virtual_ring() = default;

void virtual_ring::serve(std::function<virtual_answer(const ring_entry& entry, instant now)> device,
                         std::function<void(std::uint64_t user_data)> cancelled) const {
  kernel_->device_ = std::move(device);
  kernel_->cancelled_ = std::move(cancelled);
}
bool virtual_ring::complete(std::uint64_t user_data, std::int32_t result) const {
  return kernel_->complete(user_data, result);
}
void virtual_ring::at(instant when, std::function<void()> happens) const {
  const std::uint64_t order = kernel_->orders_++;
  kernel_->happenings_.emplace(order, std::move(happens));
  kernel_->push({.at = std::max(when, kernel_->clock_.time()),
                 .order = order,
                 .what = {},
                 .can_be_cancelled = false,
                 .kind = taken::happening});
}
void virtual_ring::lack(std::uint8_t operation) const { kernel_->lacking_.set(operation); }
void virtual_ring::deliver(const ring_completion& message, instant at) const {
  kernel_->push({.at = std::max(at, kernel_->clock_.time()),
                 .order = kernel_->orders_++,
                 .what = message,
                 .can_be_cancelled = false,
                 .kind = taken::message});
}
void virtual_ring::fail(std::uint64_t enters, std::int32_t error) const noexcept {
  kernel_->failing_ = enters;
  kernel_->error_ = error;
}
void virtual_ring::accept_at_most(std::uint32_t entries, std::uint64_t enters) const noexcept {
  kernel_->shortened_ = enters;
  kernel_->shortened_to_ = entries;
}
void virtual_ring::while_asleep(std::function<bool(instant until)> others) const {
  kernel_->others_ = std::move(others);
}
void virtual_ring::end_early(std::uint64_t waits) const noexcept { kernel_->early_ = waits; }
const virtual_ring_counts& virtual_ring::counts() const noexcept { return kernel_->counts_; }
std::size_t virtual_ring::in_flight() const noexcept {
  kernel_->look();
  return kernel_->in_flight_;
}
instant virtual_ring::next_completion() const noexcept {
  kernel_->look();
  return kernel_->taken_.empty() ? never : kernel_->taken_.front().at;
}

bool virtual_ring::supports(std::uint8_t operation) const noexcept {
  return operation != codes::refused && !kernel_->lacking_[operation];
}
std::uint32_t virtual_ring::room() const noexcept {
  return kernel_->how_.entries - std::min(kernel_->how_.entries, pending());
}
void virtual_ring::put(const ring_entry& entry) noexcept {
  if (room() == 0) ++kernel_->counts_.overfilled;
  kernel_->pending_.push(entry);
}
std::uint32_t virtual_ring::pending() const noexcept {
  return static_cast<std::uint32_t>(kernel_->pending_.size());
}
bool virtual_ring::has_completions() const noexcept { return visible() != 0; }
bool virtual_ring::wants_enter() const noexcept {
  kernel_->look();
  return kernel_->shown_ < kernel_->done_.size() || (kernel_->how_.keeps_back && kernel_->is_due());
}
ring_entered virtual_ring::enter(const ring_wait& wait) noexcept { return kernel_->enter(wait); }
int virtual_ring::descriptor() const noexcept { return kernel_->how_.descriptor; }
bool virtual_ring::is_owner() const noexcept { return kernel_->how_.is_owner; }

std::size_t virtual_ring::visible() const noexcept {
  kernel_->look();
  return kernel_->shown_;
}
bool virtual_ring::take_completion(ring_completion& out) noexcept {
  if (kernel_->shown_ == 0) return false;
  --kernel_->shown_;
  ++kernel_->counts_.reaped;
  out = kernel_->done_.pop();
  return true;
}
bool virtual_ring::take_pending(ring_entry& out) noexcept {
  if (kernel_->pending_.size() == 0) return false;
  out = kernel_->pending_.pop();
  return true;
}

}  // namespace pinion::sim
