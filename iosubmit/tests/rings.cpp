// SPDX-License-Identifier: Apache-2.0
#include "rings.hpp"

#include <pinion/base/diagnostic.hpp>

namespace pinion::iosubmit::testing {
namespace {

// io_uring where nobody has it.
struct forbidden_uring_calls : uring_calls {
  static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return -1; }  // EPERM
};

template <class Ring>
ring_kind kind_of(const char* name) {
  const auto open = [](std::uint32_t entries) {
    return open_ring<Ring>({.uring = {.entries = entries, .completion_entries = 2 * entries},
                            .epoll = {.entries = entries, .in_flight = entries}});
  };
  const auto probed = open(1);
  return {name, probed ? "" : to_string(probed.error()),
          [open](std::uint32_t entries) { return any_ring{std::move(open(entries).value())}; }};
}

}  // namespace

const std::vector<ring_kind>& rings() {
  static const std::vector<ring_kind> all = [] {
    std::vector<ring_kind> list;
    list.push_back(kind_of<uring_ring>("uring"));
    list.push_back(kind_of<epoll_ring>("epoll"));
    list.push_back(kind_of<either_ring<uring_ring, epoll_ring>>("either"));
    set_diagnostic_sink([](const diagnostic&) noexcept {});  // that it falls back is meant
    list.push_back(
        kind_of<either_ring<basic_uring_ring<forbidden_uring_calls>, epoll_ring>>("either_without_uring"));
    set_diagnostic_sink(nullptr);
    return list;
  }();
  return all;
}

}  // namespace pinion::iosubmit::testing
