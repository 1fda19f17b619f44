// SPDX-License-Identifier: Apache-2.0
//
// any_store: a store of counted tokens behind virtual calls, so that laws are compiled once and run against
// every backend and every mutant.
//
// The value is a token: move-only, with an id, and known to a ledger that sees each one come and go. A
// backend joins by a line in backends.cpp; a mutant overrides one member of `altered`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pinion/timer.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "allocations.hpp"

namespace pinion::timer::testing {

using namespace pinion::testing;

/// Counts, for each token id, how many live.
class ledger {
 public:
  void born(std::size_t id) {
    if (id >= live_.size()) live_.resize(id + 1);
    ++live_[id];
  }
  void died(std::size_t id) noexcept { --live_[id]; }
  [[nodiscard]] int live(std::size_t id) const { return id < live_.size() ? live_[id] : 0; }

 private:
  std::vector<int> live_;
};

/// What the stores under test keep. Knows its id, and reports its death once, however often it was moved.
class token {
 public:
  token(ledger& book, std::size_t id) : book_(&book), id_(id) { book.born(id); }
  token(token&& other) noexcept : book_(std::exchange(other.book_, nullptr)), id_(other.id_) {}
  token& operator=(token&& other) noexcept {
    std::swap(book_, other.book_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~token() {
    if (book_ != nullptr) book_->died(id_);
  }
  [[nodiscard]] bool holds() const noexcept { return book_ != nullptr; }
  [[nodiscard]] std::size_t id() const noexcept { return id_; }

 private:
  ledger* book_;
  std::size_t id_;
};

/// A callable by reference: passing one must not allocate, or law T9 would measure the test.
class sink_ref {
 public:
  template <sink_for<token> Sink>
    requires(!std::is_same_v<std::remove_cvref_t<Sink>, sink_ref>)
  explicit(false)
      sink_ref(Sink& sink)  // NOLINT(bugprone-forwarding-reference-overload): not one, an lvalue only
      : object_(&sink), call_([](void* object, handle h, instant deadline, token&& value) {
          (*static_cast<Sink*>(object))(h, deadline, std::move(value));
        }) {}
  void operator()(handle h, instant deadline, token&& value) const {
    call_(object_, h, deadline, std::move(value));
  }

 private:
  void* object_;
  void (*call_)(void*, handle, instant, token&&);
};

class any_store {
 public:
  any_store() = default;
  any_store(const any_store&) = delete;
  any_store& operator=(const any_store&) = delete;
  virtual ~any_store() = default;

  [[nodiscard]] virtual store_traits traits() const = 0;
  [[nodiscard]] virtual duration lateness_bound(duration ahead) const = 0;
  [[nodiscard]] virtual instant next_wakeup() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::size_t retired() const = 0;
  /// Words and entries touched so far; nothing in a build that doesn't count.
  [[nodiscard]] virtual std::optional<std::uint64_t> work() const = 0;
  virtual handle schedule(instant deadline, token&& value) = 0;
  virtual std::optional<token> cancel(handle h) = 0;
  virtual bool reschedule(handle h, instant deadline) = 0;
  virtual poll_result poll(instant now, std::size_t budget, sink_ref sink) = 0;
  virtual void clear() = 0;
  virtual void reserve(std::size_t n) = 0;
};

/// What a store under test is made from.
struct setup {
  instant start{0};
  unsigned generation_bits = 32;
  std::uint64_t seed = 1;
  std::string* broken = nullptr;  ///< where the store says which of its invariants broke first
  std::uint32_t slots_max = slot_options{}.slots_max;
};

/// How to make one kind of store, and which seed the laws draw their numbers from.
struct store_factory {
  std::string name;
  std::function<std::unique_ptr<any_store>(const setup&)> make;
  std::uint64_t seed = 1;
};

/// A timer_store as an any_store. After each step, and each call of a sink, a store that can check itself
/// does.
template <template <class> class Store>
class adapted final : public any_store {
 public:
  explicit adapted(const setup& how)
      : store_(how.start, slot_options{.seed = how.seed,
                                       .generation_bits = how.generation_bits,
                                       .slots_max = how.slots_max}),
        broken_(how.broken) {}

  [[nodiscard]] store_traits traits() const override { return Store<token>::traits; }
  [[nodiscard]] duration lateness_bound(duration ahead) const override {
    return store_.lateness_bound(ahead);
  }
  [[nodiscard]] instant next_wakeup() const override { return store_.next_wakeup(); }
  [[nodiscard]] std::size_t size() const override { return store_.size(); }
  [[nodiscard]] std::size_t retired() const override { return store_.retired(); }
  [[nodiscard]] std::optional<std::uint64_t> work() const override {
    if constexpr (is_checked) {
      return store_.work();
    } else {
      return std::nullopt;
    }
  }
  handle schedule(instant deadline, token&& value) override {
    const step whole{*this, "schedule"};
    return store_.schedule(deadline, std::move(value));
  }
  std::optional<token> cancel(handle h) override {
    const step whole{*this, "cancel"};
    return store_.cancel(h);
  }
  bool reschedule(handle h, instant deadline) override {
    const step whole{*this, "reschedule"};
    return store_.reschedule(h, deadline);
  }
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    const step whole{*this, "poll"};
    auto checked_sink = [&](handle h, instant deadline, token&& value) {
      check("a callback began");
      sink(h, deadline, std::move(value));
    };
    return store_.poll(now, budget, checked_sink);
  }
  void clear() override {
    const step whole{*this, "clear"};
    store_.clear();
  }
  void reserve(std::size_t n) override {
    const step whole{*this, "reserve"};
    store_.reserve(n);
  }

 private:
  /// Ends in a check, also when the step throws.
  struct step {
    adapted& store;
    const char* name;
    step(adapted& s, const char* n) noexcept : store(s), name(n) {}
    step(const step&) = delete;
    step& operator=(const step&) = delete;
    ~step() { store.check(name); }
  };

  /// Each time at first and while timers are few; more seldom in a crowd and in a long run, so that checking
  /// takes about as long as the steps themselves.
  void check(const char* after) {
    ++steps_;
    if constexpr (requires { store_.violated_invariant(); }) {
      if (broken_ == nullptr || !broken_->empty() || steps_ < next_check_) return;
      crowd_ = std::max(crowd_, store_.size());
      next_check_ = steps_ + 1 + crowd_ / 16 + steps_ / 1'000;
      const uncounted_allocations own;
      if (const std::string what = store_.violated_invariant(); !what.empty()) {
        *broken_ = "invariant: after step " + std::to_string(steps_) + " (" + after + "): " + what;
      }
    }
  }

  Store<token> store_;
  std::string* broken_;
  std::uint64_t steps_ = 0;
  std::uint64_t next_check_ = 0;
  std::size_t crowd_ = 0;
};

/// Every store that the laws hold for.
[[nodiscard]] const std::vector<store_factory>& backends();

}  // namespace pinion::timer::testing
