// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, and that a submission works.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

import pinion.iosubmit;

namespace {

using namespace pinion::iosubmit;

// A ring that anybody can write: it answers a nop with 0, and knows nothing else.
class nop_ring {
 public:
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept { return operation == codes::nop; }
  [[nodiscard]] std::uint32_t room() const noexcept { return 8 - pending(); }
  void put(const pinion::ring_entry& entry) noexcept { pending_.push_back(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return static_cast<std::uint32_t>(pending_.size()); }
  [[nodiscard]] bool has_completions() const noexcept { return !done_.empty(); }
  [[nodiscard]] bool wants_enter() const noexcept { return false; }
  pinion::ring_entered enter(const pinion::ring_wait&) noexcept {
    const std::uint32_t taken = pending();
    for (const pinion::ring_entry& each : pending_) {
      done_.push_back({each.user_data, supports(each.operation) ? 0 : -EOPNOTSUPP, 0});
    }
    pending_.clear();
    return {.accepted = taken};
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    std::vector<pinion::ring_completion> done;
    done.swap(done_);
    for (const pinion::ring_completion& each : done) sink(each);
    return done.size();
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    std::vector<pinion::ring_entry> pending;
    pending.swap(pending_);
    for (const pinion::ring_entry& each : pending) sink(each);
    return pending.size();
  }

 private:
  std::vector<pinion::ring_entry> pending_;
  std::vector<pinion::ring_completion> done_;
};

struct asked : operation {
  explicit asked(const pinion::ring_entry& what)
      : operation{what, [](pinion::ring_answer& self, std::int32_t result) noexcept {
                    static_cast<asked&>(self).result = result;
                  }} {}
  std::int32_t result = 1;
};

TEST(iosubmit_module, ASubmissionAnswersWhatItWasAsked) {
  static_assert(ring<nop_ring> && submit_policy<batch_or_idle> && submit_policy<immediate>);
  asked nothing{entries::nop()}, much{entries::close(-1)};
  submission<batch_or_idle, nop_ring> io{nop_ring{}, {.batch = 3}};

  io.queue(nothing);
  io.queue(much);
  const std::uint32_t queued = io.depth();
  const std::size_t answered = io.park(pinion::instant{1}, pinion::instant{2});

  EXPECT_EQ(queued, 2U);
  EXPECT_EQ(answered, 2U);
  EXPECT_EQ(nothing.result, 0);
  EXPECT_EQ(much.result, -EOPNOTSUPP);
}

TEST(iosubmit_module, WhatIsCompiledIntoTheLibraryIsReached) {
  EXPECT_TRUE(errors::is_passing(-EINTR));
  EXPECT_FALSE(errors::is_passing(-EPERM));
  EXPECT_NE(errors::explain_enter(-EPERM), errors::explain_enter(-ENOSYS));
}

}  // namespace
