// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/assert.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/iosubmit/registered_files.hpp>

#include <algorithm>

namespace pinion::iosubmit::inline PINION_MODE {
namespace {

constexpr std::uint32_t most_places = 32768;
constexpr int no_file = -1;

}  // namespace

registered_file::~registered_file() {
  if (in_ != nullptr) in_->let_go(place_);
}

ring_entry registered_file::by_place(ring_entry what) const noexcept {
  if (what.operation == codes::refused) return what;
  PINION_ASSERT(what.descriptor == descriptor_ && what.operation != codes::close,
                "an entry was to go by a file's place that is for another file, or closes a descriptor");
  if (in_ == nullptr) return what;
  what.descriptor = static_cast<std::int32_t>(place_);
  what.flags |= kernel::entry_flag::by_place;
  return what;
}

registered_files::registered_files(const registrar_detail::registrar& by, std::uint32_t places)
    : by_(by), places_(std::min(places, most_places)) {
  std::vector<int> none(places_, no_file);
  const auto count = static_cast<std::uint32_t>(places_);
  if (by_(kernel::registration::add_files, none.data(), count) < 0) places_ = 0;
  free_.resize(places_);
  for (std::size_t left = places_; left != 0; --left)
    free_[places_ - left] = static_cast<std::uint32_t>(left - 1);  // the lowest is given first
}

registered_files::~registered_files() {
  PINION_ASSERT(free_.size() == places_,
                "a table of files was destroyed before its files: declare it before them");
  if (places_ != 0) by_(kernel::registration::drop_files, nullptr, 0);
}

registered_file registered_files::add(int descriptor) noexcept {
  if (free_.empty() || descriptor < 0 || !set(free_.back(), descriptor)) return {nullptr, 0, descriptor};
  const std::uint32_t place = free_.back();
  free_.pop_back();
  return {this, place, descriptor};
}

bool registered_files::set(std::uint32_t place, int descriptor) noexcept {
  kernel::descriptor_update asked{.place = place, .descriptor = kernel::address_of(&descriptor)};
  return by_(kernel::registration::update_files, &asked, 1) == 1;
}

// Where the kernel would not clear it, the file stays open until the place is given again, or the table goes.
void registered_files::let_go(std::uint32_t place) noexcept {
  set(place, no_file);
  free_.push_back(place);
}

}  // namespace pinion::iosubmit::inline PINION_MODE
