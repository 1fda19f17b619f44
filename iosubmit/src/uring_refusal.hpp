// SPDX-License-Identifier: Apache-2.0
//
// Why there is no uring_ring. What a program decides by is the code:
//
//   ENOSYS, EPERM, EACCES, EOPNOTSUPP   there is no io_uring to be had here, whatever is asked for
//   EINVAL                              what was asked for makes no ring anywhere
//   any other                           a limit was met, which can be raised
//
// So it is not always the errno, which the reason names: setup answers EINVAL to flags that it does not know,
// and mmap EPERM where locked memory is used up.
#pragma once

#include <cstdint>
#include <optional>
#include <pinion/base/refusal.hpp>
#include <pinion/iosubmit/detail/uring_setup.hpp>

namespace pinion::iosubmit::uring_detail {

struct asked_ring {
  const uring_options& options;
  std::uint32_t setup_flags;  // of the last attempt
  const call_table& calls;    // for the limits in force
};

// The kernel would say EINVAL, as it does to flags that it doesn't know: it is not asked.
std::optional<refusal> refusal_of_options(const uring_options& options, std::uint32_t setup_flags);
// Of the negative errno of io_uring_setup, of mmap and of the first io_uring_register.
refusal refusal_of_setup(const asked_ring& asked, int error);
refusal refusal_of_map(const asked_ring& asked, int error);
refusal refusal_of_register(const asked_ring& asked, int error);
// Of a kernel that lacks what is needed; else empty.
std::optional<refusal> refusal_of_features(const asked_ring& asked, std::uint32_t features);

}  // namespace pinion::iosubmit::uring_detail
