// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/assert.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/iosubmit/registered_files.hpp>
#include <sys/resource.h>

#include <algorithm>

namespace pinion::iosubmit::inline PINION_MODE {

ring_entry registered_file::by_place(ring_entry what) const noexcept {
  if (what.operation == codes::refused) return what;
  PINION_ASSERT(what.descriptor == descriptor_ && what.operation != codes::close,
                "an entry was to go by a file's place that is for another file, or closes a descriptor");
  if (in_ == nullptr) return what;
  what.descriptor = static_cast<std::int32_t>(place_);
  what.flags |= kernel::entry_flag::by_place;
  return what;
}

namespace files_detail {
namespace {

constexpr std::uint32_t most_places = 32768;
constexpr int no_file = -1;

// The kernel refuses a table of more places than the process may have descriptors.
std::uint32_t places_to_be_had(std::uint32_t wanted) noexcept {
  ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({wanted, most_places, static_cast<std::uint64_t>(limit.rlim_cur)}));
}

}  // namespace

file_table* file_table::make(const registrar_detail::registrar& by, std::uint32_t places) {
  return new file_table{by, places_to_be_had(places)};
}

file_table::file_table(const registrar_detail::registrar& by, std::uint32_t places)
    : by_(by), free_(places), places_(places) {
  std::vector<int> none(places, no_file);
  if (by_(kernel::registration::add_files, none.data(), places) < 0) places_ = 0;
  free_.resize(places_);
  for (std::size_t left = places_; left != 0; --left)
    free_[places_ - left] = static_cast<std::uint32_t>(left - 1);  // the lowest is given first
}

bool file_table::add(int descriptor, std::uint32_t& place) noexcept {
  if (free_.empty() || descriptor < 0 || !set(free_.back(), descriptor)) return false;
  place = free_.back();
  free_.pop_back();
  ++users_;
  return true;
}

// Where the kernel would not clear it, the file stays open until the place is given again, or the table goes.
void file_table::let_go(std::uint32_t place) noexcept {
  set(place, no_file);
  free_.push_back(place);
  remove_user();
}

void file_table::remove_user() noexcept {
  if (--users_ != 0) return;
  if (places_ != 0) by_(kernel::registration::drop_files, nullptr, 0);
  delete this;
}

bool file_table::set(std::uint32_t place, int descriptor) noexcept {
  kernel::descriptor_update asked{.place = place, .descriptor = kernel::address_of(&descriptor)};
  return by_(kernel::registration::update_files, &asked, 1) == 1;
}

}  // namespace files_detail

}  // namespace pinion::iosubmit::inline PINION_MODE
