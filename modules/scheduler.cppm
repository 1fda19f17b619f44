// SPDX-License-Identifier: Apache-2.0
//
// import pinion.scheduler: what <pinion/scheduler.hpp> declares, the same entities.
module;
#include <pinion/scheduler.hpp>
export module pinion.scheduler;

export import pinion.base;
export import pinion.iosubmit;
export import pinion.preempt;
export import pinion.timer;
export import pinion.waker;

export namespace pinion::scheduler {
using pinion::scheduler::absent;
using pinion::scheduler::allocate_frame;
using pinion::scheduler::basic_executor;
using pinion::scheduler::basic_executor_pool;
using pinion::scheduler::basic_slab_frames;
using pinion::scheduler::block_on;
using pinion::scheduler::channel;
using pinion::scheduler::checked_cell;
using pinion::scheduler::default_cell;
using pinion::scheduler::default_frames;
using pinion::scheduler::default_parts;
using pinion::scheduler::event;
using pinion::scheduler::executor;
using pinion::scheduler::executor_base;
using pinion::scheduler::executor_cell;
using pinion::scheduler::executor_options;
using pinion::scheduler::executor_parts;
using pinion::scheduler::executor_pool;
using pinion::scheduler::first_of;
using pinion::scheduler::frame_allocated;
using pinion::scheduler::frame_allocator;
using pinion::scheduler::frame_origin;
using pinion::scheduler::frame_statistics;
using pinion::scheduler::frame_traits;
using pinion::scheduler::free_frame;
using pinion::scheduler::function_name;
using pinion::scheduler::gate;
#if PINION_WITH_JEMALLOC
using pinion::scheduler::jemalloc_frames;
#endif
using pinion::scheduler::join_handle;
using pinion::scheduler::list_of_tasks;
using pinion::scheduler::look_at;
using pinion::scheduler::makes_task;
using pinion::scheduler::malloc_frames;
using pinion::scheduler::mutex;
using pinion::scheduler::nothing;
using pinion::scheduler::parts;
using pinion::scheduler::pmr_frames;
using pinion::scheduler::pool_options;
using pinion::scheduler::processors_allowed;
using pinion::scheduler::queue_options;
using pinion::scheduler::queue_statistics;
using pinion::scheduler::remote_executor;
using pinion::scheduler::running;
using pinion::scheduler::seen_task;
using pinion::scheduler::semaphore;
using pinion::scheduler::slab_frames;
using pinion::scheduler::sleep_for;
using pinion::scheduler::sleep_until;
using pinion::scheduler::slept;
using pinion::scheduler::slicing_runner;
using pinion::scheduler::spawn;
using pinion::scheduler::spawn_into;
using pinion::scheduler::spawn_on;
using pinion::scheduler::spawn_portable;
using pinion::scheduler::stall_detector;
using pinion::scheduler::stall_options;
using pinion::scheduler::stalled_task;
using pinion::scheduler::task;
using pinion::scheduler::task_dump;
using pinion::scheduler::task_group;
using pinion::scheduler::task_header;
using pinion::scheduler::task_io;
using pinion::scheduler::task_queue;
using pinion::scheduler::task_runner;
using pinion::scheduler::task_state;
using pinion::scheduler::to_string;
using pinion::scheduler::turn;
using pinion::scheduler::turn_options;
using pinion::scheduler::turn_statistics;
using pinion::scheduler::turns_to_shrink;
using pinion::scheduler::unchecked_cell;
using pinion::scheduler::use_frames;
using pinion::scheduler::when_all;
using pinion::scheduler::when_any;
using pinion::scheduler::with_timeout;
using pinion::scheduler::yield;
}  // namespace pinion::scheduler
