// SPDX-License-Identifier: Apache-2.0
//
// import pinion.iosubmit: what <pinion/iosubmit.hpp> declares, the same entities.
module;
#include <pinion/iosubmit.hpp>

export module pinion.iosubmit;
export import pinion.base;

export namespace pinion::iosubmit {
using pinion::iosubmit::adaptive;
using pinion::iosubmit::adaptive_options;
using pinion::iosubmit::awaited;
using pinion::iosubmit::awaiting;
using pinion::iosubmit::awaiting_urgent;
using pinion::iosubmit::balanced;
using pinion::iosubmit::balanced_options;
using pinion::iosubmit::batch_or_idle;
using pinion::iosubmit::batch_rule;
using pinion::iosubmit::batch_size_max;
using pinion::iosubmit::cancel_slot;
using pinion::iosubmit::chosen_policy;
using pinion::iosubmit::class_of;
using pinion::iosubmit::decision;
using pinion::iosubmit::decision_trace;
using pinion::iosubmit::default_policy;
using pinion::iosubmit::effective;
using pinion::iosubmit::effective_settings;
using pinion::iosubmit::enter_error;
using pinion::iosubmit::enter_errors;
using pinion::iosubmit::enter_reason;
using pinion::iosubmit::enter_reasons;
using pinion::iosubmit::entered_batch;
using pinion::iosubmit::has_modes;
using pinion::iosubmit::high_throughput;
using pinion::iosubmit::immediate;
using pinion::iosubmit::kernel_time;
using pinion::iosubmit::latency_percentiles;
using pinion::iosubmit::latency_policy;
using pinion::iosubmit::latency_window;
using pinion::iosubmit::low_latency;
using pinion::iosubmit::max_wait_us_max;
using pinion::iosubmit::message_sink;
using pinion::iosubmit::mode_change;
using pinion::iosubmit::mode_reason;
using pinion::iosubmit::mode_reasons;
using pinion::iosubmit::operation;
using pinion::iosubmit::operation_backlog;
using pinion::iosubmit::operation_queue;
using pinion::iosubmit::park_wait;
using pinion::iosubmit::parse_settings;
using pinion::iosubmit::policy_variant;
using pinion::iosubmit::queue_state;
using pinion::iosubmit::reaped_batch;
using pinion::iosubmit::refused_setting;
using pinion::iosubmit::ring;
using pinion::iosubmit::setting_source;
using pinion::iosubmit::settings;
using pinion::iosubmit::settings_of_environment;
using pinion::iosubmit::settings_text;
using pinion::iosubmit::size_histogram;
using pinion::iosubmit::sleep_for;
using pinion::iosubmit::sleeping;
using pinion::iosubmit::submission;
using pinion::iosubmit::submission_recorder;
using pinion::iosubmit::submission_statistics;
using pinion::iosubmit::submit_mode;
using pinion::iosubmit::submit_modes;
using pinion::iosubmit::submit_policy;
using pinion::iosubmit::to_string;
using pinion::iosubmit::with_longest_wait;

using pinion::iosubmit::basic_epoll_ring;
using pinion::iosubmit::basic_uring_ring;
using pinion::iosubmit::default_ring;
using pinion::iosubmit::descriptor_event;
using pinion::iosubmit::either_ring;
using pinion::iosubmit::epoll_calls;
using pinion::iosubmit::epoll_ring;
using pinion::iosubmit::epoll_ring_options;
using pinion::iosubmit::open_ring;
using pinion::iosubmit::refused_call;
using pinion::iosubmit::ring_options;
using pinion::iosubmit::ring_refusal;
using pinion::iosubmit::to_string;
using pinion::iosubmit::uring_calls;
using pinion::iosubmit::uring_features;
using pinion::iosubmit::uring_options;
using pinion::iosubmit::uring_ring;
using pinion::iosubmit::watch_change;
}  // namespace pinion::iosubmit

export namespace pinion::iosubmit::codes {
using pinion::iosubmit::codes::accept;
using pinion::iosubmit::codes::cancel;
using pinion::iosubmit::codes::close;
using pinion::iosubmit::codes::connect;
using pinion::iosubmit::codes::fsync;
using pinion::iosubmit::codes::msg_ring;
using pinion::iosubmit::codes::nop;
using pinion::iosubmit::codes::poll;
using pinion::iosubmit::codes::read;
using pinion::iosubmit::codes::recv;
using pinion::iosubmit::codes::refused;
using pinion::iosubmit::codes::send;
using pinion::iosubmit::codes::timeout;
using pinion::iosubmit::codes::write;
}  // namespace pinion::iosubmit::codes

export namespace pinion::iosubmit::entries {
using pinion::iosubmit::entries::accept;
using pinion::iosubmit::entries::cancel;
using pinion::iosubmit::entries::close;
using pinion::iosubmit::entries::connect;
using pinion::iosubmit::entries::fsync;
using pinion::iosubmit::entries::here;
using pinion::iosubmit::entries::msg_ring;
using pinion::iosubmit::entries::nop;
using pinion::iosubmit::entries::poll;
using pinion::iosubmit::entries::read;
using pinion::iosubmit::entries::recv;
using pinion::iosubmit::entries::send;
using pinion::iosubmit::entries::synced;
using pinion::iosubmit::entries::timeout;
using pinion::iosubmit::entries::write;
}  // namespace pinion::iosubmit::entries

export namespace pinion::iosubmit::epoll_events {
using pinion::iosubmit::epoll_events::edge;
using pinion::iosubmit::epoll_events::every;
using pinion::iosubmit::epoll_events::failed;
using pinion::iosubmit::epoll_events::hung_up;
using pinion::iosubmit::epoll_events::once;
using pinion::iosubmit::epoll_events::priority;
using pinion::iosubmit::epoll_events::readable;
using pinion::iosubmit::epoll_events::writable;
}  // namespace pinion::iosubmit::epoll_events

export namespace pinion::iosubmit::errors {
using pinion::iosubmit::errors::complain;
using pinion::iosubmit::errors::explain_enter;
using pinion::iosubmit::errors::is_passing;
}  // namespace pinion::iosubmit::errors

export namespace pinion::iosubmit::kernel {
using pinion::iosubmit::kernel::setup_parameters;
using pinion::iosubmit::kernel::wait_argument;
}  // namespace pinion::iosubmit::kernel

export namespace pinion::iosubmit::kernel::setup {
using pinion::iosubmit::kernel::setup::clamp;
using pinion::iosubmit::kernel::setup::completion_entries;
using pinion::iosubmit::kernel::setup::coop_taskrun;
using pinion::iosubmit::kernel::setup::defer_taskrun;
using pinion::iosubmit::kernel::setup::disabled;
using pinion::iosubmit::kernel::setup::no_sq_array;
using pinion::iosubmit::kernel::setup::single_issuer;
using pinion::iosubmit::kernel::setup::submit_all;
using pinion::iosubmit::kernel::setup::taskrun_flag;
}  // namespace pinion::iosubmit::kernel::setup
