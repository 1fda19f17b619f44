// SPDX-License-Identifier: Apache-2.0
//
// The policies, each in a submission over a ring of the world; and what rings are like.
#include <pinion/iosubmit.hpp>

#include "composition.hpp"

namespace pinion::scheduler::testing {
namespace {

template <class Policy>
class io_of final : public any_io {
 public:
  io_of(world& in, const temper& how, std::uint64_t seed, Policy policy)
      : in_(in), io_{world_ring{in, how, seed}, std::move(policy), in.clock()} {}

  std::size_t turn(instant now) noexcept override {
    in_.loop_calls();
    return io_.turn(now);
  }
  std::size_t park_until(instant until, const std::function<void()>& woke) noexcept override {
    in_.loop_calls();
    return io_.park(until, [&] {
      in_.loop_calls();
      woke();
      in_.loop_calls();
    });
  }
  bool own() noexcept override { return io_.own(); }
  void stop() noexcept override { io_.stop(); }
  void queue(iosubmit::operation& what) noexcept override { io_.queue(what); }
  void queue_urgent(iosubmit::operation& what) noexcept override { io_.queue_urgent(what); }
  void submit() noexcept override { io_.submit(); }
  [[nodiscard]] bool has_answers() const noexcept override { return io_.has_answers(); }
  [[nodiscard]] std::uint32_t depth() const noexcept override { return io_.depth(); }
  [[nodiscard]] std::uint32_t in_flight() const noexcept override { return io_.in_flight(); }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept override {
    return io_.queue(entry, answer);
  }
  [[nodiscard]] expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&> told) override {
    return io_.add_sink(told);
  }
  void remove_sink(std::uint8_t mark) noexcept override { io_.remove_sink(mark); }
  bool watch(const ring_entry& entry) noexcept override { return io_.watch(entry); }
  bool unwatch(std::uint64_t user_data) noexcept override { return io_.unwatch(user_data); }
  [[nodiscard]] const world_ring& ring() const noexcept override { return io_.ring(); }

 private:
  world& in_;
  iosubmit::submission<Policy, world_ring, sim::virtual_clock::view> io_;
};

template <class Policy>
policy_value value(const char* name) {
  return {.name = name,
          .make = [](world& in, const temper& how, std::uint64_t seed) -> std::unique_ptr<any_io> {
            if constexpr (std::constructible_from<Policy, iosubmit::effective_settings>)
              return std::make_unique<io_of<Policy>>(in, how, seed, Policy{iosubmit::effective_settings{}});
            else
              return std::make_unique<io_of<Policy>>(in, how, seed, Policy{});
          }};
}

}  // namespace

const std::vector<policy_value>& all_policies() {
  static const std::vector<policy_value> all{
      value<iosubmit::immediate>("immediate"),
      value<iosubmit::batch_or_idle>("batch_or_idle"),
      value<iosubmit::each_turn>("each_turn"),
      value<iosubmit::low_latency>("low_latency"),
      value<iosubmit::high_throughput>("high_throughput"),
      value<iosubmit::balanced>("balanced"),
      value<iosubmit::adaptive>("adaptive"),
      value<iosubmit::chosen_policy>("chosen_policy"),
  };
  return all;
}

const std::vector<temper>& all_tempers() {
  constexpr duration usual{80'000};
  static const std::vector<temper> all{
      {.name = "plain", .ring = {.latency = usual}},
      {.name = "tiny", .ring = {.entries = 1, .completions = 2, .latency = usual}},
      {.name = "deferred", .ring = {.keeps_back = true, .latency = usual}},
      {.name = "overflowing",
       .ring = {.entries = 16, .completions = 3, .keeps_back = true, .latency = usual}},
      {.name = "slow",
       .ring = {.entries = 32,
                .keeps_back = true,
                .enter_cost = duration{2'000},
                .wake_cost = duration{40'000},
                .latency = duration{900'000}}},
      {.name = "asked", .ring = {.keeps_back = true, .latency = usual}, .tells_unasked = false},
      {.name = "faulty", .ring = {.entries = 8, .completions = 64, .latency = usual}, .is_faulty = true},
  };
  return all;
}

}  // namespace pinion::scheduler::testing
