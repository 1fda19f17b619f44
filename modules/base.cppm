// SPDX-License-Identifier: Apache-2.0
//
// import pinion.base: what <pinion/base.hpp> declares, the same entities. Macros (PINION_ASSERT) stay with
// the header.
module;
#include <pinion/base.hpp>

export module pinion.base;

export namespace pinion {
using pinion::boxed;
using pinion::callback;
using pinion::cancel_slot;
using pinion::ceil;
using pinion::ceil_to;
using pinion::diagnostic;
using pinion::diagnostic_sink;
using pinion::duration;
using pinion::errc;
using pinion::error_category;
using pinion::event_counter;
using pinion::executor;
using pinion::executor_of;
using pinion::expect_wait_is_over;
using pinion::expected;
using pinion::explain;
using pinion::fits_inline;
using pinion::floor;
using pinion::floor_to;
using pinion::forever;
using pinion::histogram;
using pinion::huge_page_bytes;
using pinion::inline_function;
using pinion::instant;
using pinion::is_checked;
using pinion::is_counted;
using pinion::kernel_time;
using pinion::knows_executor;
using pinion::make_error_code;
using pinion::monotonic_clock;
using pinion::never;
using pinion::poll_timeout;
using pinion::prefer_huge_pages;
using pinion::operator+;
using pinion::operator-;
using pinion::operator*;
using pinion::answer_of;
using pinion::answer_tag;
using pinion::contract_violation;
using pinion::mark_of;
using pinion::names_answer;
using pinion::ready_list;
using pinion::refusal;
using pinion::report;
using pinion::resumption;
using pinion::ring_answer;
using pinion::ring_completion;
using pinion::ring_entered;
using pinion::ring_entry;
using pinion::ring_port;
using pinion::ring_wait;
using pinion::ring_watcher;
using pinion::run_queue;
using pinion::runnable;
using pinion::set_diagnostic_sink;
using pinion::set_diagnostic_threshold;
using pinion::set_violation_handler;
using pinion::severity;
using pinion::std_sync;
using pinion::sync_traits;
using pinion::throw_refusal;
using pinion::to_string;
using pinion::unexpected;
using pinion::user_data_of;
using pinion::violation_handler;
using pinion::wait_cancelled;
// from cmake/parts.json: flags
using pinion::has_asio;
using pinion::has_iosubmit;
using pinion::has_preempt;
using pinion::has_scheduler;
using pinion::has_sim;
using pinion::has_timer;
using pinion::has_waker;
// end of flags
}  // namespace pinion
