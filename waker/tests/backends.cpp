// SPDX-License-Identifier: Apache-2.0
//
// The lists that a new inbox or notifier adds its name to: from there on every law holds for each pair of
// them.
#include "any_channel.hpp"
#include "ring_owner.hpp"

namespace pinion::waker::testing {
namespace {

template <class Notifier>
void add_pairs(std::vector<channel_factory>& all, const std::string& notifier,
               const std::string& unavailable = {}) {
  const auto add = [&]<class Inbox>(std::type_identity<Inbox>, const char* name, bool keeps_w3 = true) {
    all.push_back({std::string{name} + "_" + notifier,
                   [] { return std::make_unique<adapted<Inbox, Notifier>>(); }, keeps_w3, 1, unavailable});
  };
  add(std::type_identity<mutex_inbox>{}, "mutex_inbox", false);
  add(std::type_identity<tagged_inbox>{}, "tagged_inbox");
  add(std::type_identity<bounded_inbox<256>>{}, "bounded_inbox");
  add(std::type_identity<bounded_inbox<2>>{}, "smallest_bounded_inbox");
}

}  // namespace

const std::vector<channel_factory>& backends() {
  static const std::vector<channel_factory> all = [] {
    std::vector<channel_factory> list;
    add_pairs<futex_notifier>(list, "futex");
    add_pairs<eventfd_notifier>(list, "eventfd");
    add_pairs<ring_owner>(list, "msg_ring", raw_ring::refusal());
    add_pairs<ring_owner_among_rings>(list, "msg_ring_among_rings", raw_ring::refusal());
    return list;
  }();
  return all;
}

}  // namespace pinion::waker::testing
