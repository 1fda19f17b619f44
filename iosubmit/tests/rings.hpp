// SPDX-License-Identifier: Apache-2.0
//
// any_ring: a ring of any kind behind virtual calls, and the one list of the kinds that are shipped. What is
// tested over it holds for each of them.
//
//   for (const ring_kind& kind : rings()) {
//     if (!kind.refusal.empty()) continue;                  // this machine has none of it
//     submission<batch_or_idle, any_ring> io{kind.make(8)};
//   }
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pinion::iosubmit::testing {

class any_ring {
 public:
  template <ring Ring>
  explicit any_ring(Ring ring) : ring_(std::make_unique<held<Ring>>(std::move(ring))) {}

  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept { return ring_->supports(operation); }
  [[nodiscard]] std::uint32_t room() const noexcept { return ring_->room(); }
  void put(const ring_entry& entry) noexcept { ring_->put(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return ring_->pending(); }
  [[nodiscard]] bool has_completions() const noexcept { return ring_->has_completions(); }
  [[nodiscard]] bool wants_enter() const noexcept { return ring_->wants_enter(); }
  std::int32_t enlist(std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    return ring_->enlist(what, argument, count);
  }
  ring_entered enter(const ring_wait& wait) noexcept { return ring_->enter(wait); }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    return ring_->reap({&sink, [](void* to, const ring_completion& c) { (*static_cast<Sink*>(to))(c); }});
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    return ring_->withdraw({&sink, [](void* to, const ring_entry& e) { (*static_cast<Sink*>(to))(e); }});
  }

 private:
  // A reference to a sink, of whatever type.
  template <class Item>
  struct sink_to {
    void* sink;
    void (*call)(void* sink, const Item& item);
    void operator()(const Item& item) const noexcept { call(sink, item); }
  };
  struct base {
    virtual ~base() = default;
    [[nodiscard]] virtual bool supports(std::uint8_t operation) const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t room() const noexcept = 0;
    virtual void put(const ring_entry& entry) noexcept = 0;
    [[nodiscard]] virtual std::uint32_t pending() const noexcept = 0;
    [[nodiscard]] virtual bool has_completions() const noexcept = 0;
    [[nodiscard]] virtual bool wants_enter() const noexcept = 0;
    virtual std::int32_t enlist(std::uint32_t what, void* argument, std::uint32_t count) noexcept = 0;
    virtual ring_entered enter(const ring_wait& wait) noexcept = 0;
    virtual std::size_t reap(sink_to<ring_completion> sink) noexcept = 0;
    virtual std::size_t withdraw(sink_to<ring_entry> sink) noexcept = 0;
  };
  template <class Ring>
  struct held final : base {
    explicit held(Ring ring) : of(std::move(ring)) {}
    [[nodiscard]] bool supports(std::uint8_t operation) const noexcept override {
      return of.supports(operation);
    }
    [[nodiscard]] std::uint32_t room() const noexcept override { return of.room(); }
    void put(const ring_entry& entry) noexcept override { of.put(entry); }
    [[nodiscard]] std::uint32_t pending() const noexcept override { return of.pending(); }
    [[nodiscard]] bool has_completions() const noexcept override { return of.has_completions(); }
    [[nodiscard]] bool wants_enter() const noexcept override { return of.wants_enter(); }
    std::int32_t enlist(std::uint32_t what, void* argument, std::uint32_t count) noexcept override {
      if constexpr (requires { of.enlist(what, argument, count); })
        return of.enlist(what, argument, count);
      else
        return -EOPNOTSUPP;
    }
    ring_entered enter(const ring_wait& wait) noexcept override { return of.enter(wait); }
    std::size_t reap(sink_to<ring_completion> sink) noexcept override { return of.reap(sink); }
    std::size_t withdraw(sink_to<ring_entry> sink) noexcept override { return of.withdraw(sink); }
    Ring of;
  };

  std::unique_ptr<base> ring_;
};

/// A kind of ring: how it is made, with room for so many entries, or why this machine has none.
struct ring_kind {
  std::string name;
  std::string refusal;
  std::function<any_ring(std::uint32_t entries)> make;
};

/// All of them.
[[nodiscard]] const std::vector<ring_kind>& rings();

}  // namespace pinion::iosubmit::testing
