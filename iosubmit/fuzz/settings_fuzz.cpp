// SPDX-License-Identifier: Apache-2.0
//
// settings_fuzz: the parser of the environment with libFuzzer choosing the texts, with AddressSanitizer, and
// held to what is taken and what is refused. The first byte says which of the three variables there are; the
// rest is divided among them at newlines.
//
//   iosubmit_settings_fuzz -runs=100000 -max_len=128
//   iosubmit_settings_fuzz crash-…                   the input of a difference, again
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "settings_oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace pinion::iosubmit;
  if (size == 0) return 0;
  std::string_view rest{reinterpret_cast<const char*>(bytes) + 1, size - 1};
  std::optional<std::string_view> texts[3];
  std::unique_ptr<char[]> copies[3];  // each ends where its memory does, so that a byte read too far is seen
  for (unsigned k = 0; k < 3; ++k) {
    if ((bytes[0] >> k & 1U) == 0) continue;
    const std::string_view text = rest.substr(0, k == 2 ? rest.npos : rest.find('\n'));
    rest.remove_prefix(text.size() < rest.size() ? text.size() + 1 : rest.size());
    copies[k] = std::make_unique<char[]>(text.size());
    text.copy(copies[k].get(), text.size());
    texts[k] = std::string_view{copies[k].get(), text.size()};
  }
  if (const auto wrong =
          testing::judge({.mode = texts[0], .batch_size = texts[1], .max_wait_us = texts[2]})) {
    std::fprintf(stderr, "%s\n", wrong.what().c_str());
    std::abort();
  }
  return 0;
}
