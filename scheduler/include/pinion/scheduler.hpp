// SPDX-License-Identifier: Apache-2.0
//
// pinion's scheduler: the parts, put together.
#pragma once

#include <pinion/scheduler/cell.hpp>
#include <pinion/scheduler/default_cell.hpp>
#include <pinion/scheduler/executor.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/scheduler/executor_parts.hpp>
#include <pinion/scheduler/executor_pool.hpp>
#include <pinion/scheduler/frames/concept.hpp>
#include <pinion/scheduler/frames/default_frames.hpp>
#include <pinion/scheduler/frames/malloc_frames.hpp>
#include <pinion/scheduler/frames/pmr_frames.hpp>
#include <pinion/scheduler/frames/slab_frames.hpp>
#include <pinion/scheduler/frames/use_frames.hpp>
#include <pinion/scheduler/function_name.hpp>
#include <pinion/scheduler/remote_executor.hpp>
#include <pinion/scheduler/sleep.hpp>
#include <pinion/scheduler/spawn_on.hpp>
#include <pinion/scheduler/stall_detector.hpp>
#include <pinion/scheduler/sync/channel.hpp>
#include <pinion/scheduler/sync/event.hpp>
#include <pinion/scheduler/sync/gate.hpp>
#include <pinion/scheduler/sync/mutex.hpp>
#include <pinion/scheduler/sync/semaphore.hpp>
#include <pinion/scheduler/task.hpp>
#include <pinion/scheduler/task_group.hpp>
#include <pinion/scheduler/task_io.hpp>
#include <pinion/scheduler/task_list.hpp>
#include <pinion/scheduler/task_queue.hpp>
#include <pinion/scheduler/turn.hpp>
#include <pinion/scheduler/when.hpp>
#include <pinion/scheduler/with_timeout.hpp>
#include <pinion/scheduler/yield.hpp>

#if PINION_WITH_JEMALLOC
#include <pinion/scheduler/frames/jemalloc_frames.hpp>
#endif
