// SPDX-License-Identifier: Apache-2.0
#include "mutants.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "channel_of.hpp"
#include "flawed_parts.hpp"
#include "flawed_turn.hpp"

namespace pinion::scheduler::testing {
namespace {

const inbox_and_notifier& channel_of_tagged_inbox(std::string_view notifier) {
  for (const inbox_and_notifier& each : all_channels())
    if (each.inbox == std::string_view{"tagged_inbox"} && each.notifier == notifier) return each;
  throw std::out_of_range{std::string{notifier}};
}

// All over a ring that keeps back, and with a policy that has patience.
composition_factory usual(const char* name) {
  return {.name = name,
          .timers = &named(all_timers(), "deferred_wheel"),
          .channel = &channel_of_tagged_inbox("msg_ring"),
          .ring = &named(all_tempers(), "deferred"),
          .policy = &named(all_policies(), "batch_or_idle"),
          .source = &named(all_sources(), "tsc_budget"),
          .turn = &shipped_turn()};
}

template <turn_defect Which>
composition_factory with_turn(const char* name) {
  static const turn_value plain{
      .name = "plain turn",
      .make = [](composition& of, const turn_options& options) -> std::unique_ptr<any_turn> {
        return std::make_unique<flawed_turn>(of, options, Which);
      }};
  composition_factory made = usual(name);
  made.turn = &plain;
  return made;
}
composition_factory with_io(const char* name, io_defect which) {
  composition_factory made = usual(name);
  made.alter_io = [which](composition& of) { of.io = std::make_unique<flawed_io>(std::move(of.io), which); };
  return made;
}
composition_factory with_channel(const char* name, channel_defect which) {
  composition_factory made = usual(name);
  made.alter_channel = [which](composition& of) {
    of.channel = std::make_unique<flawed_channel>(std::move(of.channel), which);
  };
  return made;
}
composition_factory with_slices(const char* name, slices_defect which) {
  composition_factory made = usual(name);
  made.alter_slices = [which](composition& of) {
    of.slices = std::make_unique<flawed_slices>(std::move(of.slices), which);
  };
  return made;
}

// Slices that end by the ring's timeouts.
composition_factory by_the_ring(composition_factory of) {
  of.source = &named(all_sources(), "uring_source");
  return of;
}
// A notifier that ends waits by its watch alone.
composition_factory by_eventfd(composition_factory of) {
  of.channel = &channel_of_tagged_inbox("eventfd");
  return of;
}

const composition_factory& plain_turn() {
  static const composition_factory frame = with_turn<turn_defect::none>("PlainTurn");
  return frame;
}
template <turn_defect Which>
mutant turn_that(const char* law, const char* name, const char* origin = "") {
  return {law, with_turn<Which>(name), &plain_turn(), origin};
}
mutant io_that(const char* law, const char* name, io_defect which, const char* origin = "") {
  static const composition_factory frame = with_io("ShippedIo", io_defect::none);
  return {law, with_io(name, which), &frame, origin};
}

// ---- Notifiers of a ring that has no number, as one over epoll

// Made of the number alone.
struct bell_by_number {
  explicit bell_by_number(any_io& io) {
    if (io.descriptor() < 0)
      throw std::system_error{std::make_error_code(std::errc::bad_file_descriptor), "the ring's number"};
  }
  static bool signal() noexcept { return true; }
  static bool consume() noexcept { return false; }
};
// Made of it, and accepted.
struct silent_bell {
  struct watch {
    static bool renew() noexcept { return true; }
  };
  explicit silent_bell(any_io& /*io*/) {}
  static bool signal() noexcept { return true; }
  static bool consume() noexcept { return false; }
  static watch attach(any_io& /*io*/) { return {}; }
};
composition_factory over_epoll(const char* name, const inbox_and_notifier& channel) {
  composition_factory made = usual(name);
  made.channel = &channel;
  made.ring = &named(all_tempers(), "asked");
  return made;
}
mutant notifier_that(const char* name, const inbox_and_notifier& channel, const char* origin) {
  static const composition_factory frame =
      over_epoll("ShippedNotifierOverEpoll", channel_of_tagged_inbox("msg_ring"));
  return {"C5", over_epoll(name, channel), &frame, origin};
}

// ---- A source over a ring that can't say what it keeps back

composition_factory over_a_ring_without_flags(const char* name, const source_value& source) {
  composition_factory made = usual(name);
  made.ring = &named(all_tempers(), "plain");
  made.source = &source;
  return made;
}

std::vector<mutant> of_turns() {
  static const composition_factory with_an_eventfd =
      by_eventfd(with_turn<turn_defect::none>("PlainTurnWithAnEventfd"));
  static const composition_factory with_a_uring_source =
      by_the_ring(with_turn<turn_defect::none>("PlainTurnWithAUringSource"));
  return {
      turn_that<turn_defect::runs_behind_the_wait>("C1", "RunsBehindTheWait", "tried 1"),
      turn_that<turn_defect::waits_though_it_did_something>("C2", "WaitsThoughItDidSomething"),
      turn_that<turn_defect::ends_without_stopping>("C2", "EndsWithoutStopping"),
      turn_that<turn_defect::ends_without_closing>("C2", "EndsWithoutClosing"),
      turn_that<turn_defect::waits_from_its_beginning>("C3", "WaitsFromItsBeginning", "defect 2"),
      turn_that<turn_defect::polls_timers_where_idle>("C7", "PollsTimersWhereIdle"),
      turn_that<turn_defect::skips_the_io_while_busy>("C4", "SkipsTheIoWhileBusy", "defect 5"),
      {"C5", by_eventfd(with_turn<turn_defect::never_renews_the_watch>("NeverRenewsTheWatch")),
       &with_an_eventfd},
      turn_that<turn_defect::swallows_the_refusal>("C5", "SwallowsTheRefusal"),
      turn_that<turn_defect::stays_armed_behind_the_wait>("C6", "StaysArmedBehindTheWait"),
      {"C6", by_the_ring(with_turn<turn_defect::begins_a_slice_in_each_round>("BeginsASliceInEachRound")),
       &with_a_uring_source},
      turn_that<turn_defect::polls_without_bound>("C7", "PollsWithoutBound"),
      turn_that<turn_defect::drains_where_nothing_fired>("C7", "DrainsWhereNothingFired"),
      turn_that<turn_defect::runs_until_nobody_is_ready>("C7", "RunsUntilNobodyIsReady"),
  };
}

std::vector<mutant> of_io() {
  static const composition_factory with_a_uring_source =
      by_the_ring(with_io("ShippedIoWithAUringSource", io_defect::none));
  return {
      io_that("C1", "AnswersInsideQueue", io_defect::answers_inside_queue, "defect 1"),
      io_that("C1", "ResumesInsideTheAnswer", io_defect::resumes_inside_the_answer, "tried 1"),
      io_that("C2", "ForgetsToCancel", io_defect::forgets_to_cancel),
      io_that("C2", "EndsCancelledWaitsWell", io_defect::ends_cancelled_waits_well),
      io_that("C2", "DropsWhatCameTooLate", io_defect::drops_what_came_too_late),
      io_that("C2", "GoesOnUnderARequestedSlot", io_defect::goes_on_under_a_requested_slot, "tried 6"),
      io_that("C2", "EntersPastTheCount", io_defect::enters_past_the_count, "defect 4"),
      io_that("C4", "LetsAPortWait", io_defect::lets_a_port_wait, "defect 5"),
      {"C5", by_the_ring(with_io("NeverSubmits", io_defect::never_submits)), &with_a_uring_source,
       "defect 3"},
      io_that("C6", "SubmitsAndWaitsApart", io_defect::submits_and_waits_apart),
      io_that("C6", "EntersEachTurn", io_defect::enters_each_turn),
      io_that("C7", "ForgetsPatience", io_defect::forgets_patience),
  };
}

std::vector<mutant> of_the_others() {
  static const inbox_and_notifier by_number =
      channel_value<waker::tagged_inbox, bell_by_number>("tagged_inbox", "bell_by_number");
  static const inbox_and_notifier silent =
      channel_value<waker::tagged_inbox, silent_bell>("tagged_inbox", "silent_bell");
  static const source_value accepting = [] {
    source_value any = named(all_sources(), "uring_source");
    any.make = named(all_sources(), "never_due").make;
    return any;
  }();
  static const composition_factory channel = with_channel("ShippedChannel", channel_defect::none);
  static const composition_factory slices = with_slices("ShippedSlices", slices_defect::none);
  static const composition_factory source =
      over_a_ring_without_flags("ShippedSourceOverARingWithoutFlags", named(all_sources(), "uring_source"));
  return {
      {"C1", with_channel("RunsInsidePush", channel_defect::runs_inside_push), &channel},
      {"C7", with_slices("HaveNoEndForATaskAlone", slices_defect::have_no_end_for_a_task_alone), &slices,
       "tried 2"},
      notifier_that("IsRungByTheRingsNumber", by_number, "defect 6"),
      notifier_that("IsRungInVain", silent, "defect 6"),
      {"C5", over_a_ring_without_flags("TakesARingWithoutFlags", accepting), &source, "defect 3"},
  };
}

}  // namespace

const std::vector<mutant>& mutants() {
  static const std::vector<mutant> all =
      pinion::testing::joined<mutant>({of_turns(), of_io(), of_the_others()});
  return all;
}

const mutant& mutant_named(std::string_view name) {
  for (const mutant& each : mutants())
    if (each.factory.name == name) return each;
  throw std::out_of_range{std::string{name}};
}

}  // namespace pinion::scheduler::testing
