// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's submission with a policy and a ring, behind the interface of workloads/engine.hpp. A new policy joins by a
// line in with_each_policy(). Who is measured beside them stands in peers/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <span>
#include <utility>

#include "workloads/engine.hpp"

namespace pinion::iosubmit::bench::inline PINION_MODE {

/// Calls add.operator()<Policy>(name) with every policy there is.
template <class Add>
void with_each_policy(Add add) {
  add.template operator()<immediate>("immediate");
  add.template operator()<batch_or_idle>("batch_or_idle");
}

template <class Policy, class Ring>
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
    void park(instant until = never) noexcept { io_.park(io_.now(), until); }

    [[nodiscard]] calls counted() noexcept { return calls_of(io_.ring()); }

   private:
    void ask(slot& each, const ring_entry& what) noexcept {
      each.home = this;
      each.ask(what);
      io_.queue(each);
    }

    Handler& handler_;
    submission<Policy, Ring> io_;
  };
};

}  // namespace pinion::iosubmit::bench::inline PINION_MODE
