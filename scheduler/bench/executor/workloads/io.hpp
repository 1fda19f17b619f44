// SPDX-License-Identifier: Apache-2.0
//
// Operations of the kernel that tasks await, each task with one under way: those that do nothing, and reads
// of 4 KB at places of a cached file that are drawn at random.
//
//   submitted m = measure_task_nops(64, 2'000);       // tasks, operations of each
//   submitted n = measure_task_reads(64, 100'000);    // tasks, reads of all together
//
// Beside the contestants of iosubmit's nop and read4k, which tell how they are measured: the same file, the
// same places, the same sums.
#pragma once

#include <array>
#include <bench/program/clock.hpp>
#include <bench/program/percentiles.hpp>
#include <cstddef>
#include <cstdint>
#include <pinion/scheduler.hpp>
#include <span>
#include <vector>

#include "../../../../iosubmit/bench/workloads/engine.hpp"
#include "../../../../iosubmit/bench/workloads/nop.hpp"
#include "../../../../iosubmit/bench/workloads/read4k.hpp"
#include "../../../../iosubmit/bench/workloads/scratch_file.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

/// The first task times its own: in that time all the others' are done, too.
class task_nops {
 public:
  explicit task_nops(std::size_t tasks) : tasks_(tasks) {}

  /// So many of each; how long the first task's took, in ticks.
  void run(std::size_t rounds, std::vector<double>& samples) { loop_.run(all(rounds, samples)); }
  /// What nop_rounds gives for as many rounds.
  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }

 private:
  scheduler::task<> all(std::size_t rounds, std::vector<double>& samples) {
    task_group group;
    group.spawn(asks(1, rounds, &samples));
    for (std::size_t number = 2; number <= tasks_; ++number) group.spawn(asks(number, rounds, nullptr));
    co_await group.join();
  }

  scheduler::task<> asks(std::size_t number, std::size_t rounds, std::vector<double>* samples) {
    const auto io = loop_.io();
    while (rounds-- != 0) {
      const std::uint64_t begin = samples != nullptr ? pinion::bench::ticks() : 0;
      const auto result = co_await io.ask(iosubmit::entries::nop());
      if (result) checksum_ += number + *result;
      if (samples != nullptr) samples->push_back(static_cast<double>(pinion::bench::ticks() - begin));
    }
  }

  scheduler::executor loop_;
  std::size_t tasks_;
  std::uint64_t checksum_ = 0;
};

inline iosubmit::bench::submitted measure_task_nops(std::size_t tasks, std::size_t rounds) {
  task_nops owner{tasks};
  std::vector<double> samples;
  samples.reserve(rounds);
  owner.run(1, samples);  // what is done once is not charged
  samples.clear();
  const std::uint64_t before = owner.checksum();
  iosubmit::bench::submitted result{
      .work = {.operations = tasks * rounds, .expected = rounds * (tasks * (tasks + 1) / 2)},
      .counted = {.are_counted = false}};

  const iosubmit::bench::wall_stopwatch wall;
  const iosubmit::bench::process_stopwatch watch;
  owner.run(rounds, samples);
  result.work.seconds = watch.seconds();
  result.wall_seconds = wall.seconds();

  for (double& each : samples) each *= pinion::bench::ns_per_tick() / static_cast<double>(tasks);
  result.latency = iosubmit::bench::percentiles_of(samples);
  result.work.checksum = owner.checksum() - before;
  return result;
}

/// Has the members of closed_reads that measure_reads() asks for. What a read brought that is not what stands
/// there makes a wrong sum.
class task_reads {
 public:
  task_reads(const iosubmit::bench::scratch_file& file, std::size_t tasks) : file_(file), buffers_(tasks) {}

  /// So many reads; their latencies in ticks, if they are wanted.
  void run(std::size_t reads, std::vector<double>* samples) {
    unasked_ = reads;
    samples_ = samples;
    loop_.run(all());
  }
  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  /// Enters are not counted here: they are where iosubmit's own workload runs.
  [[nodiscard]] static iosubmit::bench::kernel_calls counted() noexcept { return {.are_counted = false}; }

 private:
  struct alignas(iosubmit::bench::block_bytes) block {
    std::array<std::byte, iosubmit::bench::block_bytes> bytes;
  };

  scheduler::task<> all() {
    task_group group;
    for (block& each : buffers_) group.spawn(reads(each.bytes));
    co_await group.join();
  }

  scheduler::task<> reads(std::span<std::byte> into) {
    const auto io = loop_.io();
    while (unasked_ != 0) {
      --unasked_;
      const std::uint64_t begin = samples_ != nullptr ? pinion::bench::ticks() : 0;
      const std::size_t number = blocks_.next();
      const auto count = co_await io.read(file_.descriptor(), into, number * into.size());
      if (samples_ != nullptr) samples_->push_back(static_cast<double>(pinion::bench::ticks() - begin));
      const bool is_whole = count && *count == into.size();
      const std::uint64_t sum = is_whole ? iosubmit::bench::sum_of_block(into.data()) : 0;
      if (sum == iosubmit::bench::expected_sum(number)) checksum_ += sum;
    }
  }

  const iosubmit::bench::scratch_file& file_;
  scheduler::executor loop_;
  std::vector<block> buffers_;
  iosubmit::bench::drawn_blocks blocks_;
  std::vector<double>* samples_ = nullptr;
  std::size_t unasked_ = 0;
  std::uint64_t checksum_ = 0;
};

inline iosubmit::bench::submitted measure_task_reads(std::size_t tasks, std::size_t reads) {
  const iosubmit::bench::scratch_file file{iosubmit::bench::read4k_blocks};
  task_reads owner{file, tasks};
  return iosubmit::bench::measure_reads(owner, reads);
}

}  // namespace pinion::scheduler::bench::inline PINION_MODE
