// SPDX-License-Identifier: Apache-2.0
//
// random_draws: what is random in a simulation, by a seed; the same on every machine and under every
// compiler.
//
// The standard's distributions are not, nor is the last bit of a library's logarithm: so it is taken by a
// series here.
#pragma once

#include <cstdint>
#include <pinion/base/time.hpp>

#include "bench/program/random_numbers.hpp"
#include "costs.hpp"

namespace pinion::iosubmit::simulation {

class random_draws {
 public:
  explicit random_draws(std::uint64_t seed) noexcept : numbers_(seed) {}

  std::uint64_t below(std::uint64_t bound) noexcept { return numbers_.below(bound); }
  /// One of equally likely service times.
  std::size_t quantile() noexcept { return static_cast<std::size_t>(numbers_.below(costs::quantiles)); }
  /// Until the next event of a Poisson process of so many a second; without end where there are none.
  duration wait(double a_second) noexcept {
    if (a_second <= 0) return forever;
    const double uniform = static_cast<double>((numbers_.next() >> 12) + 1) * 0x1p-52;  // above 0, at most 1
    return duration{static_cast<std::uint64_t>(minus_logarithm(uniform) * 1e9 / a_second)};
  }

 private:
  // Of 0 < x <= 1: halves are counted, the rest is 2 artanh((1 - m) / (1 + m)) for m of (1/2, 1].
  static double minus_logarithm(double x) noexcept {
    double halves = 0;
    for (; x <= 0.5; x *= 2) halves += 1;
    const double t = (1 - x) / (1 + x);
    double sum = 0;
    double power = t;
    for (int odd = 1; odd < 40; odd += 2, power *= t * t) sum += power / odd;
    return halves * 0.693147180559945309417 + 2 * sum;
  }

  bench::random_numbers numbers_;
};

}  // namespace pinion::iosubmit::simulation
