// SPDX-License-Identifier: Apache-2.0
//
// What a budget program is made of: a meter that counts instructions where a benchmark takes the time, and
// the rows it prints.
//
// The program runs under callgrind, which counts only while a meter is alive and unread, and writes one dump
// for each meter that is read. The program prints a row for each dump, in the same order; `./check budget`
// puts the two together.
//
//   budget counted;
//   counted.instructions("deferred_wheel", "churn_pair", measure_churn<contestant, instruction_meter>(10'000));
//   return counted.exit_status();
#pragma once

#include <bench/program/program.hpp>
#include <string>

namespace pinion::bench {

/// Stands where a workload has its stopwatch. Each is to be read once.
class instruction_meter {
 public:
  instruction_meter() noexcept;
  /// Ends the counting. No time was taken.
  [[nodiscard]] double seconds() const noexcept;
};

class budget {
 public:
  /// Tells of the build, which a budget holds for.
  budget();

  /// The row of the next dump: all of it was `work`'s operations.
  void instructions(const std::string& who, const std::string& operation, const measured& work);

  /// A row that needs no dump.
  void bytes(const std::string& who, const std::string& what, double value, bool is_right);

  /// 1 if the work of any row was wrong.
  [[nodiscard]] int exit_status() const noexcept { return any_wrong_ ? 1 : 0; }

 private:
  void note(const std::string& who, const std::string& what, bool is_right);
  bool any_wrong_ = false;
};

}  // namespace pinion::bench
