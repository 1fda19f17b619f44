// SPDX-License-Identifier: Apache-2.0
//
// rig: a submission under watch. Whatever is called through it, each enter is held against S1, S2 and S4, and
// each call that queues against S6.
//
//   rig io{factory};
//   io.queue(first);
//   io.park(never);
//   return io.found("S1");
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "laws.hpp"
#include "probe.hpp"

namespace pinion::iosubmit::testing {

class rig {
 public:
  explicit rig(const submission_factory& factory) : factory_(factory), io_(factory(clock_)) {}

  /// The parts, for whoever wants them unwatched.
  [[nodiscard]] any_submission& io() noexcept { return *io_; }
  [[nodiscard]] const sim::virtual_ring& ring() const noexcept { return io_->ring(); }
  [[nodiscard]] sim::virtual_clock& clock() noexcept { return clock_; }
  [[nodiscard]] instant now() const noexcept { return clock_.time(); }

  void queue(operation& what) {
    in_queue([&] { io_->queue(what); });
  }
  void queue_urgent(operation& what) {
    in_queue([&] { io_->queue_urgent(what); });
    was_urgent_ = true;
  }
  bool queue(const ring_entry& entry, ring_answer& answer) {
    bool did = false;
    in_queue([&] { did = io_->queue(entry, answer); });
    was_urgent_ = was_urgent_ || did;
    return did;
  }
  void submit() {
    in_queue([&] { io_->submit(); });
  }
  std::size_t turn() {
    return watched(false, [&] { return io_->turn(now()); });
  }
  std::size_t park(instant until) {
    return watched(true, [&] { return io_->park(until); });
  }
  /// Parks until all is answered; false if that takes more than so many.
  bool settle(int parks = 5'000) {
    while (parks-- > 0 && io_->depth() + io_->in_flight() != 0) park(now() + duration{50'000'000});
    return io_->depth() + io_->in_flight() == 0;
  }
  /// Ends it. Answers that come of that still find it, as they would where it is a member of an owner's.
  void destroy() {
    delete io_.get();
    static_cast<void>(io_.release());  // NOLINT(bugprone-unused-return-value): it is deleted
  }

  /// Enters of the last turn() or park().
  [[nodiscard]] std::size_t enters() const { return count_; }
  /// What has broken of that law so far.
  [[nodiscard]] violation found(const std::string& law) const {
    const auto at = found_.find(law);
    return at == found_.end() ? violation{} : at->second;
  }

 private:
  template <class Call>
  void in_queue(Call call) {
    const bool was_inside = std::exchange(io_->record.in_queue, true);
    const int answers = asked::order;
    call();
    if (asked::order != answers)
      note("S6", "a call that queues or submits called ", asked::order - answers, " answers");
    io_->record.in_queue = was_inside;
  }

  template <class... Words>
  void note(const char* law, const Words&... words) {
    if (!found(law)) found_[law] = broken(factory_, words...);
  }

  template <class Call>
  std::size_t watched(bool parks, Call call) {
    look_back();
    const std::uint32_t depth = io_->depth();
    const bool was_wanted = ring().wants_enter();
    // What was refused for good is answered instead of being offered once more.
    const bool was_refused = !io_->record.enters.empty() && lasts(io_->record.enters.back().result.error);
    was_urgent_ = false;
    io_->record.enters.clear();
    const std::size_t handed_out = call();
    count_ = 0;
    std::uint32_t accepted = 0;
    bool refused = was_refused, offered = depth == 0 || was_refused;
    const enter_seen* last = nullptr;
    for (const enter_seen& e : io_->record.enters) {
      accepted += e.result.accepted;
      refused = refused || e.was_refused();
      offered = offered || e.offered != 0;
      if (e.by_queue) continue;
      look_at_wait(e, last);
      if (last != nullptr && last->depth_after == 0 && !was_urgent_)
        note("S2", "entered twice in one call, and the first had left nothing");
      ++count_;
      last = &e;
    }
    if (parks && !offered) note("S1", "a park left ", depth, " that were queued without offering them");
    if (parks && !refused && accepted < depth)
      note("S1", "of ", depth, " that were queued a park handed over ", accepted,
           ", and nothing was refused");
    if (was_wanted && io_->record.enters.empty())
      note("S4", parks ? "a park" : "a turn", " left alone what the kernel keeps back");
    look_back();
    return handed_out;
  }

  void look_at_wait(const enter_seen& e, const enter_seen* last) {
    if (e.wait.count == 0) return;
    if (!e.wait.keeps_pending && e.depth_before != e.offered)
      note("S1", "waited with ", e.depth_before - e.offered, " queued that were not offered to the kernel");
    if (e.wait.keeps_pending && e.depth_before != 0) {
      if (last == nullptr || !last->was_refused())
        note("S1", "waited with ", e.depth_before, " queued that the kernel had not refused");
      if (e.wait.timeout > duration{1'000'000})
        note("S1", "waited for ", e.wait.timeout.ns, " ns with ", e.depth_before, " that were refused");
    }
    if (last == nullptr && e.had_completions) note("S4", "waited while completions were there");
  }

  static bool lasts(std::int32_t error) noexcept { return error != 0 && !errors::is_passing(error); }

  // Of enters made anywhere, also by queue().
  void look_back() {
    for (const enter_seen& e : io_->record.enters) {
      if (e.offered == 0 && e.wait.count == 0 && !e.was_wanted) note("S2", "entered with nothing to do");
      if (e.by_queue && e.wait.count != 0) note("S1", "waited inside queue()");
    }
    if (ring().counts().overfilled != 0) note("S5", "put an entry where there was no room");
  }

  sim::virtual_clock clock_{instant{1'000'000}};
  submission_factory factory_;
  std::unique_ptr<any_submission> io_;
  std::map<std::string, violation> found_;
  std::size_t count_ = 0;
  bool was_urgent_ = false;
};

/// Calls, faults and answers as the seed has them, and what that broke of a law. What is sent through the
/// ring is answered once and in order, or that broke S5.
[[nodiscard]] violation work_out(const char* law, const submission_factory& factory,
                                 std::vector<enter_seen>* log = nullptr);

}  // namespace pinion::iosubmit::testing
