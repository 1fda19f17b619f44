// SPDX-License-Identifier: Apache-2.0
//
// import pinion.iosubmit: what <pinion/iosubmit.hpp> declares, the same entities.
module;
#include <pinion/iosubmit.hpp>

export module pinion.iosubmit;
export import pinion.base;

export namespace pinion::iosubmit {
using pinion::iosubmit::acceptor;
using pinion::iosubmit::adaptive;
using pinion::iosubmit::adaptive_options;
using pinion::iosubmit::awaiting;
using pinion::iosubmit::awaiting_urgent;
using pinion::iosubmit::balanced;
using pinion::iosubmit::balanced_options;
using pinion::iosubmit::batch_or_idle;
using pinion::iosubmit::batch_rule;
using pinion::iosubmit::buffer_group;
using pinion::iosubmit::buffer_group_options;
using pinion::iosubmit::buffer_lease;
using pinion::iosubmit::chosen_policy;
using pinion::iosubmit::codes;
using pinion::iosubmit::decision;
using pinion::iosubmit::decision_trace;
using pinion::iosubmit::default_policy;
using pinion::iosubmit::default_ring;
using pinion::iosubmit::each_turn;
using pinion::iosubmit::effective;
using pinion::iosubmit::effective_settings;
using pinion::iosubmit::either_ring;
using pinion::iosubmit::enter_error;
using pinion::iosubmit::enter_reason;
using pinion::iosubmit::entered_batch;
using pinion::iosubmit::entries;
using pinion::iosubmit::epoll_ring;
using pinion::iosubmit::epoll_ring_options;
using pinion::iosubmit::has_modes;
using pinion::iosubmit::high_throughput;
using pinion::iosubmit::immediate;
using pinion::iosubmit::latency_policy;
using pinion::iosubmit::low_latency;
using pinion::iosubmit::mode_change;
using pinion::iosubmit::mode_reason;
using pinion::iosubmit::open_ring;
using pinion::iosubmit::operation;
using pinion::iosubmit::operation_queue;
using pinion::iosubmit::park_wait;
using pinion::iosubmit::parse_settings;
using pinion::iosubmit::queue_state;
using pinion::iosubmit::reaped_batch;
using pinion::iosubmit::receiver;
using pinion::iosubmit::recv_all;
using pinion::iosubmit::registered_file;
using pinion::iosubmit::registered_files;
using pinion::iosubmit::registered_memory;
using pinion::iosubmit::ring;
using pinion::iosubmit::ring_options;
using pinion::iosubmit::send_all;
using pinion::iosubmit::send_zc;
using pinion::iosubmit::setting_source;
using pinion::iosubmit::settings;
using pinion::iosubmit::settings_of_environment;
using pinion::iosubmit::settings_text;
using pinion::iosubmit::sleep_for;
using pinion::iosubmit::submission;
using pinion::iosubmit::submission_statistics;
using pinion::iosubmit::submit_mode;
using pinion::iosubmit::submit_modes;
using pinion::iosubmit::submit_policy;
using pinion::iosubmit::to_string;
using pinion::iosubmit::uring_features;
using pinion::iosubmit::uring_options;
using pinion::iosubmit::uring_ring;
}  // namespace pinion::iosubmit
