// SPDX-License-Identifier: Apache-2.0
//
// store_fuzz: the differential with libFuzzer choosing the operations, which sees the branches that they
// take, and with AddressSanitizer. The first byte chooses the backend, the others are an episode's decisions.
//
//   timer_store_fuzz -runs=100000 -max_len=2048
//   timer_store_fuzz crash-…                       the input of a difference, again
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "differential.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace pinion::timer::testing;
  if (size < 2) return 0;
  const opponent& against = opponents()[bytes[0] % opponents().size()];
  choices from{std::span{bytes + 1, size - 1}};
  if (const difference found = against.play(from, size)) {
    std::fprintf(stderr, "%s: %s\n", against.name.c_str(), found.what.c_str());
    std::abort();
  }
  return 0;
}
