// SPDX-License-Identifier: Apache-2.0
//
// How a kernel's ring comes and goes.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/detail/uring_setup.hpp>
#include <utility>

#include "uring_refusal.hpp"

namespace pinion::iosubmit::uring_detail {
namespace {

namespace setup = kernel::setup;

// What one kernel learnt at one time, the newest first: what it doesn't know is left out in this order.
constexpr std::uint32_t groups[] = {setup::no_sq_array, setup::defer_taskrun, setup::single_issuer,
                                    setup::coop_taskrun | setup::taskrun_flag, setup::submit_all};

std::uint32_t wanted_flags(const uring_options& options) noexcept {
  const bool defers = options.defer_taskrun && options.single_issuer;
  std::uint32_t flags = setup::clamp | setup::disabled;
  if (options.completion_entries != 0) flags |= setup::completion_entries;
  if (options.submit_all) flags |= setup::submit_all;
  if (options.coop_taskrun) flags |= setup::coop_taskrun;
  if (options.coop_taskrun || defers) flags |= setup::taskrun_flag;
  if (options.single_issuer) flags |= setup::single_issuer;
  if (defers) flags |= setup::defer_taskrun;
  if (options.no_sq_array) flags |= setup::no_sq_array;
  return flags;
}

// What must go with a group: without its companions a flag is refused by kernels that know it.
std::uint32_t without(std::uint32_t flags, std::uint32_t group) noexcept {
  flags &= ~group;
  const bool keeps_back = (flags & (setup::coop_taskrun | setup::defer_taskrun)) != 0;
  return keeps_back ? flags : flags & ~setup::taskrun_flag;
}

std::int32_t map_queues(const call_table& calls, const kernel::setup_parameters& made,
                        mapped_ring& ring) noexcept {
  const bool has_array = (made.flags & setup::no_sq_array) == 0;
  ring.rings_bytes =
      made.completion.completions + std::size_t{made.completion_entries} * sizeof(ring_completion);
  if (has_array) {
    ring.rings_bytes =
        std::max(ring.rings_bytes, made.submission.array + std::size_t{made.submission_entries} * 4);
  }
  ring.entries_bytes = std::size_t{made.submission_entries} * sizeof(ring_entry);
  if (const int error = calls.map(ring.descriptor, ring.rings_bytes, kernel::region::rings, ring.rings);
      error != 0)
    return error;
  void* entries = nullptr;
  if (const int error = calls.map(ring.descriptor, ring.entries_bytes, kernel::region::entries, entries);
      error != 0)
    return error;
  ring.entries = static_cast<ring_entry*>(entries);

  const auto word = [&](std::uint32_t offset) noexcept {
    return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(ring.rings) + offset);
  };
  ring.entry_count = made.submission_entries;
  ring.entry_mask = made.submission_entries - 1;
  ring.completion_mask = made.completion_entries - 1;
  ring.entries_head = word(made.submission.head);
  ring.entries_tail = word(made.submission.tail);
  ring.entries_flags = word(made.submission.flags);
  ring.completions_head = word(made.completion.head);
  ring.completions_tail = word(made.completion.tail);
  ring.completions_lost = word(made.completion.overflow);
  ring.completions = reinterpret_cast<ring_completion*>(word(made.completion.completions));
  if (has_array) {
    std::uint32_t* const order = word(made.submission.array);
    for (std::uint32_t place = 0; place != made.submission_entries; ++place) order[place] = place;
  }
  return 0;
}

// A kernel that does not say what it knows is at least 5.11, whose last operation is unlinkat. 0, or the
// errno of a sandbox that forbids the call: enabling the ring would be refused as well, and too late to take
// another one.
std::int32_t look_up_operations(const call_table& calls, mapped_ring& ring) noexcept {
  constexpr std::uint64_t until_unlinkat = (std::uint64_t{1} << 37U) - 1;
  kernel::probe known{};
  const int result = calls.enlist(ring.descriptor, kernel::registration::probe, &known, kernel::probe::most);
  if (result == -EPERM || result == -EACCES || result == -ENOSYS) return result;
  if (result < 0) {
    ring.supported[0] = until_unlinkat;
    return 0;
  }
  for (std::uint32_t place = 0; place != known.count; ++place) {
    const kernel::probe::operation& one = known.operations[place];
    if ((one.flags & kernel::probe::supported) != 0)
      ring.supported[one.code / 64] |= std::uint64_t{1} << (one.code % 64U);
  }
  return 0;
}

void note_what_is_missing(const uring_features& features) noexcept {
  if (features.missing_flags == 0) return;
  report(severity::note, "iosubmit", "features-missing", to_string(features));
}

}  // namespace

