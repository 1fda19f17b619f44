// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/detail/accepted_queue.hpp>
#include <unistd.h>

#include <new>

namespace pinion::iosubmit::accepted_detail {

accepted_queue::~accepted_queue() { close_all(); }

bool accepted_queue::add(int descriptor) noexcept {
  try {
    all_.push_back(descriptor);
    return true;
  } catch (const std::bad_alloc&) {
    ::close(descriptor);
    return false;
  }
}

int accepted_queue::take() noexcept {
  const int descriptor = all_[taken_++];
  // The half that was taken goes when it is the larger one, so each is moved once at the most, on average.
  if (taken_ * 2 >= all_.size()) {
    all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  return descriptor;
}

void accepted_queue::close_all() noexcept {
  while (size() != 0) ::close(take());
}

}  // namespace pinion::iosubmit::accepted_detail
