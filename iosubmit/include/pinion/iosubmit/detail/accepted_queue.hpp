// SPDX-License-Identifier: Apache-2.0
//
// accepted_queue: descriptors that were accepted, in order, until they are taken or closed. None is lost.
#pragma once

#include <cstddef>
#include <pinion/base/export.hpp>
#include <vector>

namespace pinion::iosubmit::accepted_detail {

class PINION_EXPORT accepted_queue {
 public:
  accepted_queue() noexcept = default;
  accepted_queue(const accepted_queue&) = delete;
  accepted_queue& operator=(const accepted_queue&) = delete;
  ~accepted_queue();

  [[nodiscard]] std::size_t size() const noexcept { return all_.size() - taken_; }
  /// False: there is no memory to keep it, and it was closed.
  [[nodiscard]] bool add(int descriptor) noexcept;
  /// The oldest, where there is one.
  [[nodiscard]] int take() noexcept;
  void close_all() noexcept;

 private:
  std::vector<int> all_;
  std::size_t taken_ = 0;  // so many of the first
};

}  // namespace pinion::iosubmit::accepted_detail