expected<mapped_ring, refusal> open(const call_table& calls, const uring_options& options) {
  const std::uint32_t wanted = wanted_flags(options);
  if (auto why = refusal_of_options(options, wanted)) return unexpected<refusal>{*std::move(why)};

  kernel::setup_parameters made{};
  mapped_ring ring;
  std::uint32_t flags = wanted;
  const auto* group = std::begin(groups);
  for (;;) {
    made = {.completion_entries = options.completion_entries, .flags = flags};
    ring.descriptor = calls.setup(options.entries, made);
    if (ring.descriptor != -EINVAL) break;
    while (group != std::end(groups) && (flags & *group) == 0) ++group;
    if (group == std::end(groups)) break;
    flags = without(flags, *group++);
  }
  const asked_ring asked{.options = options, .setup_flags = flags, .calls = calls};
  if (ring.descriptor < 0) return unexpected<refusal>{refusal_of_setup(asked, ring.descriptor)};

  std::optional<refusal> why = refusal_of_features(asked, made.features);
  if (!why) {
    if (const int error = map_queues(calls, made, ring); error != 0) why = refusal_of_map(asked, error);
  }
  if (!why) {
    if (const int error = look_up_operations(calls, ring); error != 0)
      why = refusal_of_register(asked, error);
  }
  if (why) {
    close(calls, ring, false);
    return unexpected<refusal>{*std::move(why)};
  }

  ring.entered_as = ring.descriptor;
  ring.registers_descriptor = options.registered_descriptor;
  ring.features = {.entries = made.submission_entries,
                   .completion_entries = made.completion_entries,
                   .setup_flags = flags,
                   .missing_flags = wanted & ~flags,
                   .registered_descriptor = false,
                   .min_wait = options.min_wait && (made.features & kernel::feature::min_wait) != 0,
                   .no_iowait = options.no_iowait && (made.features & kernel::feature::no_iowait) != 0};
  if (ring.features.no_iowait) ring.enter_flags |= kernel::enter::no_iowait;
  note_what_is_missing(ring.features);
  return ring;
}

std::int32_t own(const call_table& calls, mapped_ring& ring) noexcept {
  if (const int error = calls.enlist(ring.descriptor, kernel::registration::enable, nullptr, 0); error < 0)
    return error;
  if (!ring.registers_descriptor) return 0;
  kernel::descriptor_update update{.place = kernel::descriptor_update::any_place,
                                   .descriptor = static_cast<std::uint64_t>(ring.descriptor)};
  if (calls.enlist(ring.descriptor, kernel::registration::add_ring_descriptors, &update, 1) == 1) {
    ring.entered_as = static_cast<int>(update.place);
    ring.enter_flags |= kernel::enter::registered_ring;
    ring.features.registered_descriptor = true;
  }
  return 0;
}

void close(const call_table& calls, mapped_ring& ring, bool by_owner) noexcept {
  if (ring.descriptor < 0) return;
  if (by_owner && ring.features.registered_descriptor) {
    kernel::descriptor_update update{.place = static_cast<std::uint32_t>(ring.entered_as)};
    calls.enlist(ring.descriptor, kernel::registration::drop_ring_descriptors, &update, 1);
  }
  if (ring.entries != nullptr) calls.unmap(ring.entries, ring.entries_bytes);
  if (ring.rings != nullptr) calls.unmap(ring.rings, ring.rings_bytes);
  calls.close(ring.descriptor);
  ring = {};
}

void complain_of_unanswered(std::uint32_t count) noexcept {
  char text[160];
  std::snprintf(
      text, sizeof text,
      "a ring goes while %u entries of its port are in flight, which the kernel did not let go of: what "
      "they name must stay",
      count);
  report(severity::error, "iosubmit", "ring-unanswered", text);
}

}  // namespace pinion::iosubmit::uring_detail
