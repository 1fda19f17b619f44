// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's submission with a policy and a ring, behind the interface of
// workloads/engine.hpp. A new policy joins by a line in with_each_policy(). Who is measured beside them
// stands in peers/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <span>
#include <utility>

#include "workloads/engine.hpp"

namespace pinion::iosubmit::bench::inline PINION_MODE {

/// Calls add.operator()<Policy>(name) with every policy there is.
template <class Add>
void with_each_policy(Add add) {
  add.template operator()<immediate>("immediate");
  add.template operator()<batch_or_idle>("batch_or_idle");
  add.template operator()<each_turn>("each_turn");
  add.template operator()<low_latency>("low_latency");
  add.template operator()<high_throughput>("high_throughput");
  add.template operator()<balanced>("balanced");
  add.template operator()<adaptive>("adaptive");
}

/// uring_calls that counts the system calls which hand over or fetch.
struct counting_calls : uring_calls {
  // One counter for the program: one thread enters one ring at a time.
  static inline std::uint64_t enters = 0;

  static int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                   const kernel::wait_argument* argument) noexcept {
    ++enters;
    return uring_calls::enter(ring, submit, wait_for, flags, argument);
  }
};

/// An epoll_ring that counts the system calls which fetch.
class counting_epoll : public epoll_ring {
 public:
  static inline std::uint64_t enters = 0;  // as above

  static expected<counting_epoll, refusal> open(const epoll_ring_options& options) {
    static const epoll_detail::epoll_calls counting = [] {
      epoll_detail::epoll_calls calls = epoll_detail::system_calls;
      calls.wait = [](int epoll, std::span<epoll_detail::descriptor_event> into, duration timeout) noexcept {
        ++enters;
        return epoll_detail::system_calls.wait(epoll, into, timeout);
      };
      return calls;
    }();
    auto opened = epoll_ring::open(options, counting);
    if (!opened) return unexpected<refusal>{opened.error()};
    return counting_epoll{std::move(*opened)};
  }

 private:
  explicit counting_epoll(epoll_ring made) noexcept : epoll_ring(std::move(made)) {}
};

/// A shipped ring over such calls, whose completions are counted, too. Made for so many operations at once.
template <class Ring, class... Calls>
class counted_ring : public Ring {
 public:
  explicit counted_ring(std::size_t most) : Ring(opened(most)) {}

  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    const std::size_t count = Ring::reap(std::move(sink));
    completions_ += count;
    return count;
  }
  [[nodiscard]] kernel_calls counted() const noexcept {
    return {.enters = enters() - begin_, .completions = completions_, .are_counted = sizeof...(Calls) != 0};
  }

 private:
  static Ring opened(std::size_t most) {
    const auto entries = static_cast<std::uint32_t>(std::max<std::size_t>(most, 256));
    auto ring = open_ring<Ring>({.uring = {.entries = entries}, .epoll = {.entries = entries}});
    if (!ring) give_up("opening a ring", ring.error().code.value());
    return std::move(*ring);
  }
  static std::uint64_t enters() noexcept { return (std::uint64_t{0} + ... + Calls::enters); }

  std::uint64_t begin_ = enters();
  std::uint64_t completions_ = 0;
};
using counted_uring = counted_ring<basic_uring_ring<counting_calls>, counting_calls>;
using counted_epoll = counted_ring<counting_epoll, counting_epoll>;
using counted_either = counted_ring<either_ring<basic_uring_ring<counting_calls>, counting_epoll>,
                                    counting_calls, counting_epoll>;
using plain_uring = counted_ring<uring_ring>;

/// A ring that is made with the number of operations that are asked for at once, and counts.
template <class Policy, class Ring, class Clock = monotonic_clock>
struct submission_of {
  template <class Handler>
  class engine {
   public:
    struct slot : operation {
      slot() noexcept : operation(entries::nop(), &slot::told) {}
      std::uint32_t index = 0;
      engine* home = nullptr;

     private:
      static void told(ring_answer& self, std::int32_t result) noexcept {
        auto& each = static_cast<slot&>(self);
        each.home->handler_.answered(each, result);
      }
    };

    engine(Handler& handler, std::size_t most) : handler_(handler), io_(Ring{most}) {}

    void nop(slot& each) noexcept { ask(each, entries::nop()); }
    void read(slot& each, int file, std::span<std::byte> into, std::uint64_t offset) noexcept {
      ask(each, entries::read(file, into, offset));
    }
    void write(slot& each, int file, std::span<const std::byte> from, std::uint64_t offset) noexcept {
      ask(each, entries::write(file, from, offset));
    }
    void recv(slot& each, int socket, std::span<std::byte> into) noexcept {
      ask(each, entries::recv(socket, into));
    }
    void send(slot& each, int socket, std::span<const std::byte> from) noexcept {
      ask(each, entries::send(socket, from));
    }

    void turn() noexcept { io_.turn(monotonic_clock::now()); }
    void park(instant until = never) noexcept { io_.park(until); }

    [[nodiscard]] kernel_calls counted() const noexcept { return io_.ring().counted(); }

   private:
    void ask(slot& each, const ring_entry& what) noexcept {
      each.home = this;
      each.ask(what);
      io_.queue(each);
    }

    Handler& handler_;
    submission<Policy, Ring, Clock> io_;
  };
};

}  // namespace pinion::iosubmit::bench::inline PINION_MODE
